package dev.oncebox.config;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Typed access to a set of properties; a value that does not fit is refused with its place and an example. */
public final class Values {

    private static final Pattern DURATION = Pattern.compile("(\\d+)\\s*(ms|s|m|h|d)");
    /** Longer ones are slips, and do not fit where milliseconds or seconds are counted. */
    private static final Duration LONGEST = Duration.ofDays(366);

    private static final Pattern STATUSES = Pattern.compile("([45]\\d\\d)(?:\\s*-\\s*([45]\\d\\d))?");
    private static final long LARGEST_COUNT = 1_000_000_000_000L;
    private static final int MOST_PRICE_DIGITS = 9;
    private static final Pattern SIZE = Pattern.compile("(\\d+)\\s*(B|KB|MB|GB)?", Pattern.CASE_INSENSITIVE);

    private final UnaryOperator<@Nullable String> lookup;
    private final UnaryOperator<String> where;
    private final Problems problems;

    /**
     * @param lookup property name to its value, or null
     * @param where property name to the place that a person should look at
     * @param problems what does not fit is added to; its default, or another value that fits, stands for it
     */
    public Values(UnaryOperator<@Nullable String> lookup, UnaryOperator<String> where, Problems problems) {
        this.lookup = lookup;
        this.where = where;
        this.problems = problems;
    }

    public @Nullable String text(String name) {
        String value = lookup.apply(name);
        return value == null || value.isEmpty() ? null : value;
    }

    public String text(String name, String otherwise) {
        String value = text(name);
        return value == null ? otherwise : value;
    }

    /** Durations are written {@code 250ms}, {@code 2s}, {@code 10m}, {@code 24h}, {@code 30d}. */
    public Duration duration(String name, String otherwise) {
        return parse(name, otherwise, "a duration such as 250ms, 2s, 10m, 24h or 30d", Values::parseDuration);
    }

    /** A duration that something may take, which is never none. */
    public Duration limit(String name, String otherwise) {
        return parse(name, otherwise, "a duration above zero, such as 10s or 2m", text -> {
            Duration limit = parseDuration(text);
            if (limit.isZero()) {
                throw new IllegalArgumentException();
            }
            return limit;
        });
    }

    public long size(String name, String otherwise) {
        return parse(name, otherwise, "a size such as 500KB or 16MB", Values::parseSize);
    }

    public int positive(String name, int otherwise) {
        return parse(name, String.valueOf(otherwise), "a whole number above 0", text -> {
            int number = Integer.parseInt(text);
            if (number < 1) {
                throw new IllegalArgumentException();
            }
            return number;
        });
    }

    /** A number of things that there may be; null when it is not limited. */
    public @Nullable Long count(String name) {
        return text(name) == null
                ? null
                : parse(name, "1", "a whole number above 0", text -> {
                    long number = Long.parseLong(text);
                    if (number < 1 || number > LARGEST_COUNT) {
                        throw new IllegalArgumentException();
                    }
                    return number;
                });
    }

    /** A sum of money; null when it is not limited. */
    public @Nullable BigDecimal amount(String name) {
        BigDecimal amount = price(name);
        if (amount != null && amount.signum() == 0) {
            throw new ConfigException(where.apply(name) + ": " + name + " must be above 0, such as 25 or 0.5.");
        }
        return amount;
    }

    public double factor(String name, double otherwise) {
        return parse(name, String.valueOf(otherwise), "a number of 1 or more, such as 2 or 1.5", text -> {
            double number = Double.parseDouble(text);
            if (!(number >= 1 && number <= 1000)) {
                throw new IllegalArgumentException();
            }
            return number;
        });
    }

    /** A part of a whole, above 0 and up to 1. */
    public BigDecimal share(String name, String otherwise) {
        return parse(name, otherwise, "a number above 0 and up to 1, such as 0.5", text -> {
            var share = new BigDecimal(text);
            if (share.signum() <= 0 || share.compareTo(BigDecimal.ONE) > 0) {
                throw new IllegalArgumentException();
            }
            return share;
        });
    }

    public boolean flag(String name, boolean otherwise) {
        return parse(name, String.valueOf(otherwise), "true or false", text -> {
            if (!Set.of("true", "false").contains(text)) {
                throw new IllegalArgumentException();
            }
            return Boolean.valueOf(text);
        });
    }

