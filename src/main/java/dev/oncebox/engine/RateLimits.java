package dev.oncebox.engine;

import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What an endpoint says of its limits in a reply's headers: {@code x-ratelimit-{limit,remaining,reset}-{requests,tokens}}
 * with resets such as {@code 6m0s}, {@code 76ms} or seconds, and {@code anthropic-ratelimit-{requests,tokens}-…} with
 * instants. Nonsense counts as nothing.
 *
 * @param limit how much is allowed in all
 * @param remaining how much of it is left
 * @param reset until all of it is there again
 */
record RateLimits(long limit, long remaining, Duration reset) {

    private static final Duration LONGEST = Duration.ofDays(31);
    private static final Pattern NUMBER = Pattern.compile("\\d{1,15}");
    private static final Pattern SECONDS = Pattern.compile("\\d{1,9}(\\.\\d{1,9})?");
    private static final Pattern PARTS = Pattern.compile("(\\d{1,9}(?:\\.\\d{1,9})?)(ms|us|µs|ns|d|h|m|s)");
    private static final Map<String, BigDecimal> NANOS = Map.of(
            "ns", BigDecimal.ONE,
            "us", new BigDecimal("1000"),
            "µs", new BigDecimal("1000"),
            "ms", new BigDecimal("1000000"),
            "s", new BigDecimal("1000000000"),
            "m", new BigDecimal("60000000000"),
            "h", new BigDecimal("3600000000000"),
            "d", new BigDecimal("86400000000000"));

    /**
     * @param kind {@code requests} or {@code tokens}
     * @param headers by lower-case name
     */
    static @Nullable RateLimits of(String kind, Map<String, String> headers, Instant now) {
        RateLimits openAi = read(
                headers,
                List.of("x-ratelimit-limit-" + kind, "x-ratelimit-remaining-" + kind, "x-ratelimit-reset-" + kind),
                now);
        String anthropic = "anthropic-ratelimit-" + kind;
        return openAi != null
                ? openAi
                : read(headers, List.of(anthropic + "-limit", anthropic + "-remaining", anthropic + "-reset"), now);
    }

    private static @Nullable RateLimits read(Map<String, String> headers, List<String> names, Instant now) {
        Long limit = number(headers.get(names.get(0)));
        Long remaining = number(headers.get(names.get(1)));
        Duration reset = reset(headers.get(names.get(2)), now);
        return limit == null || remaining == null || reset == null ? null : new RateLimits(limit, remaining, reset);
    }

    private static @Nullable Long number(@Nullable String value) {
        return value != null && NUMBER.matcher(value.strip()).matches() ? Long.valueOf(value.strip()) : null;
    }

    private static @Nullable Duration reset(@Nullable String value, Instant now) {
        if (value == null) {
            return null;
        }
        String text = value.strip();
        if (SECONDS.matcher(text).matches()) {
            return millis(new BigDecimal(text).movePointRight(3));
        }
        Matcher parts = PARTS.matcher(text);
        BigDecimal nanos = BigDecimal.ZERO;
        int end = 0;
        while (parts.find() && parts.start() == end) {
            nanos = nanos.add(new BigDecimal(parts.group(1)).multiply(NANOS.get(parts.group(2))));
            end = parts.end();
        }
        if (end > 0 && end == text.length()) {
            return millis(nanos.movePointLeft(6));
        }
        try {
            Duration until = Duration.between(now, OffsetDateTime.parse(text).toInstant());
            return until.isNegative() ? Duration.ZERO : until.compareTo(LONGEST) > 0 ? LONGEST : until;
        } catch (DateTimeException e) {
            return null;
        }
    }

    private static Duration millis(BigDecimal millis) {
        return Duration.ofMillis(
                millis.min(BigDecimal.valueOf(LONGEST.toMillis())).longValue());
    }
}
