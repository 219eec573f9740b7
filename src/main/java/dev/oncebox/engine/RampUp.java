package dev.oncebox.engine;

import java.util.function.LongSupplier;

/**
 * How many calls may be in flight at an engine: few until it has answered once, all it is configured for while it does,
 * half of them after a refusal, and one more for each answer from then on. Before the first answer the number doubles every
 * second after the first send without a failure, so that a slow engine need not answer first.
 */
final class RampUp {

    private static final int FIRST = 4;
    private static final long NANOS = 1_000_000_000L;

    private final int most;
    private final boolean steady;
    private final LongSupplier nanoTime;
    private long begun;
    private boolean sending;
    private int limit;
    private boolean answered;
    private boolean failed;
    /** Those in flight when the limit was halved met the same trouble; their refusals say nothing new. */
    private int sameTrouble;

    RampUp(int most, LongSupplier nanoTime) {
        this(most, FIRST, nanoTime);
    }

    private RampUp(int most, int first, LongSupplier nanoTime) {
        this.most = most;
        this.steady = first == most;
        this.nanoTime = nanoTime;
        this.limit = Math.min(most, first);
    }

    /** As many at once as there may be: they are one request. */
    static RampUp none(int most, LongSupplier nanoTime) {
        return new RampUp(most, most, nanoTime);
    }

    int limit() {
        if (steady) {
            return most;
        }
        if (answered || failed || !sending) {
            return limit;
        }
        long seconds = Math.min((nanoTime.getAsLong() - begun) / NANOS, 20);
        return (int) Math.min(most, (long) FIRST << seconds);
    }

    /** A call is about to be sent. How long nobody sent one says nothing of the engine. */
    void sending() {
        if (!sending) {
            begun = nanoTime.getAsLong();
            sending = true;
        }
    }

    void answered() {
        limit = failed ? Math.min(most, limit + 1) : most;
        answered = true;
        failed &= limit < most;
        sameTrouble = Math.max(0, sameTrouble - 1);
    }

    /**
     * The engine refused a call because it is too much for it.
     *
     * @param inFlight how many others are in flight
     */
    void refused(int inFlight) {
        if (sameTrouble > 0) {
            sameTrouble--;
            return;
        }
        limit = Math.max(1, limit() / 2);
        failed = true;
        sameTrouble = inFlight;
    }

    /** The engine was left in peace: it is asked by one call at first. */
    void restart() {
        limit = 1;
        failed = true;
        sameTrouble = 0;
    }

    /** Some other failure: no more before the first answer than there are. */
    void failed() {
        if (!answered && !failed) {
            limit = Math.min(limit(), FIRST);
            failed = true;
        }
        sameTrouble = Math.max(0, sameTrouble - 1);
    }
}
