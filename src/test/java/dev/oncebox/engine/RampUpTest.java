package dev.oncebox.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class RampUpTest {

    private long now = 17;
    private final RampUp rampUp = new RampUp(64, () -> now);

    @Test
    void before_the_first_answer_the_calls_in_flight_double_every_second_from_the_first_send() {
        rampUp.sending();
        assertThat(rampUp.limit()).isEqualTo(4);
        pass(Duration.ofMillis(1999));
        rampUp.sending();
        assertThat(rampUp.limit()).isEqualTo(8);
        pass(Duration.ofMillis(1));
        assertThat(rampUp.limit()).isEqualTo(16);
        pass(Duration.ofHours(1));
        assertThat(rampUp.limit()).isEqualTo(64);
    }

    @Test
    void an_engine_that_nothing_was_sent_to_for_long_is_not_trusted_for_it() {
        pass(Duration.ofHours(1));
        assertThat(rampUp.limit()).isEqualTo(4);

        rampUp.sending();
        assertThat(rampUp.limit()).isEqualTo(4);
    }

    @Test
    void an_answer_opens_the_way_for_all_and_a_refusal_halves_them() {
        rampUp.sending();
        rampUp.answered();
        assertThat(rampUp.limit()).isEqualTo(64);

        rampUp.refused(2);
        rampUp.refused(1);
        rampUp.refused(0);
        assertThat(rampUp.limit()).as("three in flight that met one trouble").isEqualTo(32);
        rampUp.answered();
        assertThat(rampUp.limit()).isEqualTo(33);
    }

    private void pass(Duration time) {
        now += time.toNanos();
    }
}
