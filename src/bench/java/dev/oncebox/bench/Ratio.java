package dev.oncebox.bench;

/**
 * A ratio of which nobody says what it should be.
 *
 * @param what is compared with what
 * @param measured a ratio of every round
 * @param detail what was measured in which amounts
 */
record Ratio(String what, Series measured, String detail) {}
