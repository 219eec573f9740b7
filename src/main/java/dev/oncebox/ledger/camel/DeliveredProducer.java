package dev.oncebox.ledger.camel;

import dev.oncebox.CrashPoint;
import dev.oncebox.ledger.Output;
import dev.oncebox.ledger.SettledFile;
import dev.oncebox.ledger.Variables;
import org.apache.camel.Endpoint;
import org.apache.camel.Exchange;
import org.apache.camel.support.DefaultProducer;

/** {@code to: ledger:delivered}: the answers of a file are where this destination's route brings them. */
final class DeliveredProducer extends DefaultProducer {

    static final String DONE = "delivered";

    private final Destinations destinations;

    DeliveredProducer(Endpoint endpoint, Destinations destinations) {
        super(endpoint);
        this.destinations = destinations;
    }

    @Override
    public void process(Exchange exchange) {
        CrashPoint.AFTER_DELIVERED.reach();
        destinations.confirm(
                exchange.getContext(),
                exchange.getFromRouteId(),
                exchange.getVariable(Variables.SETTLED, SettledFile.class),
                exchange.getMessage().getBody() instanceof Output output ? output : null);
        exchange.setVariable(DONE, true);
        CrashPoint.AFTER_DELIVERY_RECORDED.reach();
    }
}
