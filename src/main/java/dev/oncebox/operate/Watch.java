package dev.oncebox.operate;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * How things stand, for many who look: the ledger is read once a second at most, however often it is asked for, and
 * every few seconds for the curve of the last hour. Any thread may ask.
 */
public final class Watch implements AutoCloseable {

    private static final Duration SAMPLE_EVERY = Duration.ofSeconds(5);
    private static final int MOST_SAMPLES = 720;
    private static final long FRESH_MILLIS = 1_000;
    private static final long REJECTED_FRESH_MILLIS = 30_000;
    private static final int COST_DIGITS = 6;

    private final Supplier<Reports> source;
    private final Path rejectedFolder;
    private final Collection<String> engines;
    private final Collection<String> polled;
    private final Clock clock;
    private final Deque<Sample> samples = new ArrayDeque<>();
    private final ScheduledExecutorService sampler = Executors.newSingleThreadScheduledExecutor(task -> {
        var thread = new Thread(task, "watch");
        thread.setDaemon(true);
        return thread;
    });

    private @Nullable Reports reports;
    private @Nullable Status status;
    private long statusAt;
    private long rejected;
    private long rejectedAt;

    /**
     * The sums of one moment.
     *
     * @param at epoch milliseconds
     */
    public record Sample(long at, long answered, long failed, long sent) {}

    /**
     * @param source opens the ledger for looking at it
     * @param rejectedFolder of files of which nothing could be read
     * @param engines the names of the configured engines
     * @param polled those of them that are asked for what they accepted
     */
    public Watch(
            Supplier<Reports> source,
            Path rejectedFolder,
            Collection<String> engines,
            Collection<String> polled,
            Clock clock) {
        this.source = source;
        this.rejectedFolder = rejectedFolder;
        this.engines = engines;
        this.polled = polled;
        this.clock = clock;
    }

    /** Begins with the curve. */
    public void start() {
        sampler.scheduleWithFixedDelay(this::sample, 0, SAMPLE_EVERY.toMillis(), TimeUnit.MILLISECONDS);
    }

    private void sample() {
        try {
            Status now = status();
            synchronized (this) {
                samples.add(
                        new Sample(statusAt, now.items().answered(), now.items().failed(), now.sent()));
                if (samples.size() > MOST_SAMPLES) {
                    samples.remove();
                }
            }
        } catch (RuntimeException e) {
            // a ledger that cannot be read has a gap in its curve; health says why
        }
    }

    /**
     * How things stand, as of the last second.
     *
     * @throws dev.oncebox.config.ConfigException when the ledger cannot be read
     */
    public synchronized Status status() {
        long now = clock.millis();
        Status known = status;
        if (known != null && now - statusAt < FRESH_MILLIS && now >= statusAt) {
            return known;
        }
        if (rejectedAt == 0 || now - rejectedAt > REJECTED_FRESH_MILLIS) {
            rejected = Reports.rejectedFiles(rejectedFolder);
            rejectedAt = now;
        }
        Status read = reports().status(rejected, engines, polled);
        status = read;
        statusAt = now;
        return read;
    }

    /** For how long a call waits that could be sent, the longest. */
    public synchronized Duration queueAge() {
        return reports().queueAge(engines);
    }

    /** The last hour of this process, oldest first. */
    public synchronized List<Sample> samples() {
        return List.copyOf(samples);
    }

    /**
     * What the items that found their answer known would have cost, about: as many calls more at what one cost so far.
     * Null: unknown.
     */
    public static @Nullable BigDecimal saved(Status status) {
        if (status.reused() == 0) {
            return BigDecimal.ZERO;
        }
        BigDecimal cost = status.cost();
        if (cost == null || status.fresh() == 0) {
            return null;
        }
        return cost.multiply(BigDecimal.valueOf(status.reused()))
                .divide(BigDecimal.valueOf(status.fresh()), COST_DIGITS, RoundingMode.HALF_UP)
                .stripTrailingZeros();
    }

    private Reports reports() {
        Reports open = reports;
        if (open == null) {
            open = source.get();
            reports = open;
        }
        return open;
    }

    @Override
    public void close() {
        sampler.shutdownNow();
        synchronized (this) {
            if (reports != null) {
                reports.close();
            }
        }
    }
}
