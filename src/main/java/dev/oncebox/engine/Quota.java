package dev.oncebox.engine;

import dev.oncebox.ledger.Share;
import io.github.bucket4j.Bandwidth;
import io.github.bucket4j.Bucket;
import io.github.bucket4j.TimeMeter;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * How much of one kind, requests or tokens, an engine may be sent: what is configured for a minute, and what the engine
 * says of itself in its replies' headers. What was used is taken even when there is less, so that the next ones wait.
 */
final class Quota {

    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Duration DAY = Duration.ofDays(1);
    /** Of a minute's worth, what may go at once; the rest comes evenly, so that no minute ever sees more than it all. */
    private static final int BURST = 20;
    /** More is as good as no limit, which is how some gateways say it, and the buckets could not count it. */
    private static final long MOST = 1_000_000_000;

    private final TimeMeter time;
    private final @Nullable Long perMinute;
    private @Nullable Bucket configured;
    private Share share = Share.ALL;
    private @Nullable Bucket announced;
    private long announcedLimit;
    private Duration announcedPeriod = MINUTE;

    /**
     * @param perMinute null: no limit
     */
    Quota(@Nullable Long perMinute, LongSupplier nanoTime) {
        this.time = new TimeMeter() {
            @Override
            public long currentTimeNanos() {
                return nanoTime.getAsLong();
            }

            @Override
            public boolean isWallClockBased() {
                return false;
            }
        };
        this.perMinute = perMinute == null || perMinute > MOST ? null : perMinute;
        configured = this.perMinute == null ? null : minute(this.perMinute);
    }

    private Bucket minute(long amount) {
        long burst = Math.max(1, amount / BURST);
        return bucket(burst, amount - burst + 1, MINUTE);
    }

    /** What is configured for a minute is for all nodes; what this one had left it may use still, and nothing more. */
    void share(Share now) {
        if (perMinute == null || now.equals(share)) {
            return;
        }
        long had = share.of(perMinute) == 0 ? 0 : left(configured);
        share = now;
        long part = now.of(perMinute);
        configured = minute(Math.max(1, part));
        use(configured, Math.max(0, left(configured) - (part == 0 ? 0 : had)));
    }

    private boolean hasNoPart() {
        return perMinute != null && share.of(perMinute) == 0;
    }

    private Bucket bucket(long capacity, long refill, Duration period) {
        return Bucket.builder()
                .addLimit(Bandwidth.builder()
                        .capacity(capacity)
                        .refillGreedy(refill, period)
                        .build())
                .withCustomTimePrecision(time)
                .build();
    }

    /** How much is left; without a limit, as much as there is. Less than zero after more was used than there was. */
    long left() {
        return hasNoPart() ? 0 : Math.min(left(configured), left(announced));
    }

    private static long left(@Nullable Bucket bucket) {
        return bucket == null ? Long.MAX_VALUE : bucket.getAvailableTokens();
    }

    /** How long it takes until something is left. A node that has no part yet has one soon, and used up nothing. */
    Duration untilLeft() {
        long nanos = Math.max(hasNoPart() ? 0 : untilLeft(configured), untilLeft(announced));
        return Duration.ofNanos(nanos);
    }

    private static long untilLeft(@Nullable Bucket bucket) {
        return bucket == null || bucket.getAvailableTokens() > 0
                ? 0
                : bucket.estimateAbilityToConsume(1).getNanosToWaitForRefill();
    }

    boolean isLimited() {
        return configured != null || announced != null;
    }

    /** Takes so much, or gives back where it is less than zero. */
    void use(long amount) {
        use(configured, amount);
        use(announced, amount);
    }

    private static void use(@Nullable Bucket bucket, long amount) {
        if (bucket == null || amount == 0) {
            return;
        }
        if (amount > 0) {
            bucket.consumeIgnoringRateLimits(amount);
        } else {
            bucket.addTokens(-amount);
        }
    }

    /**
     * The engine's own word.
     *
     * @param limit how much it allows in all
     * @param remaining how much of it is left now
     * @param reset until all of it is there again
     * @param underWay what was sent and is not in {@code remaining} yet
     */
    void announced(long limit, long remaining, Duration reset, long underWay) {
        if (limit < 1 || remaining < 0 || remaining > limit) {
            return;
        }
        if (limit > MOST) {
            announced = null;
            return;
        }
        Duration period = period(limit, remaining, reset);
        if (announced == null || limit != announcedLimit || isFar(period, announcedPeriod)) {
            announced = bucket(limit, limit, period);
            announcedLimit = limit;
            announcedPeriod = period;
        }
        use(announced, left(announced) - (remaining - underWay));
    }

    /** Used evenly, how long all of it takes to come back; where too little is used to tell, a minute. */
    private Duration period(long limit, long remaining, Duration reset) {
        long used = limit - remaining;
        if (used * 10 < limit) {
            return announced == null ? MINUTE : announcedPeriod;
        }
        double millis = (double) reset.toMillis() * limit / used;
        return Duration.ofMillis((long) Math.max(1000, Math.min(DAY.toMillis(), millis)));
    }

    private static boolean isFar(Duration a, Duration b) {
        double ratio = (double) a.toMillis() / b.toMillis();
        return ratio > 1.5 || ratio < 0.67;
    }
}
