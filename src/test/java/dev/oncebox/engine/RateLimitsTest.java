package dev.oncebox.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RateLimitsTest {

    private static final Instant NOW = Instant.parse("2026-11-29T12:00:00Z");

    private static @Nullable RateLimits openAi(String limit, String remaining, String reset) {
        return RateLimits.of(
                "requests",
                Map.of(
                        "x-ratelimit-limit-requests", limit,
                        "x-ratelimit-remaining-requests", remaining,
                        "x-ratelimit-reset-requests", reset),
                NOW);
    }

    private static @Nullable RateLimits anthropic(String reset) {
        return RateLimits.of(
                "tokens",
                Map.of(
                        "anthropic-ratelimit-tokens-limit", "80000",
                        "anthropic-ratelimit-tokens-remaining", "79000",
                        "anthropic-ratelimit-tokens-reset", reset),
                NOW);
    }

    @ParameterizedTest
    @CsvSource({
        "6m0s, 360000",
        "76ms, 76",
        "1h2m3.5s, 3723500",
        "1m, 60000",
        "8.64s, 8640",
        "1d, 86400000",
        "1d2h, 93600000",
        "0s, 0",
        "1.5ms, 1",
        "999us, 0",
        "1500µs, 1",
        "500000000ns, 500",
        "12, 12000",
        "0.25, 250",
        "0, 0",
        "' 7 ', 7000",
    })
    void a_reset_is_a_number_of_seconds_or_says_its_units(String reset, long millis) {
        assertThat(openAi("100", "99", reset)).isEqualTo(new RateLimits(100, 99, Duration.ofMillis(millis)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "999999999",
                "999999999d",
                "999999999h999999999m",
                "9999-12-31T23:59:59Z",
                "+999999999-12-31T23:59:59Z"
            })
    void a_huge_reset_is_cut_to_a_month(String reset) {
        assertThat(openAi("100", "99", reset).reset()).isEqualTo(Duration.ofDays(31));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "-1",
                "-1s",
                "soon",
                "1x",
                "s",
                "1 s",
                "1s ago",
                "s1",
                "1e3",
                "1,5s",
                "0x10",
                "NaN",
                "--",
                "1735689600",
                "1.2.3s",
                "6m0",
                "2026-13-01T00:00:00Z",
                "2026-11-29",
                "1735689600000"
            })
    void nonsense_for_a_reset_counts_as_nothing(String reset) {
        assertThat(openAi("100", "99", reset)).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "-1", "many", "1.5", "1e6", "0x10", "9999999999999999", "9223372036854775808", "٣"})
    void nonsense_for_a_number_counts_as_nothing(String number) {
        assertThat(openAi(number, "1", "1s")).isNull();
        assertThat(openAi("1", number, "1s")).isNull();
    }

    @ParameterizedTest
    @CsvSource({
        "2026-11-29T12:00:30Z, 30000",
        "2026-11-29T12:00:00.250Z, 250",
        "2026-11-29T13:01:00+01:00, 60000",
        "2026-11-29T11:59:59Z, 0",
        "1970-01-01T00:00:00Z, 0",
        "-999999999-01-01T00:00:00Z, 0",
    })
    void an_instant_is_told_from_now_and_one_in_the_past_is_now(String reset, long millis) {
        assertThat(anthropic(reset)).isEqualTo(new RateLimits(80_000, 79_000, Duration.ofMillis(millis)));
    }

    @Test
    void one_of_the_three_alone_says_nothing() {
        Map<String, String> all = Map.of(
                "x-ratelimit-limit-tokens", "10",
                "x-ratelimit-remaining-tokens", "9",
                "x-ratelimit-reset-tokens", "1s");
        assertThat(RateLimits.of("tokens", all, NOW)).isNotNull();
        assertThat(RateLimits.of("requests", all, NOW)).as("of the other kind").isNull();
        for (String name : all.keySet()) {
            Map<String, String> two = new HashMap<>(all);
            two.remove(name);
            assertThat(RateLimits.of("tokens", two, NOW)).as("without " + name).isNull();
        }
    }
}
