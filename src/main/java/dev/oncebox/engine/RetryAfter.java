package dev.oncebox.engine;

import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.temporal.ChronoField;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * How long an endpoint asks to wait, in all the ways that endpoints say so: milliseconds ({@code retry-after-ms},
 * {@code x-ms-retry-after-ms}), seconds, also fractional, or one of the three HTTP dates. Nonsense counts as nothing.
 */
final class RetryAfter {

    private static final BigDecimal LONGEST_SECONDS =
            BigDecimal.valueOf(Duration.ofDays(31).toSeconds());
    private static final Pattern NUMBER = Pattern.compile("\\d{1,12}(\\.\\d{1,9})?");

    private static final List<DateTimeFormatter> DATES = List.of(
            DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ENGLISH),
            new DateTimeFormatterBuilder()
                    .appendPattern("EEEE, dd-MMM-")
                    .appendValueReduced(ChronoField.YEAR, 2, 2, 2000)
                    .appendPattern(" HH:mm:ss 'GMT'")
                    .toFormatter(Locale.ENGLISH),
            DateTimeFormatter.ofPattern("EEE MMM ppd HH:mm:ss yyyy", Locale.ENGLISH));

    private RetryAfter() {}

    /**
     * @param headers by lower-case name
     * @param now what a date is compared with
     */
    static @Nullable Duration of(Map<String, String> headers, Instant now) {
        for (String name : List.of("retry-after-ms", "x-ms-retry-after-ms")) {
            Duration wait = number(headers.get(name), 3);
            if (wait != null) {
                return wait;
            }
        }
        String value = headers.get("retry-after");
        Duration seconds = number(value, 0);
        return seconds != null || value == null ? seconds : date(value.strip(), now);
    }

    private static @Nullable Duration number(@Nullable String value, int thousandths) {
        if (value == null || !NUMBER.matcher(value.strip()).matches()) {
            return null;
        }
        BigDecimal seconds =
                new BigDecimal(value.strip()).movePointLeft(thousandths).min(LONGEST_SECONDS);
        return Duration.ofMillis(seconds.movePointRight(3).longValue());
    }

    private static @Nullable Duration date(String value, Instant now) {
        for (DateTimeFormatter format : DATES) {
            try {
                Instant date = LocalDateTime.parse(value, format).toInstant(ZoneOffset.UTC);
                Duration wait = Duration.between(now, date);
                Duration longest = Duration.ofSeconds(LONGEST_SECONDS.longValue());
                return wait.isNegative() ? Duration.ZERO : wait.compareTo(longest) > 0 ? longest : wait;
            } catch (DateTimeException e) {
                continue;
            }
        }
        return null;
    }
}
