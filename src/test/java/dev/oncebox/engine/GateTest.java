package dev.oncebox.engine;

import static dev.oncebox.engine.Limits.BUSY;
import static dev.oncebox.engine.Limits.NO_CREDIT;
import static dev.oncebox.engine.Limits.RETRY;
import static dev.oncebox.engine.Limits.UNKNOWN;
import static dev.oncebox.engine.Limits.UNSENT;
import static dev.oncebox.engine.Limits.VALID;
import static dev.oncebox.engine.Limits.call;
import static dev.oncebox.engine.Limits.settings;
import static dev.oncebox.engine.Limits.used;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.oncebox.HandTime;
import dev.oncebox.ledger.Pause;
import dev.oncebox.ledger.Verdict;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GateTest {

    private final HandTime time = new HandTime();

    private Gate gate(int concurrency, @Nullable Long requests, @Nullable Long tokens) {
        return new Gate(settings(concurrency, requests, tokens), RETRY, time, time);
    }

    private Gate warm(int concurrency, @Nullable Long requests, @Nullable Long tokens) {
        Gate gate = gate(concurrency, requests, tokens);
        assertThat(gate.take(1)).isEqualTo(1);
        gate.expect(call(0), 0);
        gate.settled(call(0), used(0, 0));
        return gate;
    }

    private static Map<String, String> says(String kind, String limit, String remaining, String reset) {
        return Map.of(
                "x-ratelimit-limit-" + kind, limit,
                "x-ratelimit-remaining-" + kind, remaining,
                "x-ratelimit-reset-" + kind, reset);
    }

    @Test
    void no_more_start_than_there_are_places() {
        Gate gate = warm(5, null, null);
        assertThat(gate.take(64)).isEqualTo(5);
        assertThat(gate.take(64)).isZero();
        gate.giveBack(2);
        assertThat(gate.take(64)).isEqualTo(2);
        gate.settled(call(1), VALID);
        assertThat(gate.take(64)).isEqualTo(1);
    }

    @Test
    void an_engine_that_was_idle_since_the_start_is_still_asked_by_few_at_first() {
        Gate gate = gate(100, null, null);
        for (int look = 0; look < 40; look++) {
            time.passMillis(250);
            gate.giveBack(gate.take(64));
        }
        assertThat(gate.take(64)).isEqualTo(4);
        gate.expect(call(1), 10);
        time.pass(Duration.ofSeconds(1));
        assertThat(gate.take(64)).as("a slow engine").isEqualTo(4);
    }

    @Test
    void an_opened_gate_lets_one_through_once_all_are_back_that_were_sent_before() {
        Gate gate = warm(6, null, null);
        assertThat(gate.take(64)).isEqualTo(6);
        gate.settled(call(1), NO_CREDIT);
        time.pass(Duration.ofHours(1));
        assertThat(gate.pause().state()).isEqualTo(Pause.State.PROBING);
        gate.settled(call(2), VALID);
        gate.settled(call(3), UNKNOWN);
        assertThat(gate.take(64)).as("three are out there").isZero();
        gate.giveBack(2);
        gate.settled(call(4), NO_CREDIT);

        assertThat(gate.take(64)).isEqualTo(1);
        assertThat(gate.take(64)).isZero();
        gate.giveBack(1);
        assertThat(gate.take(64)).as("unused, so another one").isEqualTo(1);
        gate.settled(call(5), VALID);
        assertThat(gate.pause()).isNull();
        assertThat(gate.take(64)).isEqualTo(2);
    }

    @Test
    void an_engine_that_was_left_in_peace_when_the_last_process_ended_is_probed() {
        Gate gate = gate(16, null, null);
        gate.probe(new Pause(Pause.State.OPEN, 5, time.millis() + 1_000_000, "No."));
        assertThat(gate.take(64)).isEqualTo(1);
        assertThat(gate.take(64)).isZero();
        gate.settled(call(1), NO_CREDIT);
        assertThat(gate.take(64)).isZero();
        time.pass(RETRY.maxDelay());
        assertThat(gate.take(64)).isEqualTo(1);
    }

    @Test
    void requests_that_were_not_sent_do_not_count() {
        Gate gate = warm(64, 600L, null);
        time.pass(Duration.ofMinutes(1));
        for (int look = 0; look < 50; look++) {
            assertThat(gate.take(64)).isEqualTo(30);
            gate.giveBack(30);
        }
        assertThat(gate.take(64)).isEqualTo(30);
        assertThat(gate.take(64)).isZero();
    }

    @Test
    void tokens_are_counted_as_they_were_used_once_that_is_known() {
        Gate gate = warm(64, null, 200_000L);
        time.pass(Duration.ofMinutes(1));
        assertThat(gate.take(1)).isEqualTo(1);
        gate.expect(call(1), 50_000);
        assertThat(gate.take(64)).as("a debt").isZero();
        gate.settled(call(1), used(1000, 500));
        assertThat(gate.take(64)).isPositive();
    }

    @Test
    void what_was_refused_or_not_sent_used_no_tokens() {
        for (Verdict free : List.of(UNSENT, BUSY)) {
            Gate gate = warm(64, null, 20_000L);
            time.pass(Duration.ofMinutes(1));
            assertThat(gate.take(1)).isEqualTo(1);
            gate.expect(call(1), 500_000);
            gate.settled(call(1), free);
            assertThat(gate.take(1)).as("%s", free).isEqualTo(1);
        }
    }

    /** Between the two, other calls change what a call is thought to take. */
    @Test
    void no_more_tokens_are_given_back_than_were_taken() {
        Gate gate = gate(64, null, 200_000L);
        assertThat(gate.take(1)).isEqualTo(1);
        gate.settled(call(1), used(500, 500));
        assertThat(gate.take(1)).isEqualTo(1);
        int more = gate.take(64);
        assertThat(more).isGreaterThan(5);
        gate.expect(call(2), 9_000);
        gate.giveBack(more);
        assertThat(gate.take(64)).as("nothing is left of 10,000").isEqualTo(0);
    }

    @Test
    void the_engines_own_word_is_followed_and_replies_without_one_change_nothing() {
        Gate gate = warm(64, null, null);
        gate.take(10);
        gate.heard(says("requests", "100", "12", "60s"), time.instant());
        assertThat(gate.take(64)).as("12, and 9 are under way").isEqualTo(3);
        gate.heard(Map.of(), time.instant());
        gate.heard(says("requests", "0", "0", "0s"), time.instant());
        assertThat(gate.take(64)).isZero();
        time.pass(Duration.ofMinutes(2));
        assertThat(gate.take(64)).isEqualTo(51);
    }

    @Test
    void a_call_is_not_counted_twice_once_its_reply_says_what_is_left() {
        Gate gate = warm(1, null, null);
        gate.heard(says("tokens", "10000", "10000", "0s"), time.instant());
        for (int n = 1; n <= 20; n++) {
            assertThat(gate.take(1)).as("call %s", n).isEqualTo(1);
            gate.expect(call(n), 8_000);
            gate.heard(says("tokens", "10000", "9000", "6s"), time.instant());
            gate.settled(call(n), n % 2 == 0 ? used(900, 100) : VALID);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"999999999999999", "60000000001", "1000000000", "1", "0"})
    void no_header_is_a_failure(String limit) {
        Gate gate = warm(8, 60L, 60L);
        gate.take(1);
        for (String reset : List.of("0s", "1ms", "999999999d", "+999999999-12-31T23:59:59Z", "x")) {
            for (String kind : List.of("requests", "tokens")) {
                assertThatCode(() -> gate.heard(says(kind, limit, limit, reset), time.instant()))
                        .doesNotThrowAnyException();
                assertThatCode(() -> gate.heard(says(kind, limit, "0", reset), time.instant()))
                        .doesNotThrowAnyException();
            }
        }
    }
}
