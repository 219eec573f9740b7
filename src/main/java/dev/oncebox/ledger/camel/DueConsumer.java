package dev.oncebox.ledger.camel;

import dev.oncebox.CrashPoint;
import dev.oncebox.ledger.Call;
import dev.oncebox.ledger.Capacity;
import dev.oncebox.ledger.Ledger;
import dev.oncebox.ledger.LedgerException;
import dev.oncebox.ledger.Variables;
import java.util.List;
import org.apache.camel.Endpoint;
import org.apache.camel.Exchange;
import org.apache.camel.Processor;

/** {@code from: ledger:due}: claims calls that are due, never more than the engines have places for. */
final class DueConsumer extends LedgerConsumer {

    private static final int MOST_AT_ONCE = 64;

    private final Ledger ledger;
    private final Capacity capacity;
    private boolean unclear;

    DueConsumer(Endpoint endpoint, Processor processor, Ledger ledger, Capacity capacity) {
        super(endpoint, processor, ledger);
        this.ledger = ledger;
        this.capacity = capacity;
    }

    @Override
    boolean take() {
        boolean more = false;
        for (String engine : capacity.engines()) {
            int places = capacity.take(engine, MOST_AT_ONCE);
            int used = 0;
            try {
                List<Call> calls = places == 0 ? List.of() : claim(engine, places);
                if (!calls.isEmpty()) {
                    CrashPoint.AFTER_CLAIM.reach();
                }
                for (Call call : calls) {
                    used++;
                    Exchange exchange = createExchange(false);
                    exchange.getMessage().setBody(call);
                    exchange.setVariable(Variables.CALL, call);
                    start(exchange, () -> finished(engine, exchange));
                }
                more |= places > 0 && calls.size() == places;
            } finally {
                capacity.release(engine, places - used);
            }
        }
        return more;
    }

    /** Camel tells the guard nothing of a block whose error handling failed as well, and the call would stay open. */
    private void finished(String engine, Exchange exchange) {
        try {
            if (exchange.getException() != null) {
                Guard.settleIfOpen(ledger, exchange);
            }
        } finally {
            capacity.release(engine, 1);
        }
    }

    /** A claim that failed may have happened all the same: what nobody here knows of is given back first. */
    private List<Call> claim(String engine, int places) {
        if (unclear) {
            ledger.releaseClaims();
            unclear = false;
        }
        try {
            return ledger.claim(engine, places);
        } catch (LedgerException e) {
            unclear = true;
            throw e;
        }
    }
}
