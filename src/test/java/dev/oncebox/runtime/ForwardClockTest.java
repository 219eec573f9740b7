package dev.oncebox.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;

/**
 * The machine's clock was set back by a day while a batch was running. Every call that was dropped before the jump was
 * due "tomorrow", nothing was sent any more, and nobody was told.
 */
class ForwardClockTest {

    private long wall = Duration.ofDays(100).toMillis();
    private long elapsed;

    private final ForwardClock clock = new ForwardClock(
            new Clock() {
                @Override
                public Instant instant() {
                    return Instant.ofEpochMilli(wall);
                }

                @Override
                public ZoneId getZone() {
                    return ZoneOffset.UTC;
                }

                @Override
                public Clock withZone(ZoneId zone) {
                    throw new UnsupportedOperationException();
                }
            },
            () -> Duration.ofMillis(elapsed).toNanos());

    private void pass(Duration time) {
        wall += time.toMillis();
        elapsed += time.toMillis();
    }

    @Test
    void time_goes_on_at_its_pace_when_the_clock_is_set_back_again_and_again() {
        long begin = clock.millis();
        for (int n = 1; n <= 3; n++) {
            wall -= Duration.ofDays(1).toMillis();
            pass(Duration.ofSeconds(10));
            assertThat(clock.millis()).isEqualTo(begin + n * 10_000L);
        }
        assertThat(clock.instant().toEpochMilli()).isEqualTo(begin + 30_000);
    }

    @Test
    void a_clock_that_is_set_forth_is_followed_and_not_when_it_is_put_right_again() {
        long begin = clock.millis();
        wall += Duration.ofDays(1).toMillis();
        assertThat(clock.millis()).isEqualTo(begin + Duration.ofDays(1).toMillis());
        wall -= Duration.ofDays(1).toMillis();
        pass(Duration.ofSeconds(5));
        assertThat(clock.millis()).isEqualTo(begin + Duration.ofDays(1).toMillis() + 5_000);
    }

    @Test
    void small_corrections_of_the_machine_are_followed() {
        long begin = clock.millis();
        wall -= 300;
        assertThat(clock.millis()).isEqualTo(begin - 300);
    }
}
