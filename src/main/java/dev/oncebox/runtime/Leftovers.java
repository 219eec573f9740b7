package dev.oncebox.runtime;

import dev.oncebox.config.LedgerUrl;
import dev.oncebox.config.Settings;
import dev.oncebox.intake.Intake;
import dev.oncebox.ledger.Ledger;
import dev.oncebox.ledger.camel.RescuedReplies;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What an earlier process, or another node, left beside the ledger: replies, files half taken, temporaries. */
final class Leftovers {

    private static final Logger LOG = LoggerFactory.getLogger(Leftovers.class);
    /** Longer than a node is at one file without writing to it. */
    private static final Duration OTHERS = Duration.ofHours(1);

    private final Path data;
    private final boolean shared;
    private final Ledger ledger;
    private final Intake intake;
    private final RescuedReplies.Reading reading;

    Leftovers(Settings settings, Ledger ledger, Intake intake, RescuedReplies.Reading reading) {
        this.data = settings.home().data();
        this.shared = !(settings.ledger() instanceof LedgerUrl.SqliteFile);
        this.ledger = ledger;
        this.intake = intake;
        this.reading = reading;
    }

    /** Where this process puts replies that it cannot record; nodes may have one home. */
    Path rescued() {
        return data.resolve(
                shared
                        ? "rescued-" + WorkerLock.host() + "-"
                                + ProcessHandle.current().pid() + ".jsonl"
                        : "rescued.jsonl");
    }

    /** How old temporaries must be to be nobody's. */
    Duration untouched() {
        return shared ? OTHERS : Duration.ZERO;
    }

    void recordRescued() {
        try {
            int recorded = RescuedReplies.recordAll(data, ledger, reading);
            if (recorded > 0) {
                LOG.warn("{} answers that could not be recorded before are recorded now, from {}", recorded, data);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void resumeIntake() {
        try {
            intake.resume(untouched());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
