package dev.oncebox.ledger;

import java.time.Duration;

/**
 * Why nothing is sent at the moment, to one engine or at all.
 *
 * @param since when it began, epoch milliseconds
 * @param until when it is tried again, epoch milliseconds; 0: not by itself
 * @param reason a sentence for people
 */
public record Pause(State state, long since, long until, String reason) {

    /** The name under which a budget's pause stands; no engine can have it. */
    public static final String BUDGET = "(budget)";

    /** What is waited for. */
    public enum State {
        /** The engine does not answer, or refuses everything: nothing is sent to it until then. */
        OPEN,
        /** One call may show whether the engine answers again. */
        PROBING,
        /** The engine's limit for a time is used up: no fault of it, so that its calls wait for it. */
        LIMITED,
        /** A budget is used up. */
        SPENT
    }

    /** Whether it is not worth waiting for: it lasts that long, or has lasted that long already. */
    public boolean lasts(long now, Duration horizon) {
        boolean inVain = isBroken() && now - since >= horizon.toMillis();
        return until == 0 || until - now > horizon.toMillis() || inVain;
    }

    /** Whether the engine itself is in trouble. */
    public boolean isBroken() {
        return state == State.OPEN || state == State.PROBING;
    }
}
