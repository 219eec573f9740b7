package dev.oncebox.ledger;

/**
 * A ledger that is a copy of an earlier one.
 *
 * @param madeAt when the copy was made, epoch milliseconds, to the minute
 * @param held how many calls waited then, may have been sent since, and are in doubt now
 */
public record Restored(long madeAt, int held) {}
