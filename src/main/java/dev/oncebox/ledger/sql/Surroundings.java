package dev.oncebox.ledger.sql;

import dev.oncebox.ledger.Policy;
import java.time.Clock;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/**
 * What a ledger needs to know of its surroundings.
 *
 * @param policies the rules for settling a call
 * @param keyVersion the version of the keys that intake makes
 * @param random for jitter
 * @param onLost told why when the ledger can no longer be trusted; nothing is sent from then on
 * @param lease how long this node counts as living after its last sign of life, where it shares the ledger
 */
public record Surroundings(
        Policy.Source policies,
        int keyVersion,
        Clock clock,
        RandomGenerator random,
        Consumer<String> onLost,
        Duration lease) {

    /** With the usual lease. */
    public Surroundings(
            Policy.Source policies, int keyVersion, Clock clock, RandomGenerator random, Consumer<String> onLost) {
        this(policies, keyVersion, clock, random, onLost, Heartbeat.LEASE);
    }
}
