package dev.oncebox.ledger.camel;

import dev.oncebox.ledger.Call;
import dev.oncebox.ledger.Capacity;
import dev.oncebox.ledger.Variables;
import dev.oncebox.ledger.Verdict;
import org.apache.camel.Exchange;

/** Ends the place that a call has at its engine, once, whichever way its exchange ends. */
final class Places {

    private static final String FREED = "placeFreed";

    private Places() {}

    static void free(Capacity capacity, Exchange exchange, Verdict verdict) {
        Call call = exchange.getVariable(Variables.CALL, Call.class);
        if (exchange.getVariable(FREED) != null) {
            return;
        }
        exchange.setVariable(FREED, true);
        if (exchange.getVariable(Variables.ASKED) != null) {
            capacity.asked(call, verdict);
        } else if (exchange.getVariable(Variables.SENT) == null) {
            capacity.giveBack(call.engine(), 1);
        } else {
            capacity.settled(call, verdict);
        }
    }
}
