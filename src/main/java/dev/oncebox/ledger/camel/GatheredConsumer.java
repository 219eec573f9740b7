package dev.oncebox.ledger.camel;

import dev.oncebox.CrashPoint;
import dev.oncebox.ledger.Batch;
import dev.oncebox.ledger.Capacity;
import dev.oncebox.ledger.Gathering;
import dev.oncebox.ledger.Ledger;
import dev.oncebox.ledger.LedgerException;
import dev.oncebox.ledger.Variables;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.camel.Endpoint;
import org.apache.camel.Exchange;
import org.apache.camel.Processor;

/** {@code from: ledger:gathered}: claims calls that are submitted together, one batch of an engine at a time. */
final class GatheredConsumer extends LedgerConsumer {

    private final Ledger ledger;
    private final Capacity capacity;
    /** Engines with a submission under way. */
    private final Set<String> underWay = ConcurrentHashMap.newKeySet();
    /** Exchanges that ended without settling their batch, at a moment when the ledger could not take it. */
    private final Queue<Exchange> unsettled = new ConcurrentLinkedQueue<>();

    private boolean unclear;

    GatheredConsumer(Endpoint endpoint, Processor processor, LedgerComponent component) {
        super(endpoint, processor, component);
        this.ledger = component.ledger();
        this.capacity = component.capacity();
    }

    @Override
    boolean take() {
        for (Exchange exchange = unsettled.peek(); exchange != null; exchange = unsettled.peek()) {
            Guard.settleIfOpen(ledger, exchange);
            unsettled.remove();
        }
        if (unclear && underWay.isEmpty()) {
            // a claim that failed may have happened all the same
            ledger.releaseClaims();
            unclear = false;
        }
        for (Map.Entry<String, Gathering> engine : capacity.gathering().entrySet()) {
            if (underWay.add(engine.getKey()) && !gather(engine.getKey(), engine.getValue())) {
                underWay.remove(engine.getKey());
            }
        }
        return false;
    }

    private boolean gather(String engine, Gathering gathering) {
        int places = capacity.take(engine, gathering.calls());
        int used = 0;
        try {
            unclear |= places > 0;
            Batch batch = places == 0 ? null : ledger.batches().gather(engine, gathering.atMost(places));
            unclear = false;
            if (batch == null) {
                return false;
            }
            used = batch.calls().size();
            CrashPoint.AFTER_GATHERED.reach();
            Exchange exchange = createExchange(false);
            exchange.getMessage().setBody(batch);
            exchange.setVariable(Variables.BATCH, batch);
            start(exchange, () -> finished(exchange, engine));
            return true;
        } finally {
            capacity.giveBack(engine, places - used);
        }
    }

    private void finished(Exchange exchange, String engine) {
        try {
            if (exchange.getException() != null) {
                Guard.settleIfOpen(ledger, exchange);
            }
        } catch (LedgerException e) {
            unsettled.add(exchange);
        } finally {
            Places.free(capacity, exchange, Guard.UNSETTLED);
            underWay.remove(engine);
        }
    }
}
