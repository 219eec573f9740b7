package dev.oncebox.ledger.camel;

import dev.oncebox.CrashPoint;
import dev.oncebox.ledger.Call;
import dev.oncebox.ledger.Capacity;
import dev.oncebox.ledger.Ledger;
import dev.oncebox.ledger.LedgerException;
import dev.oncebox.ledger.Pause;
import dev.oncebox.ledger.Variables;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.IntFunction;
import org.apache.camel.Endpoint;
import org.apache.camel.Exchange;
import org.apache.camel.Processor;

/** {@code from: ledger:due}: claims calls that are due, never more than the engines have places for. */
final class DueConsumer extends LedgerConsumer {

    private static final int MOST_AT_ONCE = 64;

    private final Ledger ledger;
    private final Capacity capacity;
    private final Fallbacks fallbacks;
    private final Pauses told;
    /** Exchanges that ended without settling their call, at a moment when the ledger could not take it. */
    private final Queue<Exchange> unsettled = new ConcurrentLinkedQueue<>();

    /** Engines with places to spare at this look: what comes a moment later is theirs, and goes to no fallback. */
    private final Set<String> spare = new HashSet<>();

    private boolean unclear;

    DueConsumer(Endpoint endpoint, Processor processor, LedgerComponent component) {
        super(endpoint, processor, component.ledger());
        this.ledger = component.ledger();
        this.capacity = component.capacity();
        this.fallbacks = component.fallbacks();
        this.told = new Pauses(ledger);
    }

    /** Each engine's own calls come first, so that one that is left in peace can be probed before they go elsewhere. */
    @Override
    boolean take() {
        for (Exchange exchange = unsettled.peek(); exchange != null; exchange = unsettled.peek()) {
            Guard.settleIfOpen(ledger, exchange);
            unsettled.remove();
        }
        if (unclear) {
            // a claim that failed may have happened all the same: what nobody here knows of is given back
            ledger.releaseClaims();
            unclear = false;
        }
        boolean more = false;
        spare.clear();
        Set<String> gathering = capacity.gathering().keySet();
        for (String engine : capacity.engines()) {
            if (!gathering.contains(engine)) {
                more |= take(engine, places -> ledger.claim(engine, places));
            }
        }
        Map<String, Pause> pauses = capacity.pauses();
        for (String engine : capacity.engines()) {
            for (Ledger.Move move : fallbacks.to(engine, pauses)) {
                if (spare.contains(move.from())) {
                    continue;
                }
                more |= gathering.contains(engine)
                        ? ledger.fallBack(move, MOST_AT_ONCE) == MOST_AT_ONCE
                        : take(engine, places -> moveAndClaim(move, places));
            }
        }
        told.tell(capacity.pauses());
        return more;
    }

    private List<Call> moveAndClaim(Ledger.Move move, int places) {
        if (ledger.fallBack(move, places) == 0) {
            return List.of();
        }
        CrashPoint.AFTER_FALLBACK.reach();
        return ledger.claim(move.to(), places);
    }

    private boolean take(String engine, IntFunction<List<Call>> claim) {
        int places = capacity.take(engine, MOST_AT_ONCE);
        int used = 0;
        try {
            unclear = true;
            List<Call> calls = places == 0 ? List.of() : claim.apply(places);
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
            unclear = false;
            if (calls.size() < places) {
                spare.add(engine);
            }
            return places > 0 && calls.size() == places;
        } finally {
            capacity.giveBack(engine, places - used);
        }
    }

    @Override
    long restMillis() {
        return ledger.untilDue(capacity.engines());
    }

    /** Camel tells the guard nothing of a block whose error handling failed as well, and the call would stay open. */
    private void finished(Exchange exchange) {
        try {
            if (exchange.getException() != null) {
                Guard.settleIfOpen(ledger, exchange);
            }
        } catch (LedgerException e) {
            unsettled.add(exchange);
        } finally {
            Places.free(capacity, exchange, Guard.UNSETTLED);
        }
    }
}
