package dev.oncebox.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oncebox.HandTime;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RampUpTest {

    private final HandTime time = new HandTime();

    @ParameterizedTest
    @CsvSource({"1, 1", "3, 3", "4, 4", "5, 4", "500, 4"})
    void few_calls_start_before_the_first_answer_and_never_more_than_configured(int most, int first) {
        assertThat(new RampUp(most, time).limit()).isEqualTo(first);
    }

    @Test
    void the_first_answer_lets_all_of_them_start() {
        var ramp = new RampUp(16, time);
        ramp.answered();
        assertThat(ramp.limit()).isEqualTo(16);
    }

    @Test
    void a_slow_engine_gets_twice_as_many_each_second_without_an_answer() {
        var ramp = new RampUp(100, time);
        ramp.sending();
        int[] expected = {4, 8, 16, 32, 64, 100, 100};
        for (int limit : expected) {
            assertThat(ramp.limit()).isEqualTo(limit);
            time.passMillis(999);
            assertThat(ramp.limit()).isEqualTo(limit);
            time.passMillis(1);
            ramp.sending();
        }
        time.pass(Duration.ofDays(400));
        assertThat(ramp.limit()).isEqualTo(100);
        assertThat(new RampUp(Integer.MAX_VALUE, time).limit()).isEqualTo(4);
    }

    @Test
    void an_engine_that_nothing_was_sent_to_for_long_is_not_trusted_for_it() {
        var ramp = new RampUp(64, time);
        time.pass(Duration.ofHours(1));
        assertThat(ramp.limit()).isEqualTo(4);
        ramp.sending();
        assertThat(ramp.limit()).isEqualTo(4);
    }

    @Test
    void a_failure_before_the_first_answer_ends_the_doubling() {
        var ramp = new RampUp(100, time);
        ramp.failed();
        time.pass(Duration.ofMinutes(1));
        assertThat(ramp.limit()).isEqualTo(4);
        ramp.answered();
        assertThat(ramp.limit()).as("one more for each answer").isEqualTo(5);
    }

    @Test
    void a_failure_after_the_first_answer_changes_nothing() {
        var ramp = new RampUp(16, time);
        ramp.answered();
        ramp.failed();
        assertThat(ramp.limit()).isEqualTo(16);
    }

    @Test
    void a_refusal_halves_and_each_answer_brings_one_back() {
        var ramp = new RampUp(16, time);
        ramp.answered();
        ramp.refused(0);
        assertThat(ramp.limit()).isEqualTo(8);
        for (int limit = 9; limit <= 16; limit++) {
            ramp.answered();
            assertThat(ramp.limit()).isEqualTo(limit);
        }
        ramp.answered();
        assertThat(ramp.limit()).isEqualTo(16);
    }

    @Test
    void those_in_flight_at_the_same_trouble_halve_no_further() {
        var ramp = new RampUp(16, time);
        ramp.answered();
        ramp.refused(15);
        for (int other = 0; other < 15; other++) {
            ramp.refused(14 - other);
            assertThat(ramp.limit()).isEqualTo(8);
        }
        ramp.refused(7);
        assertThat(ramp.limit()).as("new trouble").isEqualTo(4);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 16})
    void refusals_without_end_still_let_one_start(int most) {
        var ramp = new RampUp(most, time);
        for (int n = 0; n < 100; n++) {
            ramp.refused(0);
        }
        assertThat(ramp.limit()).isEqualTo(1);
    }

    @Test
    void an_engine_that_was_left_in_peace_begins_with_one() {
        var ramp = new RampUp(16, time);
        ramp.answered();
        ramp.restart();
        time.pass(Duration.ofMinutes(1));
        assertThat(ramp.limit()).isEqualTo(1);
        ramp.answered();
        assertThat(ramp.limit()).isEqualTo(2);
    }

    @Test
    void whatever_happened_answers_lead_back_to_the_full_number() {
        for (int seed = 0; seed < 200; seed++) {
            var dice = new Random(seed);
            int most = 1 + dice.nextInt(20);
            var ramp = new RampUp(most, time);
            for (int step = 0; step < 60; step++) {
                switch (dice.nextInt(5)) {
                    case 0 -> ramp.answered();
                    case 1 -> ramp.refused(dice.nextInt(most));
                    case 2 -> ramp.failed();
                    case 3 -> ramp.restart();
                    default -> time.passMillis(dice.nextInt(3000));
                }
                assertThat(ramp.limit()).as("seed %s step %s", seed, step).isBetween(1, most);
            }
            for (int n = 0; n < most; n++) {
                ramp.answered();
            }
            assertThat(ramp.limit()).as("seed %s", seed).isEqualTo(most);
        }
    }
}
