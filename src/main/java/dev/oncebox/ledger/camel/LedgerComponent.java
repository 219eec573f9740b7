package dev.oncebox.ledger.camel;

import dev.oncebox.ledger.CallName;
import dev.oncebox.ledger.Capacity;
import dev.oncebox.ledger.Ledger;
import dev.oncebox.ledger.Settlements;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.camel.Endpoint;
import org.apache.camel.support.DefaultComponent;

/**
 * The ledger as a Camel component.
 *
 * <ul>
 *   <li>{@code from: ledger:due} – calls to send, one exchange each, as many at once as the engines have places
 *   <li>{@code from: ledger:polling} – calls that an asynchronous engine accepted, each when it is to be asked for
 *   <li>{@code from: ledger:gathered} – calls that an engine takes in batches, as soon as there are enough of them
 *   <li>{@code from: ledger:batches} – batches that are due to be asked for, or looked for
 *   <li>{@code from: ledger:queued} – files of one item that an asynchronous engine accepted
 *   <li>{@code from: ledger:settled} – files of which every item has its end; each goes to every such route
 *   <li>{@code to: ledger:record} – the body, a list of items, belongs to the file in the variable {@code file}
 *   <li>{@code to: ledger:settle} – the variable {@code verdict} is what became of the variable {@code call}, else of the
 *       variable {@code batch}; after a failure the parameter of its kind says what follows
 *   <li>{@code to: ledger:delivered} – the answers of the variable {@code settled} are where they belong, which the body names
 *       if it is a string; a file is delivered when every route from {@code ledger:settled} has said so
 * </ul>
 */
public final class LedgerComponent extends DefaultComponent {

    private final Ledger ledger;
    private final Capacity capacity;
    private final Fallbacks fallbacks;
    private final Rescue rescue;
    private final Outage outage = new Outage();
    private final Settlements settlements;
    private final Destinations destinations;
    private final List<LedgerConsumer> consumers = new CopyOnWriteArrayList<>();

    /**
     * @param rescueFile where replies go that the ledger cannot take
     * @param settlements is told what each attempt came to
     */
    public LedgerComponent(
            Ledger ledger, Capacity capacity, Fallbacks fallbacks, Path rescueFile, Settlements settlements) {
        this.ledger = ledger;
        this.capacity = capacity;
        this.fallbacks = fallbacks;
        this.rescue = new Rescue(rescueFile, call -> CallName.of(call, ledger));
        this.settlements = settlements;
        this.destinations = new Destinations(ledger);
    }

    @Override
    protected Endpoint createEndpoint(String uri, String remaining, Map<String, Object> parameters) throws Exception {
        var endpoint = new LedgerEndpoint(uri, this, LedgerEndpoint.Role.named(remaining));
        setProperties(endpoint, parameters);
        return endpoint;
    }

    /**
     * Takes nothing more out of the ledger, and waits for what is under way. To be called before Camel stops: a stopping
     * context refuses further steps to exchanges that are in the middle of a route, paid replies among them.
     *
     * @return whether everything ended in time
     */
    public boolean drain(Duration patience) throws InterruptedException {
        consumers.forEach(LedgerConsumer::stopTaking);
        long end = System.nanoTime() + patience.toNanos();
        for (LedgerConsumer consumer : consumers) {
            if (!consumer.awaitIdle(end - System.nanoTime())) {
                return false;
            }
        }
        return true;
    }

    /** Takes no more calls to send out of the ledger; what else there is to do goes on. */
    public void stopSending() {
        consumers.stream().filter(DueConsumer.class::isInstance).forEach(LedgerConsumer::stopTaking);
    }

    /** Whether an engine is asked for what it accepted, which the ledger does not know. */
    public boolean isAsking() {
        return consumers.stream()
                .filter(consumer -> consumer instanceof PollingConsumer || consumer instanceof BatchesConsumer)
                .anyMatch(LedgerConsumer::mayBeWorking);
    }

    /** Whether people cannot see yet where an answer is asked for. */
    public boolean isShowing() {
        return consumers.stream().anyMatch(consumer -> consumer instanceof QueuedConsumer queued && queued.isShowing());
    }

    /** Whether anything that was taken out of the ledger is under way. */
    public boolean isWorking() {
        return consumers.stream().anyMatch(LedgerConsumer::isWorking);
    }

    /** How many files could not be delivered several times in a row; they are tried on. */
    public int stuckDeliveries() {
        return consumers.stream()
                .mapToInt(consumer -> consumer instanceof SettledConsumer settled ? settled.stuck() : 0)
                .sum();
    }

    void register(LedgerConsumer consumer) {
        consumers.add(consumer);
    }

    Ledger ledger() {
        return ledger;
    }

    Capacity capacity() {
        return capacity;
    }

    Fallbacks fallbacks() {
        return fallbacks;
    }

    Settlements settlements() {
        return settlements;
    }

    Destinations destinations() {
        return destinations;
    }

    Rescue rescue() {
        return rescue;
    }

    Outage outage() {
        return outage;
    }
}
