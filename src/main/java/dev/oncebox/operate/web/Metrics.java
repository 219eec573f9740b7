package dev.oncebox.operate.web;

import dev.oncebox.ledger.Call;
import dev.oncebox.ledger.Settlements;
import dev.oncebox.ledger.Verdict;
import dev.oncebox.operate.Watch;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.DiskSpaceMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * What Prometheus is told. Sums come from the ledger's own totals and hold over restarts, see {@link LedgerMetrics}; how
 * long an endpoint takes and what came of it is counted as it happens, at the price of two additions a call.
 */
final class Metrics implements Settlements, AutoCloseable {

    private static final Duration[] BOUNDS = Stream.of(
                    50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000, 60_000, 120_000, 300_000)
            .map(Duration::ofMillis)
            .toArray(Duration[]::new);
    private static final String VALID = "valid";

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final JvmGcMetrics collections = new JvmGcMetrics();
    private final Map<String, Timer> durations = new ConcurrentHashMap<>();
    private final Map<Outcome, Counter> outcomes = new ConcurrentHashMap<>();

    private record Outcome(String engine, String kind) {}

    /**
     * @param engines the names of the configured engines
     * @param data the folder whose disk is measured
     */
    Metrics(Watch watch, Collection<String> engines, Path data) {
        engines.forEach(engine -> {
            durations.computeIfAbsent(engine, this::duration);
            outcomes.computeIfAbsent(new Outcome(engine, VALID), this::outcome);
        });
        List<MeterBinder> others = List.of(
                new LedgerMetrics(watch, engines),
                new JvmMemoryMetrics(),
                collections,
                new JvmThreadMetrics(),
                new ProcessorMetrics(),
                new UptimeMetrics(),
                new DiskSpaceMetrics(data.toFile()));
        others.forEach(each -> each.bindTo(registry));
    }

    /** For what Camel itself counts. */
    MeterRegistry registry() {
        return registry;
    }

    private Timer duration(String engine) {
        return Timer.builder("oncebox.call.duration")
                .description("From the record of a send to what came of it")
                .tag("engine", engine)
                .serviceLevelObjectives(BOUNDS)
                .register(registry);
    }

    private Counter outcome(Outcome outcome) {
        return Counter.builder("oncebox.outcomes")
                .description("What attempts came to; valid: an answer")
                .tag("engine", outcome.engine())
                .tag("outcome", outcome.kind())
                .register(registry);
    }

    @Override
    public void settled(Call call, Verdict verdict, long nanos) {
        outcomes.computeIfAbsent(new Outcome(call.engine(), verdict.kind().toLowerCase(Locale.ROOT)), this::outcome)
                .increment();
        if (nanos > 0) {
            durations.computeIfAbsent(call.engine(), this::duration).record(nanos, TimeUnit.NANOSECONDS);
        }
    }

    /** Counts a request that was refused. */
    void refused(String why) {
        Counter.builder("oncebox.http.refused")
                .description("Requests to the page's port that were refused")
                .tag("reason", why)
                .register(registry)
                .increment();
    }

    /** Everything, as Prometheus reads it. */
    String scrape() {
        return registry.scrape();
    }

    @Override
    public void close() {
        collections.close();
        registry.close();
    }
}
