package dev.oncebox.ledger.camel;

import dev.oncebox.CrashPoint;
import dev.oncebox.ledger.Answer;
import dev.oncebox.ledger.Batch;
import dev.oncebox.ledger.Call;
import dev.oncebox.ledger.CallName;
import dev.oncebox.ledger.CallState;
import dev.oncebox.ledger.Capacity;
import dev.oncebox.ledger.Charged;
import dev.oncebox.ledger.EventKind;
import dev.oncebox.ledger.Ledger;
import dev.oncebox.ledger.LedgerException;
import dev.oncebox.ledger.NextStep;
import dev.oncebox.ledger.Note;
import dev.oncebox.ledger.Reply;
import dev.oncebox.ledger.Settlements;
import dev.oncebox.ledger.Transition;
import dev.oncebox.ledger.Variables;
import dev.oncebox.ledger.Verdict;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.camel.Endpoint;
import org.apache.camel.Exchange;
import org.apache.camel.support.DefaultProducer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * {@code to: ledger:settle}: what became of a call, or of a whole batch: the variable {@code verdict}, else the valid
 * {@code answer}. The reply may have been paid for, so a ledger that cannot be written for a while is waited for, and
 * for one that never will be the reply is put beside it.
 */
final class SettleProducer extends DefaultProducer {

    private static final Logger LOG = LoggerFactory.getLogger(SettleProducer.class);

    private final Ledger ledger;
    private final Capacity capacity;
    private final Rescue rescue;
    private final Outage outage;
    private final Settlements settlements;
    private final Map<String, NextStep> steps;
    private final Troubles troubles = new Troubles();

    SettleProducer(Endpoint endpoint, LedgerComponent component, Map<String, NextStep> steps) {
        super(endpoint);
        this.ledger = component.ledger();
        this.capacity = component.capacity();
        this.rescue = component.rescue();
        this.outage = component.outage();
        this.settlements = component.settlements();
        this.steps = Map.copyOf(steps);
    }

    @Override
    public void process(Exchange exchange) {
        Verdict verdict = exchange.getVariable(Variables.VERDICT, Verdict.class);
        if (verdict == null) {
            verdict = new Verdict.Valid(exchange.getVariable(Variables.ANSWER, Answer.class));
        }
        CrashPoint.AFTER_RESPONSE.reach();
        Places.free(capacity, exchange, verdict);
        Call call = exchange.getVariable(Variables.CALL, Call.class);
        Reply reply = exchange.getVariable(Variables.REPLY, Reply.class);
        NextStep step = steps.getOrDefault(verdict.kind(), NextStep.IN_DOUBT);
        if (call == null) {
            settle(exchange.getVariable(Variables.BATCH, Batch.class), verdict, step, reply);
        } else {
            Long sent = exchange.getVariable(Variables.SENT, Long.class);
            settlements.settled(call, verdict, sent == null ? 0 : System.nanoTime() - sent);
            settle(call, verdict, step, reply);
        }
        exchange.setVariable(Variables.CALL_SETTLED, true);
    }

    private void settle(Call call, Verdict verdict, NextStep step, @Nullable Reply reply) {
        var next = new Transition[1];
        Waited waited = untilRecorded(
                "call " + call.keyHex(),
                () -> next[0] = ledger.settle(call, verdict, step, reply),
                () -> rescue.spool(call, verdict, reply));
        if (waited == Waited.IN_VAIN) {
            rescue.keep(call, verdict, reply);
            return;
        }
        if (waited == Waited.YES) {
            rescue.recorded(call);
        }
        reach(next[0]);
        log(call, verdict, next[0], waited == Waited.YES);
    }

    private static void reach(@Nullable Transition next) {
        CrashPoint.AFTER_DONE.reach();
        if (next != null && next.state() == CallState.POLLING) {
            CrashPoint.AFTER_ACCEPTED.reach();
        }
        if (next != null && next.events().contains(EventKind.FALLBACK)) {
            CrashPoint.AFTER_FALLBACK.reach();
        }
    }

