package dev.oncebox.ledger.camel;

import dev.oncebox.ledger.Capacity;
import dev.oncebox.ledger.Ledger;
import dev.oncebox.ledger.QueuedFile;
import dev.oncebox.ledger.Variables;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.camel.Endpoint;
import org.apache.camel.Exchange;
import org.apache.camel.Processor;

/** {@code from: ledger:queued}: files of one item that an asynchronous engine works on, for people to see where. */
final class QueuedConsumer extends LedgerConsumer {

    private static final int MOST_AT_ONCE = 16;
    private static final Duration PAUSE_AFTER_FAILURE = Duration.ofSeconds(2);

    private final Ledger ledger;
    private final Capacity capacity;
    private final Set<Long> underWay = ConcurrentHashMap.newKeySet();
    private final Map<Long, Long> failed = new ConcurrentHashMap<>();

    QueuedConsumer(Endpoint endpoint, Processor processor, LedgerComponent component) {
        super(endpoint, processor, component);
        this.ledger = component.ledger();
        this.capacity = component.capacity();
    }

    @Override
    boolean take() {
        if (capacity.polled().isEmpty()) {
            return false;
        }
        failed.values().removeIf(until -> until - System.nanoTime() < 0);
        boolean started = false;
        for (QueuedFile file : ledger.queued(MOST_AT_ONCE + underWay.size() + failed.size())) {
            if (!failed.containsKey(file.id()) && underWay.size() < MOST_AT_ONCE && underWay.add(file.id())) {
                Exchange exchange = createExchange(false);
                exchange.getMessage().setBody(file);
                exchange.setVariable(Variables.QUEUED, file);
                start(exchange, () -> finished(file, exchange));
                started = true;
            }
        }
        return started;
    }

    /** Whether an address is not written yet, and did not fail a moment ago. */
    boolean isShowing() {
        return !capacity.polled().isEmpty()
                && ledger.queued(failed.size() + 1).stream().anyMatch(file -> !failed.containsKey(file.id()));
    }

    private void finished(QueuedFile file, Exchange exchange) {
        if (exchange.getProperty(Exchange.EXCEPTION_CAUGHT) != null || exchange.isFailed()) {
            failed.put(file.id(), System.nanoTime() + PAUSE_AFTER_FAILURE.toNanos());
        }
        underWay.remove(file.id());
    }
}
