package dev.oncebox.ledger.camel;

import dev.oncebox.CrashPoint;
import dev.oncebox.ledger.Call;
import dev.oncebox.ledger.Capacity;
import dev.oncebox.ledger.Ledger;
import dev.oncebox.ledger.LedgerException;
import dev.oncebox.ledger.Variables;
import java.util.ArrayList;
import java.util.List;
import org.apache.camel.Endpoint;
import org.apache.camel.Exchange;
import org.apache.camel.Processor;

/** {@code from: ledger:due}: claims calls that are due, never more than the engines have places for. */
final class DueConsumer extends LedgerConsumer {

    private static final int MOST_AT_ONCE = 64;

    private final Ledger ledger;
    private final Capacity capacity;
    private final Fallbacks fallbacks;
    private final Pauses pauses;
    private boolean unclear;

    DueConsumer(Endpoint endpoint, Processor processor, LedgerComponent component) {
        super(endpoint, processor, component.ledger());
        this.ledger = component.ledger();
        this.capacity = component.capacity();
        this.fallbacks = component.fallbacks();
        this.pauses = new Pauses(ledger);
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
                    start(exchange, () -> finished(exchange));
                }
                more |= places > 0 && calls.size() == places;
            } finally {
                capacity.giveBack(engine, places - used);
            }
        }
        pauses.tell(capacity.pauses());
        return more;
    }

    /** Camel tells the guard nothing of a block whose error handling failed as well, and the call would stay open. */
    private void finished(Exchange exchange) {
        try {
            if (exchange.getException() != null) {
                Guard.settleIfOpen(ledger, exchange);
            }
        } finally {
            Places.free(capacity, exchange, Guard.UNSETTLED);
        }
    }

    /**
     * The engine's own calls, then those of engines that are left in peace. A claim that failed may have happened all
     * the same: what nobody here knows of is given back first.
     */
    private List<Call> claim(String engine, int places) {
        if (unclear) {
            ledger.releaseClaims();
            unclear = false;
        }
        try {
            List<Call> calls = new ArrayList<>(ledger.claim(engine, places));
            for (Ledger.Move move : fallbacks.to(engine, capacity.pauses())) {
                int free = places - calls.size();
                if (free > 0 && ledger.fallBack(move, free) > 0) {
                    calls.addAll(ledger.claim(engine, free));
                }
            }
            return calls;
        } catch (LedgerException e) {
            unclear = true;
            throw e;
        }
    }
}
