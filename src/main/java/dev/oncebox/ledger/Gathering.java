package dev.oncebox.ledger;

import java.time.Duration;

/**
 * When calls that an engine takes together are submitted.
 *
 * @param calls as soon as so many wait; never more
 * @param age as soon as one has waited for so long
 */
public record Gathering(int calls, Duration age) {}
