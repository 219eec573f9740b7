package dev.oncebox.ledger;

/**
 * What the routes want done after a failed attempt. The ledger carries it out as far as the promise allows: what may
 * have been charged is never repeated as if it were free.
 *
 * @param fallback whether the job's next engine is asked, if there is one, before this call waits in vain or dies
 */
public record NextStep(Kind kind, boolean fallback) {

    /** What follows when a process ended, or a route failed, with the call in flight. */
    public static final NextStep IN_DOUBT = new NextStep(Kind.DOUBT, true);

    /** What to do. */
    public enum Kind {
        /** Repeat it later, as it was not charged, until {@code retry.give-up}. */
        LATER,
        /** Repeat it later, within the job's attempts. */
        AGAIN,
        /** Do what the engine's {@code on-doubt} says. */
        DOUBT,
        /** Give it up. */
        DEAD
    }
}
