package dev.oncebox.cli;

import dev.oncebox.config.ConfigException;
import dev.oncebox.config.LedgerUrl;
import dev.oncebox.ledger.Figures;
import dev.oncebox.operate.Reports;
import dev.oncebox.progress.Progress;
import dev.oncebox.runtime.RunWatcher;
import java.math.BigDecimal;
import java.time.Clock;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Shows what a run came to so far, read from its ledger as any other command reads it, and with a connection of its own
 * each time, so that the run is the last to close the ledger.
 */
final class WatchedRun implements RunWatcher {

    private final LedgerUrl ledger;
    private final Clock clock;
    private final Progress progress;
    private @Nullable Figures before;
    private boolean shown;

    /** @param ledger which the run makes, or brings up to date, before the first look */
    WatchedRun(LedgerUrl ledger, Clock clock, Progress progress) {
        this.ledger = ledger;
        this.clock = clock;
        this.progress = progress;
    }

    @Override
    public void look() {
        if (before == null) {
            before = figures().orElse(null);
        } else if (progress.isDue()) {
            show();
        }
    }

    @Override
    public void lookForTheLastTime() {
        if (shown) {
            show();
        }
    }

    private Optional<Figures> figures() {
        try (Reports reports = Reports.open(ledger, clock)) {
            return Optional.of(reports.figures());
        } catch (ConfigException e) {
            return Optional.empty(); // the run itself will say what is wrong with the ledger
        }
    }

    private void show() {
        Figures first = before;
        Figures now = figures().orElse(null);
        if (first == null || now == null) {
            return;
        }
        shown = true;
        long done = ended(now) - ended(first);
        progress.show(
                done,
                done + now.pending(),
                (now.fresh() - first.fresh()) + " new, " + (now.reused() - first.reused()) + " reused, cost "
                        + cost(first.cost(), now.cost()));
    }

    private static long ended(Figures figures) {
        return figures.answered() + figures.failed();
    }

    private static String cost(@Nullable BigDecimal before, @Nullable BigDecimal now) {
        return before == null || now == null ? "unknown" : now.subtract(before).toPlainString();
    }
}
