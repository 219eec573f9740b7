package dev.oncebox.ledger.camel;

import dev.oncebox.CrashPoint;
import dev.oncebox.ledger.Entry;
import dev.oncebox.ledger.Ledger;
import dev.oncebox.ledger.ReceivedFile;
import dev.oncebox.ledger.Variables;
import java.util.List;
import org.apache.camel.Endpoint;
import org.apache.camel.Exchange;
import org.apache.camel.support.DefaultProducer;

/** {@code to: ledger:record}: Message Store for the items of a file. Recording an item twice changes nothing. */
final class RecordProducer extends DefaultProducer {

    private final Ledger ledger;

    RecordProducer(Endpoint endpoint, Ledger ledger) {
        super(endpoint);
        this.ledger = ledger;
    }

    @Override
    @SuppressWarnings("unchecked") // the route's contract: the body is a list of items
    public void process(Exchange exchange) {
        ReceivedFile file = exchange.getVariable(Variables.FILE, ReceivedFile.class);
        ledger.record(file, (List<Entry>) exchange.getMessage().getBody(List.class));
        CrashPoint.AFTER_RECORDED.reach();
    }
}
