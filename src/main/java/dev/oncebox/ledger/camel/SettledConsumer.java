package dev.oncebox.ledger.camel;

import dev.oncebox.ledger.Ledger;
import dev.oncebox.ledger.SettledFile;
import dev.oncebox.ledger.Variables;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.stream.Collectors;
import org.apache.camel.Endpoint;
import org.apache.camel.Exchange;
import org.apache.camel.Processor;

/**
 * {@code from: ledger:settled}: files that can be delivered, each to one exchange at a time. One that failed is tried
 * again after a pause, which doubles from failure to failure.
 */
final class SettledConsumer extends LedgerConsumer {

    private static final int STUCK_AFTER = 3;
    private static final Duration PAUSE_AFTER_FAILURE = Duration.ofSeconds(2);
    private static final int MOST_DOUBLINGS = 6;
    /** How far a destination may be ahead of another one that takes nothing: what is confirmed by some is looked through. */
    private static final int MOST_AHEAD = 1000;

    private final Ledger ledger;
    private final Destinations destinations;
    private final Semaphore places;
    private final int limit;
    /** Files under way, and those that failed a moment ago, with when they may be tried again (nano time). */
    private final Set<Long> underWay = ConcurrentHashMap.newKeySet();

    private final Map<Long, Long> failed = new ConcurrentHashMap<>();
    private final Map<Long, Integer> failures = new ConcurrentHashMap<>();

    SettledConsumer(Endpoint endpoint, Processor processor, LedgerComponent component, int concurrentConsumers) {
        super(endpoint, processor, component);
        this.ledger = component.ledger();
        this.destinations = component.destinations();
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
        Set<Long> confirmed = destinations.confirmedBy(getRouteId());
        skipped.addAll(confirmed);
        List<SettledFile> files = ledger.settled(wanted(confirmed) + skipped.size());
        if (!confirmed.isEmpty()) {
            destinations.forgetAllBut(files.stream().map(SettledFile::id).collect(Collectors.toSet()), getRouteId());
        }
        boolean started = false;
        for (SettledFile file : confirmed.size() < MOST_AHEAD ? files : List.<SettledFile>of()) {
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

    /** As many as can be begun; those that others have not confirmed are looked for among more, so as to be remembered. */
    private int wanted(Set<Long> confirmed) {
        return confirmed.isEmpty() ? places.availablePermits() : limit;
    }

    private void finished(SettledFile file, Exchange exchange) {
        boolean delivered = Boolean.TRUE.equals(exchange.getVariable(DeliveredProducer.DONE, Boolean.class));
        if (delivered) {
            failures.remove(file.id());
        } else {
            int before = failures.merge(file.id(), 1, Integer::sum) - 1;
            failed.put(
                    file.id(), System.nanoTime() + (PAUSE_AFTER_FAILURE.toNanos() << Math.min(before, MOST_DOUBLINGS)));
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
