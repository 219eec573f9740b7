package dev.oncebox.ledger;

import java.time.Duration;

/**
 * When calls that an engine takes together are submitted.
 *
 * @param calls as soon as so many wait; never more
 * @param age as soon as one has waited for so long
 * @param bytes of stored requests; a bound of what is held in memory, one call being the least
 */
public record Gathering(int calls, Duration age, long bytes) {

    /** With fewer calls. */
    public Gathering atMost(int places) {
        return new Gathering(Math.min(calls, places), age, bytes);
    }
}
