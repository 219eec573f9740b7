package dev.oncebox.ledger.camel;

import dev.oncebox.ledger.Ledger;
import dev.oncebox.ledger.SettledFile;
import dev.oncebox.ledger.Variables;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import org.apache.camel.Endpoint;
import org.apache.camel.Exchange;
import org.apache.camel.Processor;

/** {@code from: ledger:settled}: files that can be delivered, each to one exchange at a time. */
final class SettledConsumer extends LedgerConsumer {

    private static final int STUCK_AFTER = 3;
    private static final Duration PAUSE_AFTER_FAILURE = Duration.ofSeconds(2);

    private final Ledger ledger;
    private final Semaphore places;
    private final int limit;
    /** Files under way, and those that failed a moment ago, with when they may be tried again (nano time). */
    private final Set<Long> underWay = ConcurrentHashMap.newKeySet();

    private final Map<Long, Long> failed = new ConcurrentHashMap<>();
    private final Map<Long, Integer> failures = new ConcurrentHashMap<>();

    SettledConsumer(Endpoint endpoint, Processor processor, LedgerComponent component, int concurrentConsumers) {
        super(endpoint, processor, component);
        this.ledger = component.ledger();
        this.places = new Semaphore(concurrentConsumers);
        this.limit = concurrentConsumers * 16;
    }

    @Override
    boolean take() {
        if (places.availablePermits() == 0) {
            return false;
        }
        failed.values().removeIf(until -> until - System.nanoTime() < 0);
        Set<Long> skipped = new HashSet<>(underWay);
        skipped.addAll(failed.keySet());
        boolean started = false;
        for (SettledFile file : ledger.settled(limit + skipped.size())) {
            if (skipped.contains(file.id())) {
                continue;
            }
            if (!places.tryAcquire()) {
                return false;
            }
            underWay.add(file.id());
            Exchange exchange = createExchange(false);
            exchange.getMessage().setBody(file);
            exchange.setVariable(Variables.SETTLED, file);
            start(exchange, () -> finished(file, exchange));
            started = true;
        }
        return started;
    }

    private void finished(SettledFile file, Exchange exchange) {
        boolean delivered = Boolean.TRUE.equals(exchange.getVariable(DeliveredProducer.DONE, Boolean.class));
        if (delivered) {
            failures.remove(file.id());
        } else {
            failures.merge(file.id(), 1, Integer::sum);
            failed.put(file.id(), System.nanoTime() + PAUSE_AFTER_FAILURE.toNanos());
        }
        underWay.remove(file.id());
        places.release();
    }

    /** How many files could not be delivered several times in a row. */
    int stuck() {
        return (int)
                failures.values().stream().filter(count -> count >= STUCK_AFTER).count();
    }
}
