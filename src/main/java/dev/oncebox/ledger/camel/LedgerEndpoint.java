package dev.oncebox.ledger.camel;

import dev.oncebox.ledger.NextStep;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.apache.camel.Consumer;
import org.apache.camel.MultipleConsumersSupport;
import org.apache.camel.Processor;
import org.apache.camel.Producer;
import org.apache.camel.support.DefaultEndpoint;

/** One role of the ledger in a route; see {@link LedgerComponent}. */
final class LedgerEndpoint extends DefaultEndpoint implements MultipleConsumersSupport {

    /** What the part after {@code ledger:} may be. */
    enum Role {
        DUE,
        POLLING,
        GATHERED,
        BATCHES,
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
    /** By the verdict's kind. */
    private final Map<String, NextStep> steps = new HashMap<>();

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
                    case SETTLED -> new SettledConsumer(this, processor, component, concurrentConsumers);
                    case POLLING -> new PollingConsumer(this, processor, component, concurrentConsumers);
                    case GATHERED -> new GatheredConsumer(this, processor, component);
                    case BATCHES -> new BatchesConsumer(this, processor, component);
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
            case SETTLE -> new SettleProducer(this, component, steps);
            case DELIVERED -> new DeliveredProducer(this, component.destinations());
            case DUE, POLLING, GATHERED, BATCHES, QUEUED, SETTLED ->
                throw new IllegalArgumentException(getEndpointUri() + " can only be read from");
        };
    }

    /** Each destination's route is one. */
    @Override
    public boolean isMultipleConsumersSupported() {
        return isSettled();
    }

    boolean isSettled() {
        return role == Role.SETTLED;
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

    /** {@code ledger:settle}: what follows when nothing was sent. */
    public void setUnsent(String step) {
        step(step, "UNSENT");
    }

    /** {@code ledger:settle}: what follows a refusal for the moment. */
    public void setBusy(String step) {
        step(step, "BUSY");
    }

    /** {@code ledger:settle}: what follows a refusal that every call would meet. */
    public void setEngine(String step) {
        step(step, "ENGINE");
    }

    /** {@code ledger:settle}: what follows a refusal of what another engine may take. */
    public void setMisfit(String step) {
        step(step, "MISFIT");
    }

    /** {@code ledger:settle}: what follows a refusal of the request itself. */
    public void setRequest(String step) {
        step(step, "REQUEST");
    }

    /** {@code ledger:settle}: what follows a paid answer that the job does not accept. */
    public void setUnusable(String step) {
        step(step, "UNUSABLE");
    }

    /** {@code ledger:settle}: what follows a reply that is no answer and may have been paid for. */
    public void setIncomplete(String step) {
        step(step, "INCOMPLETE");
    }

    /** {@code ledger:settle}: what follows when nobody knows what became of the call. */
    public void setUnknown(String step) {
        step(step, "UNKNOWN");
    }

    private void step(String step, String kind) {
        steps.put(kind, NextStep.of(step));
    }
}
