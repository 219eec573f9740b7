package dev.oncebox.operate.web;

import dev.oncebox.operate.Status;
import dev.oncebox.operate.Watch;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.math.BigDecimal;
import java.util.Collection;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** The figures of {@code oncebox status} as metrics. What is not known is NaN, never 0. */
final class LedgerMetrics implements MeterBinder {

    private static final List<String> BREAKERS = List.of("closed", "open", "probing");

    private final Watch watch;
    private final Collection<String> engines;

    LedgerMetrics(Watch watch, Collection<String> engines) {
        this.watch = watch;
        this.engines = engines;
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        gauge(registry, "oncebox.items", "state", "answered", status -> status.items()
                .answered());
        gauge(registry, "oncebox.items", "state", "failed", status -> status.items()
                .failed());
        gauge(registry, "oncebox.items", "state", "pending", status -> status.items()
                .pending());
        gauge(registry, "oncebox.calls", "state", "ready", status -> status.calls()
                .ready());
        gauge(registry, "oncebox.calls", "state", "sent", status -> status.calls()
                .sent());
        gauge(registry, "oncebox.calls", "state", "polling", status -> status.calls()
                .polling());
        gauge(registry, "oncebox.calls", "state", "done", status -> status.calls()
                .done());
        gauge(registry, "oncebox.calls", "state", "doubt", status -> status.calls()
                .doubt());
        gauge(registry, "oncebox.calls", "state", "dead", status -> status.calls()
                .dead());
        gauge(
                registry,
                "oncebox.files",
                "state",
                "waiting",
                status -> status.files().taken() - status.files().delivered());
        gauge(registry, "oncebox.files", "state", "delivered", status -> status.files()
                .delivered());
        gauge(registry, "oncebox.files", "state", "rejected", status -> status.files()
                .rejected());
        gauge(registry, "oncebox.nodes", "state", "alive", status -> status.nodes()
                .size());
        gauge(registry, "oncebox.budget", "state", "spent", status -> status.budget() == null ? 0 : 1);
        counter(registry, "oncebox.sends", Tags.empty(), Status::sent);
        counter(registry, "oncebox.answers", Tags.of("charged", "new"), Status::fresh);
        counter(registry, "oncebox.answers", Tags.of("charged", "reused"), Status::reused);
        counter(registry, "oncebox.cost", Tags.empty(), status -> number(status.cost()));
        counter(registry, "oncebox.saved.cost", Tags.empty(), status -> number(Watch.saved(status)));
        Gauge.builder(
                        "oncebox.queue.age",
                        watch,
                        each -> known(() -> each.queueAge().toMillis() / 1000.0))
                .description("For how long a call waits that could be sent, the longest")
                .baseUnit("seconds")
                .register(registry);
        engines.forEach(engine -> engine(registry, engine));
    }

    private void engine(MeterRegistry registry, String name) {
        gauge(registry, "oncebox.in.flight", "engine", name, status -> engine(status, name)
                .inFlight());
        gauge(registry, "oncebox.waiting", "engine", name, status -> engine(status, name)
                .waiting());
        gauge(registry, "oncebox.polling", "engine", name, status -> engine(status, name)
                .polling());
        for (String breaker : BREAKERS) {
            Gauge.builder(
                            "oncebox.breaker",
                            watch,
                            each -> known(
                                    () -> engine(each.status(), name).breaker().equals(breaker) ? 1 : 0))
                    .description("1 for the state that the engine's breaker is in")
                    .tag("engine", name)
                    .tag("state", breaker)
                    .register(registry);
        }
    }

    private static Status.Engine engine(Status status, String name) {
        Status.Engine engine = status.engines().get(name);
        if (engine == null) {
            throw new IllegalStateException(name);
        }
        return engine;
    }

    private void gauge(MeterRegistry registry, String name, String tag, String value, ToDoubleFunction<Status> figure) {
        Gauge.builder(name, watch, each -> known(() -> figure.applyAsDouble(each.status())))
                .tag(tag, value)
                .register(registry);
    }

    private void counter(MeterRegistry registry, String name, Tags tags, ToDoubleFunction<Status> figure) {
        FunctionCounter.builder(name, watch, each -> known(() -> figure.applyAsDouble(each.status())))
                .tags(tags)
                .register(registry);
    }

    private static double number(@Nullable BigDecimal sum) {
        return sum == null ? Double.NaN : sum.doubleValue();
    }

    @FunctionalInterface
    private interface Figure {
        double read();
    }

    /** A ledger that cannot be read is said by the health; the scrape goes on. */
    private static double known(Figure figure) {
        try {
            return figure.read();
        } catch (RuntimeException e) {
            return Double.NaN;
        }
    }
}
