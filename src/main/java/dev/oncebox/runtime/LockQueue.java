package dev.oncebox.runtime;

import dev.oncebox.config.LedgerUrl;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A runtime's way to the lock: an {@code ask} or a purge ends by itself and is waited for, another runtime does not. */
final class LockQueue {

    private static final Logger LOG = LoggerFactory.getLogger(LockQueue.class);
    private static final long LOOK_MILLIS = 100;
    /** How often a holder that cannot be named, having only just come perhaps, is looked at again. */
    private static final int DOUBTFUL_LOOKS = 20;

    private LockQueue() {}

    /**
     * Takes the lock once nothing has it that ends by itself.
     *
     * @param stopped ends the waiting
     * @return null: stopped first
     * @throws Worker.BusyException when it is held by something that does not end by itself
     */
    static @Nullable WorkerLock afterShortOnes(LedgerUrl ledger, CompletableFuture<?> stopped)
            throws Worker.BusyException {
        boolean told = false;
        int doubtful = 0;
        while (!stopped.isDone()) {
            try {
                return WorkerLock.acquire(ledger, WorkerLock.Purpose.RUN);
            } catch (WorkerLock.HeldException held) {
                WorkerLock.Holder holder = held.holder();
                WorkerLock.Purpose purpose = holder.purpose();
                boolean ends = purpose != null && purpose.isShort() && holder.isAlive();
                if (!ends && (holder.isAlive() || ++doubtful > DOUBTFUL_LOOKS)) {
                    throw new Worker.BusyException(String.valueOf(held.getMessage()));
                }
                if (purpose != null && ends && !told) {
                    LOG.info("Waiting for {} to end, which works on the ledger: {}", purpose.named(), holder.name());
                    told = true;
                }
            }
            pause(stopped);
        }
        return null;
    }

    private static void pause(CompletableFuture<?> stopped) {
        try {
            stopped.get(LOOK_MILLIS, TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            // look again
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            stopped.cancel(false);
        }
    }
}
