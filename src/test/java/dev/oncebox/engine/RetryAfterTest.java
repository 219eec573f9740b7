package dev.oncebox.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RetryAfterTest {

    private static final Instant NOW = Instant.parse("2026-11-29T12:00:00Z");

    private static Duration of(String... headers) {
        return RetryAfter.of(
                headers.length == 2
                        ? Map.of(headers[0], headers[1])
                        : Map.of(headers[0], headers[1], headers[2], headers[3]),
                NOW);
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "1, 1000",
        "61, 61000",
        "600, 600000",
        "86400, 86400000",
        "' 7 ', 7000",
        "0.5, 500",
        "1.25, 1250",
        "2.0, 2000",
        "0.0004, 0",
        "007, 7000"
    })
    void seconds_may_have_a_fraction(String value, long millis) {
        assertThat(of("retry-after", value)).isEqualTo(Duration.ofMillis(millis));
    }

    @ParameterizedTest
    @ValueSource(strings = {"retry-after-ms", "x-ms-retry-after-ms"})
    void milliseconds_win_over_seconds(String name) {
        assertThat(of(name, "250")).isEqualTo(Duration.ofMillis(250));
        assertThat(of(name, "250.7", "retry-after", "60")).isEqualTo(Duration.ofMillis(250));
        assertThat(of(name, "0", "retry-after", "60")).isEqualTo(Duration.ZERO);
        assertThat(of(name, "soon", "retry-after", "60"))
                .as("nonsense does not win")
                .isEqualTo(Duration.ofMinutes(1));
        assertThat(of(name, "-5", "retry-after", "60")).isEqualTo(Duration.ofMinutes(1));
    }

    @Test
    void the_plain_milliseconds_win_over_the_prefixed_ones() {
        assertThat(of("x-ms-retry-after-ms", "9000", "retry-after-ms", "100")).isEqualTo(Duration.ofMillis(100));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "Sun, 29 Nov 2026 12:01:30 GMT | 90",
                "Sunday, 29-Nov-26 12:01:30 GMT | 90",
                "Sun Nov 29 12:01:30 2026 | 90",
                "Tue Dec  1 12:00:00 2026 | 172800",
                "Sun, 29 Nov 2026 11:59:59 GMT | 0",
                "Saturday, 28-Nov-26 12:00:00 GMT | 0",
                "Sun Nov  1 12:00:00 2026 | 0",
                "Sun, 06 Nov 1994 08:49:37 GMT | 0"
            })
    void all_three_http_dates_are_understood_and_the_past_means_now(String date, long seconds) {
        assertThat(of("retry-after", date)).isEqualTo(Duration.ofSeconds(seconds));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "soon",
                "-1",
                "-0.5",
                "1e3",
                "0x10",
                "NaN",
                "Infinity",
                "1,5",
                ".5",
                "5.",
                "60s",
                "1 2",
                "+5",
                "Mon, 29 Nov 2026 12:00:00 GMT",
                "Sun, 31 Nov 2026 12:00:00 GMT",
                "Sun, 29 Nov 2026 25:00:00 GMT",
                "2026-11-29T12:00:00Z",
                "Sun, 29 Nov 2026",
                "٣",
                "12345678901234567890123456789012345678901234567890"
            })
    void nonsense_counts_as_nothing(String value) {
        assertThat(of("retry-after", value)).isNull();
        assertThat(of("retry-after-ms", value)).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"999999999999", "2678401", "999999999999.999999999", "Fri, 31 Dec 9999 23:59:59 GMT"})
    void a_huge_wait_is_a_month(String value) {
        assertThat(of("retry-after", value)).isEqualTo(Duration.ofDays(31));
    }

    @Test
    void no_header_says_nothing() {
        assertThat(RetryAfter.of(Map.of(), NOW)).isNull();
        assertThat(of("retry-after-ms", "999999999999")).isEqualTo(Duration.ofDays(31));
    }
}
