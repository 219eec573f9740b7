package dev.oncebox.ledger.camel;

import dev.oncebox.CrashPoint;
import dev.oncebox.ledger.Ledger;
import dev.oncebox.ledger.SettledFile;
import dev.oncebox.ledger.Variables;
import org.apache.camel.Endpoint;
import org.apache.camel.Exchange;
import org.apache.camel.support.DefaultProducer;

/** {@code to: ledger:delivered}: the answers of a file are where they belong. */
final class DeliveredProducer extends DefaultProducer {

    static final String DONE = "delivered";

    private final Ledger ledger;

    DeliveredProducer(Endpoint endpoint, Ledger ledger) {
        super(endpoint);
        this.ledger = ledger;
    }

    @Override
    public void process(Exchange exchange) {
        CrashPoint.AFTER_DELIVERED.reach();
        ledger.delivered(
                exchange.getVariable(Variables.SETTLED, SettledFile.class),
                exchange.getMessage().getBody(String.class));
        exchange.setVariable(DONE, true);
        CrashPoint.AFTER_DELIVERY_RECORDED.reach();
    }
}
