package dev.oncebox.ledger.camel;

import dev.oncebox.CrashPoint;
import dev.oncebox.ledger.Batch;
import dev.oncebox.ledger.Capacity;
import dev.oncebox.ledger.Ledger;
import dev.oncebox.ledger.Variables;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.camel.Endpoint;
import org.apache.camel.Exchange;
import org.apache.camel.Processor;

/** {@code from: ledger:batches}: batches that are due to be asked for, or, if their submission was lost, looked for. */
final class BatchesConsumer extends LedgerConsumer {

    private static final int MOST_AT_ONCE = 4;

    private final Ledger ledger;
    private final Capacity capacity;
    private final Set<Long> underWay = ConcurrentHashMap.newKeySet();

    BatchesConsumer(Endpoint endpoint, Processor processor, LedgerComponent component) {
        super(endpoint, processor, component);
        this.ledger = component.ledger();
        this.capacity = component.capacity();
    }

    @Override
    boolean take() {
        for (String engine : capacity.gathering().keySet()) {
            Duration interval = Objects.requireNonNull(capacity.polled().get(engine));
            int free = MOST_AT_ONCE - underWay.size();
            if (free <= 0) {
                return false;
            }
            for (Batch batch : ledger.batches().due(engine, interval, free)) {
                if (underWay.add(batch.id())) {
                    CrashPoint.BEFORE_ASKING.reach();
                    Exchange exchange = createExchange(false);
                    exchange.getMessage().setBody(batch);
                    exchange.setVariable(Variables.BATCH, batch);
                    exchange.setVariable(Variables.ASKED, true);
                    start(exchange, () -> underWay.remove(batch.id()));
                }
            }
        }
        return false;
    }
}
