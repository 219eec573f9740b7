package dev.oncebox.ledger.camel;

import dev.oncebox.CrashPoint;
import dev.oncebox.ledger.Call;
import dev.oncebox.ledger.Capacity;
import dev.oncebox.ledger.Ledger;
import dev.oncebox.ledger.Variables;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import org.apache.camel.Endpoint;
import org.apache.camel.Exchange;
import org.apache.camel.Processor;

/** {@code from: ledger:polling}: calls that an asynchronous engine accepted, each when it is to be asked for. */
final class PollingConsumer extends LedgerConsumer {

    private final Ledger ledger;
    private final Capacity capacity;
    private final int concurrentConsumers;
    private final Map<String, Semaphore> places = new ConcurrentHashMap<>();
    /** A question may take longer than the time to the next one. */
    private final Set<Long> underWay = ConcurrentHashMap.newKeySet();

    PollingConsumer(Endpoint endpoint, Processor processor, LedgerComponent component, int concurrentConsumers) {
        super(endpoint, processor, component);
        this.ledger = component.ledger();
        this.capacity = component.capacity();
        this.concurrentConsumers = concurrentConsumers;
    }

    @Override
    boolean take() {
        boolean more = false;
        for (Map.Entry<String, Duration> engine : capacity.polled().entrySet()) {
            Semaphore free = places.computeIfAbsent(engine.getKey(), name -> new Semaphore(concurrentConsumers));
            int wanted = free.availablePermits();
            if (wanted == 0) {
                continue;
            }
            int taken = 0;
            for (Call call : ledger.polling(engine.getKey(), engine.getValue(), wanted)) {
                taken++;
                if (underWay.add(call.id())) {
                    free.acquireUninterruptibly();
                    ask(call, free);
                }
            }
            more |= taken == wanted;
        }
        return more;
    }

    private void ask(Call call, Semaphore place) {
        CrashPoint.BEFORE_ASKING.reach();
        Exchange exchange = createExchange(false);
        exchange.getMessage().setBody(call);
        exchange.setVariable(Variables.CALL, call);
        exchange.setVariable(Variables.ASKED, true);
        start(exchange, () -> {
            underWay.remove(call.id());
            place.release();
        });
    }

    @Override
    long restMillis() {
        return Math.max(1, ledger.untilPolling(capacity.polled().keySet()));
    }
}
