package dev.oncebox.config;

import java.time.Duration;

/**
 * When a call is tried again: exponential backoff with full jitter.
 *
 * @param delay the first backoff
 * @param multiplier how much longer each further one may be
 * @param maxDelay no backoff is longer
 * @param giveUp how long refusals that cost nothing are repeated
 */
public record Retry(Duration delay, double multiplier, Duration maxDelay, Duration giveUp) {

    /** The longest backoff, in milliseconds, after so many failures in a row. */
    public long ceilingMillis(int failures) {
        double grown = delay.toMillis() * Math.pow(multiplier, Math.max(0, failures - 1));
        return (long) Math.min(grown, maxDelay.toMillis());
    }
}
