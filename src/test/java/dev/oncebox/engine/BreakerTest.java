package dev.oncebox.engine;

import static dev.oncebox.engine.Limits.BAD_REQUEST;
import static dev.oncebox.engine.Limits.BUSY;
import static dev.oncebox.engine.Limits.CUT;
import static dev.oncebox.engine.Limits.MISFIT;
import static dev.oncebox.engine.Limits.NOT_JSON;
import static dev.oncebox.engine.Limits.NO_CREDIT;
import static dev.oncebox.engine.Limits.RETRY;
import static dev.oncebox.engine.Limits.UNKNOWN;
import static dev.oncebox.engine.Limits.UNSENT;
import static dev.oncebox.engine.Limits.UNUSABLE;
import static dev.oncebox.engine.Limits.VALID;
import static dev.oncebox.engine.Limits.refused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.oncebox.HandTime;
import dev.oncebox.ledger.Pause;
import dev.oncebox.ledger.Verdict;
import dev.oncebox.ledger.Verdict.Refused.Cause;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class BreakerTest {

    private final HandTime time = new HandTime();
    private final Breaker breaker = new Breaker("e", RETRY, time);

    private boolean settle(Verdict verdict) {
        assertThat(breaker.take(1)).isEqualTo(1);
        return breaker.settled(verdict);
    }

    private void pass(long seconds) {
        time.passMillis(seconds * 1000 + 1);
    }

    @Test
    void a_closed_one_lets_everything_through() {
        assertThat(breaker.take(64)).isEqualTo(64);
        assertThat(breaker.take(0)).isZero();
        assertThat(breaker.pause()).isNull();
    }

    @Test
    void a_refusal_of_the_account_opens_it_at_once() {
        assertThat(settle(NO_CREDIT)).isTrue();
        assertThat(breaker.take(1)).isZero();
        Pause pause = breaker.pause();
        assertThat(pause.state()).isEqualTo(Pause.State.OPEN);
        assertThat(pause.since()).isEqualTo(time.millis());
        assertThat(pause.until()).isEqualTo(time.millis() + 1000);
        assertThat(pause.reason()).isEqualTo("No.");
    }

    @Test
    void other_failures_open_it_when_eight_came_in_a_row() {
        for (Verdict failure : List.of(BUSY, UNSENT, UNKNOWN, CUT)) {
            var other = new Breaker("e", RETRY, time);
            for (int n = 1; n < 8; n++) {
                other.take(1);
                assertThat(other.settled(failure)).as("%s %s", failure, n).isFalse();
            }
            assertThat(other.pause()).isNull();
            other.take(1);
            assertThat(other.settled(failure)).isTrue();
            assertThat(other.pause().state()).isEqualTo(Pause.State.OPEN);
        }
    }

    @Test
    void an_engine_that_answers_now_and_then_is_not_left_in_peace() {
        for (Verdict answer : List.of(VALID, UNUSABLE, BAD_REQUEST, MISFIT, NOT_JSON)) {
            for (int n = 0; n < 7; n++) {
                settle(BUSY);
            }
            assertThat(settle(answer)).isFalse();
        }
        assertThat(breaker.pause()).isNull();
    }

    @Test
    void each_opening_in_a_row_lasts_twice_as_long_up_to_the_longest() {
        long begun = time.millis();
        settle(NO_CREDIT);
        for (long wait : new long[] {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 600, 600}) {
            assertThat(breaker.pause().until() - time.millis()).isEqualTo(wait * 1000);
            assertThat(breaker.pause().since()).as("since the first").isEqualTo(begun);
            time.passMillis(wait * 1000 - 1);
            assertThat(breaker.take(1)).isZero();
            assertThat(breaker.pause().state()).isEqualTo(Pause.State.OPEN);
            time.passMillis(2);
            assertThat(breaker.pause().state()).isEqualTo(Pause.State.PROBING);
            assertThat(settle(NO_CREDIT)).isTrue();
        }
        pass(600);
        settle(VALID);
        assertThat(breaker.pause()).isNull();
        settle(NO_CREDIT);
        assertThat(breaker.pause().until() - time.millis()).as("from the start").isEqualTo(1000);
    }

    @Test
    void it_stays_open_as_long_as_the_endpoint_asks_and_the_next_time_no_longer_than_that_says() {
        settle(refused(Cause.ENGINE, Duration.ofDays(1)));
        assertThat(breaker.pause().until() - time.millis()).isEqualTo(86_400_000);
        time.pass(Duration.ofDays(1));
        assertThat(breaker.take(1)).as("not before it is over").isZero();
        time.passMillis(1);
        settle(refused(Cause.ENGINE, Duration.ZERO));
        assertThat(breaker.pause().until() - time.millis()).isEqualTo(2000);
    }

    @Test
    void exactly_one_call_probes_and_an_answer_closes_it() {
        settle(NO_CREDIT);
        pass(1);
        assertThat(breaker.take(64)).isEqualTo(1);
        assertThat(breaker.take(64)).isZero();
        time.pass(Duration.ofDays(2));
        assertThat(breaker.take(64)).as("while the probe is under way").isZero();
        assertThat(breaker.pause().state()).isEqualTo(Pause.State.PROBING);

        assertThat(breaker.settled(VALID)).isFalse();

        assertThat(breaker.pause()).isNull();
        assertThat(breaker.take(64)).isEqualTo(64);
    }

    @Test
    void a_single_failure_of_the_probe_opens_it_again() {
        settle(NO_CREDIT);
        pass(1);
        assertThat(settle(UNKNOWN)).isTrue();
        assertThat(breaker.take(1)).isZero();
    }

    @Test
    void a_probe_that_is_given_back_unused_lets_another_one_through() {
        settle(NO_CREDIT);
        pass(1);
        for (int n = 0; n < 20; n++) {
            assertThat(breaker.take(64)).isEqualTo(1);
            breaker.giveBack(1);
        }
        assertThat(breaker.take(64)).isEqualTo(1);
    }

    @Test
    void late_replies_of_calls_that_were_sent_before_say_nothing_while_it_is_open() {
        breaker.take(5);
        breaker.settled(NO_CREDIT);
        long until = breaker.pause().until();
        for (Verdict late : List.of(NO_CREDIT, UNKNOWN, VALID, refused(Cause.ENGINE, Duration.ofDays(1)))) {
            assertThat(breaker.settled(late)).isFalse();
        }
        assertThat(breaker.pause().until()).isEqualTo(until);
        assertThat(breaker.take(1)).isZero();
        pass(1);
        assertThat(breaker.take(9)).isEqualTo(1);
    }

    @Test
    void a_process_that_ended_while_it_was_open_is_followed_by_one_with_a_single_probe() {
        breaker.probe(new Pause(Pause.State.OPEN, 1, time.millis() + 999_999, "No credit."));
        assertThat(breaker.pause().state()).isEqualTo(Pause.State.PROBING);
        assertThat(breaker.pause().reason()).isEqualTo("No credit.");
        assertThat(breaker.take(64)).isEqualTo(1);
        assertThat(breaker.take(64)).isZero();
        breaker.settled(VALID);
        assertThat(breaker.take(64)).isEqualTo(64);
    }

    @Test
    void whatever_happens_it_lets_a_call_through_in_the_end() {
        List<Verdict> verdicts = List.of(
                VALID, BUSY, NO_CREDIT, UNSENT, UNKNOWN, CUT, BAD_REQUEST, refused(Cause.BUSY, Duration.ofHours(3)));
        for (int seed = 0; seed < 300; seed++) {
            var dice = new Random(seed);
            var any = new Breaker("e", RETRY, time);
            int under = 0;
            for (int step = 0; step < 120; step++) {
                switch (dice.nextInt(4)) {
                    case 0 -> under += any.take(1 + dice.nextInt(4));
                    case 1 -> {
                        if (under > 0) {
                            any.settled(verdicts.get(dice.nextInt(verdicts.size())));
                            under--;
                        }
                    }
                    case 2 -> {
                        if (under > 0) {
                            any.giveBack(1);
                            under--;
                        }
                    }
                    default -> time.passMillis(dice.nextInt(4_000));
                }
            }
            for (; under > 0; under--) {
                if (dice.nextBoolean()) {
                    any.giveBack(1);
                } else {
                    any.settled(NO_CREDIT);
                }
            }
            time.pass(Duration.ofDays(1));
            assertThat(any.take(1)).as("seed %s", seed).isEqualTo(1);
            any.settled(VALID);
            assertThat(any.pause()).as("seed %s", seed).isNull();
            assertThat(any.take(64)).as("seed %s", seed).isEqualTo(64);
        }
    }
}
