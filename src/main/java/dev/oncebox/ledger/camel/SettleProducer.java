package dev.oncebox.ledger.camel;

import dev.oncebox.CrashPoint;
import dev.oncebox.ledger.Answer;
import dev.oncebox.ledger.Call;
import dev.oncebox.ledger.CallState;
import dev.oncebox.ledger.Capacity;
import dev.oncebox.ledger.Charged;
import dev.oncebox.ledger.EventKind;
import dev.oncebox.ledger.Ledger;
import dev.oncebox.ledger.LedgerException;
import dev.oncebox.ledger.NextStep;
import dev.oncebox.ledger.Note;
import dev.oncebox.ledger.Reply;
import dev.oncebox.ledger.Transition;
import dev.oncebox.ledger.Variables;
import dev.oncebox.ledger.Verdict;
import java.util.concurrent.TimeUnit;
import org.apache.camel.Endpoint;
import org.apache.camel.Exchange;
import org.apache.camel.support.DefaultProducer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * {@code to: ledger:settle}: what became of a call: the variable {@code verdict}, else the valid {@code answer}. The reply may have been paid for, so a ledger that cannot be
 * written for a while is waited for, and for one that never will be the reply is put beside it.
 */
final class SettleProducer extends DefaultProducer {

    private static final Logger LOG = LoggerFactory.getLogger(SettleProducer.class);

    private final Ledger ledger;
    private final Capacity capacity;
    private final Rescue rescue;
    private final NextStep step;
    private final Troubles troubles = new Troubles();

    SettleProducer(Endpoint endpoint, LedgerComponent component, NextStep step) {
        super(endpoint);
        this.ledger = component.ledger();
        this.capacity = component.capacity();
        this.rescue = component.rescue();
        this.step = step;
    }

    @Override
    public void process(Exchange exchange) {
        Call call = exchange.getVariable(Variables.CALL, Call.class);
        Verdict verdict = exchange.getVariable(Variables.VERDICT, Verdict.class);
        if (verdict == null) {
            verdict = new Verdict.Valid(exchange.getVariable(Variables.ANSWER, Answer.class));
        }
        Reply reply = exchange.getVariable(Variables.REPLY, Reply.class);
        CrashPoint.AFTER_RESPONSE.reach();
        Places.free(capacity, exchange, verdict);
        boolean waiting = false;
        while (true) {
            try {
                Transition next = ledger.settle(call, verdict, step, reply);
                exchange.setVariable(Variables.CALL_SETTLED, true);
                CrashPoint.AFTER_DONE.reach();
                if (next != null && next.state() == CallState.POLLING) {
                    CrashPoint.AFTER_ACCEPTED.reach();
                }
                if (next != null && next.events().contains(EventKind.FALLBACK)) {
                    CrashPoint.AFTER_FALLBACK.reach();
                }
                log(call, verdict, next, waiting);
                return;
            } catch (LedgerException e) {
                if (!e.isPassing() || !isRunAllowed()) {
                    LOG.error("{} Call {} could not be settled.", e.getMessage(), call.keyHex());
                    rescue.keep(call, verdict, reply);
                    exchange.setVariable(Variables.CALL_SETTLED, true);
                    return;
                }
                if (!waiting) {
                    LOG.error("{} The reply to {} is kept in memory until it can be.", e.getMessage(), call.keyHex());
                }
                waiting = true;
                try {
                    TimeUnit.SECONDS.sleep(1);
                } catch (InterruptedException interrupted) {
                    rescue.keep(call, verdict, reply);
                    exchange.setVariable(Variables.CALL_SETTLED, true);
                    Thread.currentThread().interrupt();
                    return;
                }
            }
        }
    }

    private void log(Call call, Verdict verdict, @Nullable Transition next, boolean waited) {
        if (verdict instanceof Verdict.Running running) {
            if (!running.known() && troubles.isNews(call.engine() + "asked")) {
                LOG.warn(
                        "engine {} cannot be asked for an answer now: {} It is asked again.",
                        call.engine(),
                        running.said());
            }
        } else if (next == null) {
            LOG.warn("call {} was settled by somebody else meanwhile; the late reply is kept", call.keyHex());
        } else if (next.state() == CallState.DEAD) {
            LOG.warn("call {} failed for good: {} ({})", call.keyHex(), next.reason(), next.code());
        } else if (next.state() == CallState.DOUBT) {
            LOG.warn("call {} is in doubt: {} A person decides: oncebox doubt list", call.keyHex(), next.reason());
        } else if (next.state() == CallState.READY && troubles.isNews(call.engine() + next.code())) {
            LOG.warn(
                    "engine {}: {} ({}) {}",
                    call.engine(),
                    next.reason(),
                    next.code(),
                    next.events().contains(EventKind.FALLBACK)
                            ? "Such calls go on at " + next.engine() + "."
                            : verdict.charged() == Charged.NO
                                    ? "Nothing was charged; such calls are tried again later."
                                    : "It may have been charged; such calls are sent again within the job's attempts.");
        } else if (Note.codes(next.code()).contains("prompt_cut") && troubles.isNews(call.engine() + "prompt_cut")) {
            LOG.warn(
                    "engine {}: {} (prompt_cut) The answer is delivered: on-prompt-cut=accept.",
                    call.engine(),
                    next.reason());
        } else if (waited) {
            LOG.info("call {} could be recorded at last", call.keyHex());
        }
    }
}