    /** What cannot be recorded is found again by the batch's handle. */
    private void settle(Batch batch, Verdict verdict, NextStep step, @Nullable Reply reply) {
        untilRecorded("batch " + batch.handle(), () -> ledger.batches().settle(batch, verdict, step, reply), () -> {});
        CrashPoint.AFTER_ACCEPTED.reach();
        if (verdict instanceof Verdict.Accepted accepted) {
            LOG.atInfo()
                    .addKeyValue("engine", batch.engine())
                    .log("engine {} accepted a batch: {}", batch.engine(), accepted.address());
        } else if (!(verdict instanceof Verdict.Running running && running.known())
                && troubles.isNews(batch.engine() + "batch")) {
            LOG.atWarn()
                    .addKeyValue("engine", batch.engine())
                    .log("engine {}, batch {}: {}", batch.engine(), batch.handle(), said(verdict));
        }
    }

    private static String said(Verdict verdict) {
        return verdict instanceof Verdict.Failure failure
                ? failure.reason()
                : verdict instanceof Verdict.Running running ? running.said() : verdict.kind();
    }

    private enum Waited {
        NO,
        YES,
        IN_VAIN
    }

    /**
     * The reply may have been paid for: a ledger that cannot be written for a while is waited for.
     *
     * @param spool keeps it where the end of this process does not take it along
     */
    private Waited untilRecorded(String what, Runnable record, Runnable spool) {
        Waited waited = Waited.NO;
        while (true) {
            try {
                record.run();
                if (waited == Waited.YES) {
                    outage.isOver();
                }
                return waited;
            } catch (LedgerException e) {
                if (!e.isPassing() || !isRunAllowed()) {
                    LOG.error("{} The {} could not be settled.", e.getMessage(), what);
                    return Waited.IN_VAIN;
                }
                outage.met(e);
                if (waited == Waited.NO) {
                    spool.run();
                }
                waited = Waited.YES;
                try {
                    TimeUnit.SECONDS.sleep(1);
                } catch (InterruptedException interrupted) {
                    Thread.currentThread().interrupt();
                    return Waited.IN_VAIN;
                }
            }
        }
    }

    private void log(Call call, Verdict verdict, @Nullable Transition next, boolean waited) {
        String news = news(call, verdict, next);
        if (news != null || waited && LOG.isDebugEnabled()) {
            CallName name = CallName.of(call, ledger);
            name.in(news == null ? LOG.atDebug() : LOG.atWarn())
                    .addKeyValue("engine", call.engine())
                    .log("{} {}", name, news == null ? "could be recorded at last" : news);
        }
    }

    /** What is worth a line, after the name of the call; null: nothing. */
    private @Nullable String news(Call call, Verdict verdict, @Nullable Transition next) {
        if (verdict instanceof Verdict.Running running) {
            return running.known() || !troubles.isNews(call.engine() + "asked")
                    ? null
                    : "cannot be asked for at engine " + call.engine() + " now: " + running.said()
                            + " It is asked for again.";
        }
        if (next == null) {
            return "was settled by somebody else meanwhile; the late reply is kept";
        }
        return switch (next.state()) {
            case DEAD -> "failed for good: " + next.reason() + " (" + next.code() + ")";
            case DOUBT -> "is in doubt: " + next.reason() + " A person decides: oncebox doubt list";
            case READY ->
                troubles.isNews(call.engine() + next.code())
                        ? trouble(call, next) + " " + follows(verdict, next)
                        : null;
            case DONE, POLLING ->
                Note.codes(next.code()).contains("prompt_cut") && troubles.isNews(call.engine() + "prompt_cut")
                        ? trouble(call, next) + " The answer is delivered: on-prompt-cut=accept."
                        : null;
            case CLAIMED, SENT -> null;
        };
    }

    private static String trouble(Call call, Transition next) {
        return "at engine " + call.engine() + ": " + next.reason() + " (" + next.code() + ")";
    }

    private static String follows(Verdict verdict, Transition next) {
        if (next.events().contains(EventKind.FALLBACK)) {
            return "Such calls go on at " + next.engine() + ".";
        }
        return verdict.charged() == Charged.NO
                ? "Nothing was charged; such calls are tried again later."
                : "It may have been charged; such calls are sent again within the job's attempts.";
    }
}
