package dev.oncebox.ledger.camel;

import dev.oncebox.ledger.Batch;
import dev.oncebox.ledger.Call;
import dev.oncebox.ledger.Capacity;
import dev.oncebox.ledger.Charged;
import dev.oncebox.ledger.Variables;
import dev.oncebox.ledger.Verdict;
import java.util.List;
import org.apache.camel.Exchange;
import org.jspecify.annotations.Nullable;

/** Ends the place that a call, or each call of a batch, has at its engine, once, whichever way its exchange ends. */
final class Places {

    private static final String FREED = "placeFreed";

    private Places() {}

    static void free(Capacity capacity, Exchange exchange, Verdict verdict) {
        if (exchange.getVariable(FREED) != null) {
            return;
        }
        exchange.setVariable(FREED, true);
        Call call = exchange.getVariable(Variables.CALL, Call.class);
        Batch batch = exchange.getVariable(Variables.BATCH, Batch.class);
        List<Call> calls = call != null ? List.of(call) : batch != null ? batch.calls() : List.of();
        for (Call each : calls) {
            if (exchange.getVariable(Variables.ASKED) != null) {
                capacity.asked(each, verdict);
            } else if (exchange.getVariable(Variables.SENT) == null && !isRefusedBefore(call, verdict)) {
                capacity.giveBack(each.engine(), 1);
            } else {
                capacity.settled(each, verdict);
            }
        }
    }

    /** What a batch needs before it is sent may be refused as well, and the engine is to be left in peace then. */
    private static boolean isRefusedBefore(@Nullable Call call, Verdict verdict) {
        return call == null && verdict.charged() == Charged.NO;
    }
}
