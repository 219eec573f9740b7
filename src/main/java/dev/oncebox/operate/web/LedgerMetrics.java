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
import java.util.Objects;
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
        var items = new Family(registry, "oncebox.items", "Items of all files", "state");
        items.gauge("answered", status -> status.items().answered());
        items.gauge("failed", status -> status.items().failed());
        items.gauge("pending", status -> status.items().pending());
        var calls = new Family(registry, "oncebox.calls", "Distinct requests", "state");
        calls.gauge("ready", status -> status.calls().ready());
        calls.gauge("sent", status -> status.calls().sent());
        calls.gauge("polling", status -> status.calls().polling());
        calls.gauge("done", status -> status.calls().done());
        calls.gauge("doubt", status -> status.calls().doubt());
        calls.gauge("dead", status -> status.calls().dead());
        var files = new Family(registry, "oncebox.files", "Files", "state");
        files.gauge("waiting", status -> status.files().taken() - status.files().delivered());
        files.gauge("delivered", status -> status.files().delivered());
        files.gauge("rejected", status -> status.files().rejected());
        var answers =
                new Family(registry, "oncebox.answers", "Answered items, by whether they caused a call", "charged");
        answers.counter("new", Status::fresh);
        answers.counter("reused", Status::reused);
        new Family(registry, "oncebox.sends", "Sends ever started", "").counter("", Status::sent);
        new Family(registry, "oncebox.cost", "Spent for certain, in the currency of the prices; NaN: unknown", "")
                .counter("", status -> number(status.cost()));
        new Family(registry, "oncebox.saved.cost", "Not spent for known answers, about; NaN: unknown", "")
                .counter("", status -> number(Watch.saved(status)));
        new Family(registry, "oncebox.nodes", "Processes at work", "")
                .gauge("", status -> status.nodes().size());
        new Family(registry, "oncebox.budget.spent", "1: a budget is used up", "")
                .gauge("", status -> status.budget() == null ? 0 : 1);
        Gauge.builder(
                        "oncebox.queue.age",
                        watch,
                        each -> known(() -> each.queueAge().toMillis() / 1000.0))
                .description("For how long a call waits that could be sent, the longest")
                .baseUnit("seconds")
                .register(registry);
        var inFlight = new Family(registry, "oncebox.in.flight", "Calls that were sent and are not settled", "engine");
        var waiting = new Family(registry, "oncebox.waiting", "Calls that wait for their time", "engine");
        var polling = new Family(registry, "oncebox.polling", "Calls that were accepted and are asked for", "engine");
        for (String name : engines) {
            inFlight.gauge(name, status -> engine(status, name).inFlight());
            waiting.gauge(name, status -> engine(status, name).waiting());
            polling.gauge(name, status -> engine(status, name).polling());
            var breaker = new Family(registry, "oncebox.breaker", "1: the state of the engine's breaker", "state");
            for (String state : BREAKERS) {
                breaker.gauge(
                        Tags.of("engine", name, "state", state),
                        status -> engine(status, name).breaker().equals(state) ? 1 : 0);
            }
        }
    }

    private static Status.Engine engine(Status status, String name) {
        return Objects.requireNonNull(status.engines().get(name));
    }

    /** Metrics of one name. */
    private final class Family {
        private final MeterRegistry registry;
        private final String name;
        private final String description;
        private final String tag;

        /** @param tag by which they differ; empty: there is only one */
        Family(MeterRegistry registry, String name, String description, String tag) {
            this.registry = registry;
            this.name = name;
            this.description = description;
            this.tag = tag;
        }

        void gauge(String value, ToDoubleFunction<Status> figure) {
            gauge(tags(value), figure);
        }

        void gauge(Tags tags, ToDoubleFunction<Status> figure) {
            Gauge.builder(name, watch, each -> known(() -> figure.applyAsDouble(each.status())))
                    .description(description)
                    .tags(tags)
                    .register(registry);
        }

        void counter(String value, ToDoubleFunction<Status> figure) {
            FunctionCounter.builder(name, watch, each -> known(() -> figure.applyAsDouble(each.status())))
                    .description(description)
                    .tags(tags(value))
                    .register(registry);
        }

        private Tags tags(String value) {
            return tag.isEmpty() ? Tags.empty() : Tags.of(tag, value);
        }
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