    /** A price per million tokens; null when it is not known. */
    public @Nullable BigDecimal price(String name) {
        return text(name) == null
                ? null
                : parse(name, "0", "a price such as 0.15", text -> {
                    BigDecimal price = new BigDecimal(text);
                    boolean huge = price.precision() - price.scale() > MOST_PRICE_DIGITS;
                    if (price.signum() < 0 || huge || price.precision() > 15 || price.scale() > 9) {
                        throw new IllegalArgumentException();
                    }
                    return price;
                });
    }

    /** Statuses of errors and ranges of them; none when left out. */
    public Set<Integer> statuses(String name) {
        return parse(name, "", "statuses from 400 to 599 and ranges of them, such as 502,504,520-527", text -> {
            Set<Integer> statuses = new TreeSet<>();
            for (String part : text.isEmpty() ? new String[0] : text.split(",", -1)) {
                Matcher matcher = STATUSES.matcher(part.strip());
                if (!matcher.matches()) {
                    throw new IllegalArgumentException();
                }
                int first = Integer.parseInt(matcher.group(1));
                int last = matcher.group(2) == null ? first : Integer.parseInt(matcher.group(2));
                if (last < first) {
                    throw new IllegalArgumentException();
                }
                IntStream.rangeClosed(first, last).forEach(statuses::add);
            }
            return Collections.unmodifiableSet(statuses);
        });
    }

    public <E extends Enum<E>> E choice(String name, E otherwise) {
        Map<String, E> choices = choices(otherwise.getDeclaringClass());
        String shape = "one of " + String.join(", ", choices.keySet());
        return parse(name, written(otherwise), shape, text -> chosen(text, choices));
    }

    /** Several with commas between them; none when it is not set. */
    public <E extends Enum<E>> Set<E> choices(String name, Class<E> type) {
        if (text(name) == null) {
            return Set.of();
        }
        Map<String, E> choices = choices(type);
        String shape = "one or more of " + String.join(", ", choices.keySet()) + ", with commas";
        return parse(name, "", shape, text -> {
            Set<E> chosen = EnumSet.noneOf(type);
            for (String part : text.isEmpty() ? new String[0] : text.split(",", -1)) {
                chosen.add(chosen(part.strip(), choices));
            }
            return Collections.unmodifiableSet(chosen);
        });
    }

    private static <E extends Enum<E>> Map<String, E> choices(Class<E> type) {
        return Stream.of(type.getEnumConstants())
                .collect(Collectors.toMap(Values::written, e -> e, (a, b) -> a, TreeMap::new));
    }

    private static <E> E chosen(String text, Map<String, E> choices) {
        E choice = choices.get(text);
        if (choice == null) {
            throw new IllegalArgumentException();
        }
        return choice;
    }

    private static String written(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private <T> T parse(String name, String otherwise, String shape, Function<String, T> parser) {
        String value = text(name, otherwise);
        try {
            return parser.apply(value);
        } catch (IllegalArgumentException | ArithmeticException e) {
            problems.add(where.apply(name) + ": " + name + " is \"" + value + "\", but must be " + shape + ".");
            return parser.apply(otherwise);
        }
    }

    /** Parses a duration as users write them; also used for command line options. */
    public static Duration parseDuration(String text) {
        Matcher matcher = DURATION.matcher(text);
        if (!matcher.matches()) {
            throw new IllegalArgumentException("a duration is written 250ms, 2s, 10m, 24h or 30d");
        }
        long amount = Math.min(Long.parseLong(matcher.group(1)), LONGEST.toMillis() + 1);
        Duration duration =
                switch (matcher.group(2)) {
                    case "ms" -> Duration.ofMillis(amount);
                    case "s" -> Duration.ofSeconds(amount);
                    case "m" -> Duration.ofMinutes(amount);
                    case "h" -> Duration.ofHours(amount);
                    default -> Duration.ofDays(amount);
                };
        if (duration.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException("a duration is at most 366d");
        }
        return duration;
    }

    private static long parseSize(String text) {
        Matcher matcher = SIZE.matcher(text);
        if (!matcher.matches()) {
            throw new IllegalArgumentException();
        }
        String unit = matcher.group(2) == null ? "B" : matcher.group(2).toUpperCase(Locale.ROOT);
        int shift =
                switch (unit) {
                    case "KB" -> 10;
                    case "MB" -> 20;
                    case "GB" -> 30;
                    default -> 0;
                };
        long size = Math.multiplyExact(Long.parseLong(matcher.group(1)), 1L << shift);
        if (size < 1) {
            throw new IllegalArgumentException();
        }
        return size;
    }
}
