package dev.oncebox.runtime;

import dev.oncebox.config.ConfigException;
import dev.oncebox.config.LedgerUrl;
import dev.oncebox.config.Settings;
import dev.oncebox.intake.FileReading;
import dev.oncebox.intake.FileReadings;
import dev.oncebox.intake.RejectedFile;
import dev.oncebox.intake.RequestKey;
import dev.oncebox.ledger.Ledger;
import dev.oncebox.ledger.LedgerException;
import dev.oncebox.ledger.Pause;
import dev.oncebox.ledger.Standing;
import dev.oncebox.ledger.sql.SqlAsk;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** One asked file and its record in the ledger, whoever works on the ledger meanwhile. */
final class AskLedger implements AutoCloseable {

    private static final int MOST_CHANGES = 5;
    /** A look a moment with a connection of its own each would keep a machine busy on which many ask. */
    private static final int MOST_USES = 40;

    private final AskedFile asked;
    private final LedgerUrl ledger;
    private final FileReadings readings;
    private byte[] sha256 = new byte[0];
    private boolean broughtIn;
    private @Nullable SqlAsk kept;
    private int uses;

    AskLedger(Settings settings, AskedFile asked) {
        this.asked = asked;
        this.ledger = settings.ledger();
        this.readings = new FileReadings(settings.jobs(), settings.maxItem());
    }

    /** Finds out which file it is, by its bytes. */
    void identify() throws RejectedFile {
        sha256 = read(FileReading::digest);
    }

    @FunctionalInterface
    private interface Step<T> {
        T of(Path place) throws IOException, RejectedFile;
    }

    /** A runtime may take the file out of the inbox at any moment. */
    private <T> T read(Step<T> step) throws RejectedFile {
        for (int tries = 1; ; tries++) {
            try {
                return step.of(asked.place());
            } catch (NoSuchFileException e) {
                if (tries == MOST_CHANGES) {
                    throw new ConfigException("There is no file " + asked.file() + " any more.");
                }
            } catch (IOException e) {
                throw new ConfigException(asked.file() + " cannot be read: " + e + ".");
            }
        }
    }

    private FileReading open() throws RejectedFile {
        return read(place -> readings.open(place, asked.path(), asked.job()));
    }

    private static ConfigException unreadable(Path file, IOException failure) {
        return new ConfigException(file + " cannot be read: " + failure + ".");
    }

    /** @throws RejectedFile when nothing in the file can be read */
    void requireReadable() throws RejectedFile {
        try (FileReading reading = open()) {
            sha256 = reading.dropped().sha256();
        } catch (IOException e) {
            throw unreadable(asked.file(), e);
        }
    }

    /** Uses a connection that is kept for a while: the ledger's file may be another one by then. */
    private <T> @Nullable T reading(Function<SqlAsk, @Nullable T> use) {
        SqlAsk open = kept == null ? SqlAsk.reading(ledger) : kept;
        kept = null;
        if (open == null) {
            return null;
        }
        boolean sound = false;
        try {
            T result = use.apply(open);
            sound = ++uses % MOST_USES != 0;
            return result;
        } finally {
            if (sound) {
                kept = open;
            } else {
                open.close();
            }
        }
    }

    @Override
    public void close() {
        if (kept != null) {
            kept.close();
            kept = null;
        }
    }

    /** How far the file is; null: it is not recorded, as far as can be seen. */
    @Nullable
    Standing look() {
        return reading(open -> open.look(asked.path(), sha256, asked.job()));
    }

    /** Why nothing is sent, as the ledger's worker said last. */
    Map<String, Pause> pauses() {
        return Objects.requireNonNullElse(reading(SqlAsk::pauses), Map.of());
    }

    /** Whether this ask recorded the file. */
    boolean hasBroughtIn() {
        return broughtIn;
    }

    /** Whether the process that holds the lock has looked the ledger over, so that others may write to it. */
    boolean isWorkedOnBy(WorkerLock.Holder holder) {
        return holder.pid() != 0 && Boolean.TRUE.equals(reading(open -> open.isWorkedOnBy(holder.pid())));
    }

    /**
     * Records the file as the ledger's worker, and says how far it is.
     *
     * @param worker as which
     * @return null: another node is reading it at this moment
     * @throws RejectedFile when nothing in it can be read
     */
    @Nullable
    Standing recorded(Ledger worker) throws RejectedFile {
        if (!worker.reserve(asked.path())) {
            return null;
        }
        try {
            for (int tries = 0; tries < MOST_CHANGES; tries++) {
                if (record(true)) {
                    return Objects.requireNonNull(look());
                }
            }
        } finally {
            worker.release(asked.path());
        }
        throw new LedgerException(asked.file() + " changes all the time.", true, new IllegalStateException());
    }

    /**
     * Records the file unless it is, or lets what was delivered and is in the outbox no more be delivered again.
     *
     * @param alone whether this process is the ledger's worker
     * @return false: not yet, since somebody else is reading it or it changed; to be tried again
     * @throws RejectedFile when nothing in it can be read
     */
    boolean record(boolean alone) throws RejectedFile {
        try (FileReading reading = open();
                SqlAsk open = SqlAsk.writing(ledger, RequestKey.VERSION, Clock.systemUTC())) {
            if (open == null) {
                return false;
            }
            if (!Arrays.equals(sha256, reading.dropped().sha256())) {
                sha256 = reading.dropped().sha256();
                return false;
            }
            SqlAsk.Recorded recorded = open.record(
                    reading.dropped(), new SqlAsk.Manner(asked.inInbox(), alone), reading, reading::isAsAnnounced);
            broughtIn |= recorded != null && recorded.isNew();
            return recorded != null;
        } catch (IOException e) {
            throw unreadable(asked.file(), e);
        }
    }
}
