package dev.oncebox.ledger.camel;

import dev.oncebox.ledger.NextStep;
import java.util.Arrays;
import java.util.Locale;
import org.apache.camel.Consumer;
import org.apache.camel.Processor;
import org.apache.camel.Producer;
import org.apache.camel.support.DefaultEndpoint;

/** One role of the ledger in a route; see {@link LedgerComponent}. */
final class LedgerEndpoint extends DefaultEndpoint {

    /** What the part after {@code ledger:} may be. */
    enum Role {
        DUE,
        POLLING,
        QUEUED,
        SETTLED,
        RECORD,
        SETTLE,
        DELIVERED;

        static Role named(String name) {
            for (Role role : values()) {
                if (role.name().toLowerCase(Locale.ROOT).equals(name)) {
                    return role;
                }
            }
            throw new IllegalArgumentException("ledger:" + name + " does not exist; there are "
                    + Arrays.toString(values()).toLowerCase(Locale.ROOT));
        }
    }

    private final LedgerComponent component;
    private final Role role;
    private int concurrentConsumers = 4;
    private NextStep.Kind next = NextStep.Kind.DOUBT;
    private boolean fallback;

    LedgerEndpoint(String uri, LedgerComponent component, Role role) {
        super(uri, component);
        this.component = component;
        this.role = role;
    }

    @Override
    public Consumer createConsumer(Processor processor) {
        LedgerConsumer consumer =
                switch (role) {
                    case DUE -> new DueConsumer(this, processor, component);
                    case SETTLED -> new SettledConsumer(this, processor, component.ledger(), concurrentConsumers);
                    case POLLING -> new PollingConsumer(this, processor, component, concurrentConsumers);
                    case QUEUED -> new QueuedConsumer(this, processor, component);
                    case RECORD, SETTLE, DELIVERED ->
                        throw new IllegalArgumentException(getEndpointUri() + " can only be written to");
                };
        component.register(consumer);
        return consumer;
    }

    @Override
    public Producer createProducer() {
        return switch (role) {
            case RECORD -> new RecordProducer(this, component.ledger());
            case SETTLE -> new SettleProducer(this, component, new NextStep(next, fallback));
            case DELIVERED -> new DeliveredProducer(this, component.ledger());
            case DUE, POLLING, QUEUED, SETTLED ->
                throw new IllegalArgumentException(getEndpointUri() + " can only be read from");
        };
    }

    @Override
    public boolean isSingleton() {
        return true;
    }

    public int getConcurrentConsumers() {
        return concurrentConsumers;
    }

    /** How many exchanges {@code ledger:settled}, and {@code ledger:polling} for each engine, have under way at once. */
    public void setConcurrentConsumers(int concurrentConsumers) {
        this.concurrentConsumers = concurrentConsumers;
    }

    public NextStep.Kind getNext() {
        return next;
    }

    /** What {@code ledger:settle} does with a call whose attempt failed: {@code later}, {@code again}, {@code doubt} or {@code dead}. */
    public void setNext(NextStep.Kind next) {
        this.next = next;
    }

    public boolean isFallback() {
        return fallback;
    }

    /** Whether the job's next engine is asked, if there is one, before the call waits in vain or dies. */
    public void setFallback(boolean fallback) {
        this.fallback = fallback;
    }
}
