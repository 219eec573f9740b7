package dev.oncebox.runtime;

import dev.oncebox.config.Settings;
import dev.oncebox.ledger.Ledger;
import dev.oncebox.ledger.LedgerException;
import dev.oncebox.ledger.sql.Scope;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One run of a worker: from its start until a signal, an idle moment or the loss of its ledger ends it. */
public final class Runs {

    private static final Logger LOG = LoggerFactory.getLogger(Runs.class);
    private static final long LOOK_MILLIS = 100;

    private final Settings settings;
    private final @Nullable Duration untilIdleFor;
    private final @Nullable Long maxCalls;
    private final RunWatcher watcher;
    private final CompletableFuture<End> end = new CompletableFuture<>();

    /** Why a run ended. */
    public enum Kind {
        SIGNAL,
        IDLE,
        LOST
    }

    /**
     * @param signal its number; 0: none
     * @param isClean whether nothing is left that failed, is in doubt, or waits for later
     */
    public record End(Kind kind, int signal, boolean isClean, String message) {}

    /**
     * @param untilIdleFor end when nothing is due within this time; null: run until stopped
     * @param maxCalls how many calls may be charged, at most; null: any number
     * @param watcher told when it may look, while an idle moment is waited for
     */
    public Runs(Settings settings, @Nullable Duration untilIdleFor, @Nullable Long maxCalls, RunWatcher watcher) {
        this.watcher = watcher;
        this.settings = settings;
        this.maxCalls = maxCalls;
        this.untilIdleFor = untilIdleFor;
    }

    /** Works until the end, stops gracefully, and says why it ended. */
    public End run() throws Worker.BusyException {
        new StopSignals().install(signal -> end.complete(new End(Kind.SIGNAL, signal, false, "")));
        Preflight.check(settings);
        WorkerLock lock = LockQueue.afterShortOnes(settings.ledger(), end);
        if (lock == null) {
            return waitForEnd(null);
        }
        try (Worker worker = Worker.prepare(
                settings,
                lock,
                maxCalls,
                Scope.everything(),
                loss -> end.complete(new End(Kind.LOST, 0, false, loss)))) {
            worker.start();
            LOG.info("Taking files from {}; answers appear in {}", settings.inbox(), settings.outbox());
            End reason = waitForEnd(worker);
            if (reason.kind() == Kind.SIGNAL) {
                LOG.info("Stopping: nothing new is sent, calls in flight are finished. A second signal ends at once.");
            } else if (reason.kind() == Kind.LOST) {
                LOG.error("Stopping: {}", reason.message());
                LOG.error("Calls in flight are paid for: they are waited for, and their replies kept beside the ledger."
                        + " Two signals end at once.");
            }
            return reason;
        }
    }

    private End waitForEnd(@Nullable Worker worker) {
        while (true) {
            try {
                return end.get(LOOK_MILLIS, TimeUnit.MILLISECONDS);
            } catch (TimeoutException e) {
                End idle = worker == null || untilIdleFor == null ? null : idle(worker, untilIdleFor);
                if (idle != null) {
                    return idle;
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return new End(Kind.SIGNAL, 2, false, "");
            } catch (ExecutionException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    private @Nullable End idle(Worker worker, Duration horizon) {
        boolean inboxWasEmpty = worker.isInboxEmpty();
        Ledger.Work work;
        try {
            boolean busy = !inboxWasEmpty || worker.isBusy(horizon);
            watcher.look();
            if (busy && (!inboxWasEmpty || worker.stuckDeliveries() == 0)) {
                return null;
            }
            work = worker.work(horizon);
            if (work.unfinished() > 0 || work.undelivered() > worker.stuckDeliveries()) {
                return null;
            }
        } catch (LedgerException e) {
            return null;
        }
        boolean clean = work.dead() == 0
                && work.doubts() == 0
                && work.parked() == 0
                && work.undelivered() == 0
                && !worker.hasPostponedFiles();
        if (!clean) {
            LOG.warn(
                    "Ended with {} dead letters, {} calls in doubt, {} parked for later, {} files that cannot be delivered",
                    work.dead(),
                    work.doubts(),
                    work.parked(),
                    work.undelivered());
        }
        watcher.lookForTheLastTime();
        return new End(Kind.IDLE, 0, clean, "");
    }
}
