package dev.oncebox.runtime;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** How long an {@code ask} waits, and what ends it before: a signal, or the loss of the ledger. */
final class AskClock {

    private static final long LOOK_MILLIS = 200;
    /** A large batch is not looked at all the time. */
    private static final long LONG_LOOK_MILLIS = 1000;

    private static final long OWN_LOOK_MILLIS = 40;
    /** A worker that was made for this call is given time to send it, however short the waiting was to be. */
    private static final Duration CHANCE = Duration.ofSeconds(3);

    private final long beganNanos = System.nanoTime();
    private final long beganMillis = System.currentTimeMillis();
    private final Duration wait;
    private final CountDownLatch stopped = new CountDownLatch(1);
    private volatile int signal;
    private volatile @Nullable String loss;
    private long workerNanos;
    private @Nullable Long sinceNanos;

    /**
     * Begins to wait.
     *
     * @param wait until this has passed
     */
    AskClock(Duration wait) {
        this.wait = wait;
    }

    /** From now on the first signal stops, and the second ends the process. */
    void listen() {
        new StopSignals().install(number -> {
            signal = number;
            stopped.countDown();
        });
    }

    void lost(String why) {
        loss = why;
        stopped.countDown();
    }

    /** What became of the ledger; null: nothing. */
    @Nullable
    String loss() {
        return loss;
    }

    /** The number of the signal that stopped it; 0: none did. */
    int signal() {
        return signal;
    }

    boolean isStopped() {
        return stopped.getCount() == 0;
    }

    boolean isOver() {
        return isStopped() || left().isZero();
    }

    Duration left() {
        Duration left = wait.minusNanos(System.nanoTime() - beganNanos);
        return left.isNegative() ? Duration.ZERO : left;
    }

    /** Epoch milliseconds. */
    long now() {
        return System.currentTimeMillis();
    }

    /** When the waiting is over, epoch milliseconds. */
    long end() {
        return beganMillis + wait.toMillis();
    }

    void workerStarted() {
        workerNanos = System.nanoTime();
    }

    boolean workerHadItsChance() {
        return System.nanoTime() - workerNanos > CHANCE.toNanos();
    }

    /** Whether something has been so, at every look, for that long. */
    boolean hasLasted(boolean isSo, Duration time) {
        if (!isSo) {
            sinceNanos = null;
            return false;
        }
        sinceNanos = sinceNanos == null ? System.nanoTime() : sinceNanos;
        return System.nanoTime() - sinceNanos >= time.toNanos();
    }

    /** Lets a moment pass before the next look at what others do. */
    void pause(boolean large) {
        pause(large ? LONG_LOOK_MILLIS : LOOK_MILLIS);
    }

    /** Lets a moment pass before the next look at what this process itself does. */
    void pauseShortly(boolean large) {
        pause(large ? LONG_LOOK_MILLIS : OWN_LOOK_MILLIS);
    }

    private void pause(long millis) {
        try {
            stopped.await(millis, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            signal = 2;
            stopped.countDown();
        }
    }
}
