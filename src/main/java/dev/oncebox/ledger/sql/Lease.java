package dev.oncebox.ledger.sql;

import dev.oncebox.ledger.LedgerException;
import dev.oncebox.ledger.Share;
import java.time.Clock;
import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * This node's own doubts whether the others still take it for living. It stops sending at half its lease, by whichever
 * of two clocks says so first: one may be set, and the other may stand still while the machine sleeps.
 */
final class Lease {

    private final Duration length;
    private final Duration half;
    private final boolean forEver;
    private final Clock clock;
    private final LongSupplier nanoTime;
    private volatile Membership membership = new Membership(0, Share.ALL);
    private volatile Renewal last;
    private volatile Renewal entered;

    private record Renewal(long nanos, long millis) {}

    /**
     * @param sharing where a node is alone, its lease does not run out: a lock of the operating system stands for it
     */
    Lease(Duration length, Sharing sharing, Clock clock, LongSupplier nanoTime) {
        this.length = length;
        this.half = length.dividedBy(2);
        this.forEver = sharing == Sharing.ALONE;
        this.clock = clock;
        this.nanoTime = nanoTime;
        this.last = now();
        this.entered = last;
    }

    /**
     * A node among the others.
     *
     * @param node its number
     */
    record Membership(long node, Share share) {}

    private Renewal now() {
        return new Renewal(nanoTime.getAsLong(), clock.millis());
    }

    Duration length() {
        return length;
    }

    /** The number under which this process is known now; another one after it was taken for dead. */
    long node() {
        return membership.node();
    }

    /** Every node that sends has beaten within half a lease, and has seen by then who entered before. */
    Share share() {
        Share share = membership.share();
        boolean known = nanoTime.getAsLong() - entered.nanos() >= half.toNanos();
        return share.nodes() == 1 || known ? share : new Share(-1, share.nodes());
    }

    @FunctionalInterface
    interface Beat {
        /** Returns what is durable. */
        Membership make();
    }

    /** The lease counts from before the beat was made: how long that took is not known. */
    void renew(Beat beat) {
        Renewal begun = now();
        Membership made = beat.make();
        if (made.node() != membership.node()) {
            entered = now();
        }
        membership = made;
        last = begun;
    }

    boolean isHeld() {
        Renewal then = last;
        return forEver
                || nanoTime.getAsLong() - then.nanos() < half.toNanos()
                        && clock.millis() - then.millis() < half.toMillis();
    }

    /** @throws LedgerException when nothing may be sent by this node, until it has been heard of again */
    void require() {
        if (!isHeld()) {
            throw new LedgerException(
                    "The lease of this node has run out: it was paused, or could not reach the ledger for a while.",
                    true,
                    new IllegalStateException("lease"));
        }
    }
}
