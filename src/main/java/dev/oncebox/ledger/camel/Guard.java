package dev.oncebox.ledger.camel;

import dev.oncebox.CrashPoint;
import dev.oncebox.ledger.Batch;
import dev.oncebox.ledger.Call;
import dev.oncebox.ledger.Ledger;
import dev.oncebox.ledger.NextStep;
import dev.oncebox.ledger.Reply;
import dev.oncebox.ledger.Variables;
import dev.oncebox.ledger.Verdict;
import org.apache.camel.Exchange;
import org.apache.camel.spi.IdempotentRepository;
import org.apache.camel.support.service.ServiceSupport;

/**
 * The repository of the Idempotent Consumer around the paid call. {@link #add} makes the send durable before its first
 * byte leaves, or says no because the claim is stale; an exception of the ledger reaches the route, and nothing is sent.
 *
 * <p>Settling is a step of the route, because what fails inside {@code confirm} or {@code remove} is only logged by
 * Camel. These two merely look whether that step happened, and put the call in doubt if it did not.
 */
public final class Guard extends ServiceSupport implements IdempotentRepository {

    static final Verdict UNSETTLED =
            new Verdict.Unknown("unsettled", "The route ended without settling the call.", false);

    private final Ledger ledger;

    public Guard(Ledger ledger) {
        this.ledger = ledger;
    }

    @Override
    public boolean add(Exchange exchange, String key) {
        Batch batch = exchange.getVariable(Variables.BATCH, Batch.class);
        boolean sent = batch == null
                ? ledger.sent(exchange.getVariable(Variables.CALL, Call.class))
                : ledger.batches().sent(batch);
        if (sent) {
            exchange.setVariable(Variables.SENT, System.nanoTime());
            CrashPoint.AFTER_SENT.reach();
        }
        return sent;
    }

    @Override
    public boolean confirm(Exchange exchange, String key) {
        settleIfOpen(ledger, exchange);
        return true;
    }

    /** Puts the call, or the batch, in doubt if its route ended without settling it. */
    static void settleIfOpen(Ledger ledger, Exchange exchange) {
        Batch batch = exchange.getVariable(Variables.BATCH, Batch.class);
        if (batch != null) {
            if (exchange.getVariable(Variables.CALL_SETTLED) == null
                    && ledger.batches().isOpen(batch)) {
                ledger.batches().settle(batch, UNSETTLED, NextStep.IN_DOUBT, null);
            }
            return;
        }
        Call call = exchange.getVariable(Variables.CALL, Call.class);
        if (exchange.getVariable(Variables.CALL_SETTLED) == null && ledger.isOpen(call)) {
            ledger.settle(call, UNSETTLED, NextStep.IN_DOUBT, exchange.getVariable(Variables.REPLY, Reply.class));
        }
    }

    @Override
    public boolean remove(Exchange exchange, String key) {
        return confirm(exchange, key);
    }

    @Override
    public boolean contains(Exchange exchange, String key) {
        return false;
    }

    @Override
    public boolean add(String key) {
        throw new UnsupportedOperationException("the guard needs the exchange's call");
    }

    @Override
    public boolean contains(String key) {
        return false;
    }

    @Override
    public boolean remove(String key) {
        return false;
    }

    @Override
    public boolean confirm(String key) {
        return false;
    }

    @Override
    public void clear() {
        throw new UnsupportedOperationException("the ledger is never cleared");
    }
}
