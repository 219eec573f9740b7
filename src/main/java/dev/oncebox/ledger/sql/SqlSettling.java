package dev.oncebox.ledger.sql;

import dev.oncebox.ledger.Answer;
import dev.oncebox.ledger.Call;
import dev.oncebox.ledger.CallState;
import dev.oncebox.ledger.Charged;
import dev.oncebox.ledger.EventKind;
import dev.oncebox.ledger.NextStep;
import dev.oncebox.ledger.Policy;
import dev.oncebox.ledger.Reply;
import dev.oncebox.ledger.Transition;
import dev.oncebox.ledger.Usage;
import dev.oncebox.ledger.Verdict;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.sql.SQLException;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * What attempts at calls came to. Runs inside the writer's transactions, for as many calls at once as wait for it: a
 * server that is far away is asked a few times for all of them, and not for each.
 *
 * <p>The raw reply is stored in the same commit as its verdict. A settlement whose claim is stale changes nothing, but
 * its reply is kept and the journal says so.
 */
final class SqlSettling {

    private static final String SETTLE = "UPDATE call SET state = ?, engine = ?, due = ?, attempts = ?, earlier = ?,"
            + " failures = ?, refused_since = ?, doubts = doubts + ? - CASE WHEN state = 'DOUBT'"
            + " OR (state = 'READY' AND unresolved = 0 AND doubts > 0) THEN 1 ELSE 0 END,"
            + " unresolved = ?, ended = ?, code = ?, reason = ?,"
            + " remote = CASE ? WHEN 'READY' THEN NULL ELSE coalesce(?, remote) END,"
            + " batch = CASE ? WHEN 'READY' THEN NULL ELSE batch END, seen = ?,"
            + " cost = CASE WHEN CAST(? AS BIGINT) IS NULL THEN cost ELSE coalesce(cost, 0) + ? END,"
            + " model = ?, finish = ?, usage = ?,"
            + " input_tokens = CASE WHEN CAST(? AS BIGINT) IS NULL THEN input_tokens ELSE coalesce(input_tokens, 0) + ? END,"
            + " output_tokens = CASE WHEN CAST(? AS BIGINT) IS NULL THEN output_tokens ELSE coalesce(output_tokens, 0) + ? END"
            + " WHERE id = ? AND fence = ? AND state IN ('POLLING', ?, ?, ?)";

    private static final String KEEP = "INSERT INTO reply (call, send, at, status, body) VALUES (?, ?, ?, ?, ?)";

    private static final String ANSWER =
            "INSERT INTO answer (call, json, body) VALUES (?, ?, ?) ON CONFLICT (call) DO NOTHING";

    private final Policy.Source policies;
    private final Clock clock;
    private final RandomGenerator random;

    SqlSettling(Policy.Source policies, Clock clock, RandomGenerator random) {
        this.policies = policies;
        this.clock = clock;
        this.random = random;
    }

    /**
     * What one attempt came to.
     *
     * @param call as it was claimed, before its send was counted
     */
    record Settlement(
            Call call,
            Verdict verdict,
            NextStep step,
            @Nullable Reply reply) {

        Journal.Attempt attempt() {
            return new Journal.Attempt(
                    call.id(), call.fence(), call.sends() + 1, call.engine(), reply == null ? null : reply.requestId());
        }
    }

    Policy policy(String job, String engine) {
        return policies.of(job, engine);
    }

    /** Returns what became of each call; nothing of one whose claim is stale. */
    List<Optional<Transition>> settle(Session session, long node, List<Settlement> settlements) throws SQLException {
        long now = clock.millis();
        List<Transition> next = new ArrayList<>(settlements.size());
        var calls = new Rows(session, SETTLE);
        for (Settlement each : settlements) {
            Call call = each.call();
            Policy policy = policies.of(call.job(), call.engine());
            Transition transition = Transition.after(call, each.verdict(), each.step(), policy, now, random);
            next.add(transition);
            calls.add(row(each, transition, now));
        }
        int[] changed = calls.write();
        record(session, node, now, settlements, next, changed);
        List<Optional<Transition>> became = new ArrayList<>(next.size());
        for (int i = 0; i < changed.length; i++) {
            boolean settled = changed[i] == 1 || isTold(session, node, now, settlements.get(i), next.get(i));
            became.add(settled ? Optional.of(next.get(i)) : Optional.empty());
        }
        return became;
    }

    /**
     * A late answer is taken as long as the call was not claimed again, even when the doubt was already decided. No row
     * changes when the claim is stale.
     */
    private static @Nullable Object[] row(Settlement settlement, Transition next, long now) {
        Verdict verdict = settlement.verdict();
        Usage usage = verdict.usage();
        Answer answer = verdict instanceof Verdict.Valid valid ? valid.answer() : null;
        boolean running = verdict instanceof Verdict.Running;
        return new @Nullable Object[] {
            next.state(),
            next.engine(),
            next.due(),
            next.attempts(),
            next.earlier(),
            next.failures(),
            next.refusedSince(),
            next.doubts(),
            next.unresolved(),
            next.state().isEnd() ? now : 0,
            next.code(),
            next.reason(),
            next.state(),
            next.address(),
            next.state(),
            next.seen(),
            billionths(usage.cost()),
            billionths(usage.cost()),
            answer == null ? null : answer.model(),
            answer == null ? null : answer.finish(),
            usage.text(),
            usage.inputTokens(),
            usage.inputTokens(),
            usage.outputTokens(),
            usage.outputTokens(),
            settlement.call().id(),
            settlement.call().fence(),
            running ? CallState.POLLING : CallState.SENT,
            running ? CallState.POLLING : CallState.DOUBT,
            alsoFrom(verdict)
        };
    }

    private static CallState alsoFrom(Verdict verdict) {
        if (verdict.charged() == Charged.NO) {
            return CallState.CLAIMED;
        }
        boolean endsDoubt = verdict instanceof Verdict.Valid || verdict instanceof Verdict.Accepted;
        return endsDoubt ? CallState.READY : CallState.POLLING;
    }

    /** What belongs to the calls that were changed: replies, answers, journal, and the files that wait for them. */
    private static void record(
            Session session,
            long node,
            long now,
            List<Settlement> settlements,
            List<Transition> transitions,
            int[] changed)
            throws SQLException {
        var replies = new Rows(session, KEEP);
        var answers = new Rows(session, ANSWER);
        List<Long> ended = new ArrayList<>();
        List<Long> accepted = new ArrayList<>();
        Journal.keep(session, now, node, journal -> {
            for (int i = 0; i < changed.length; i++) {
                if (changed[i] != 1) {
                    continue;
                }
                Settlement each = settlements.get(i);
                keep(replies, each, now);
                if (each.verdict() instanceof Verdict.Valid valid) {
                    answers.add(answer(each.call(), valid.answer()));
                }
                tell(journal, each, transitions.get(i));
                if (transitions.get(i).state().isEnd()) {
                    ended.add(each.call().id());
                }
                if (each.verdict() instanceof Verdict.Accepted) {
                    accepted.add(each.call().id());
                }
            }
            replies.write();
            answers.write();
        });
        ended(session, ended);
        for (long call : accepted) {
            SqlPolling.accepted(session, call);
        }
    }

    private static void keep(Rows replies, Settlement settlement, long now) {
        Reply reply = settlement.reply();
        if (reply != null && !(settlement.verdict() instanceof Verdict.Running)) {
            replies.add(
                    settlement.call().id(),
                    settlement.call().sends() + 1,
                    now,
                    reply.status(),
                    Packed.pack(reply.body()));
        }
    }

    private static @Nullable Object[] answer(Call call, Answer answer) {
        boolean json = answer.content() != null && !answer.content().isTextual();
        String text = answer.content() == null
                ? ""
                : json ? answer.content().toString() : answer.content().textValue();
        return new @Nullable Object[] {call.id(), json, Packed.pack(text)};
    }

    private static void tell(Journal journal, Settlement settlement, Transition next) {
        Journal.Attempt attempt = settlement.attempt();
        Verdict verdict = settlement.verdict();
        String detail = next.code() == null ? null : next.code() + ": " + next.reason();
        for (EventKind kind : next.events()) {
            switch (kind) {
                case DEAD_LETTER -> journal.add(kind, attempt, detail);
                case QUEUED -> journal.add(kind, attempt, next.address() + " " + next.reason());
                case POLLED -> journal.add(kind, attempt, next.reason());
                case FALLBACK -> journal.fallback(attempt, next.engine(), next.code(), next.attempts() > 0);
                default ->
                    journal.charged(
                            kind, attempt, verdict.charged(), verdict.usage().cost(), detail);
            }
        }
    }

    /**
     * Of a settlement that changed nothing, whether that is because it was recorded before and its commit was not heard
     * of. Else another claim has the call: the reply is kept, not used.
     */
    private static boolean isTold(Session session, long node, long now, Settlement settlement, Transition next)
            throws SQLException {
        if (settlement.verdict() instanceof Verdict.Running) {
            return false;
        }
        Journal.Attempt attempt = settlement.attempt();
        if (wasRecorded(session, node, attempt, next, settlement.reply())) {
            return true;
        }
        var replies = new Rows(session, KEEP);
        keep(replies, settlement, now);
        replies.write();
        boolean answered = session.number(
                        "SELECT count(*) FROM answer WHERE call = ?",
                        settlement.call().id())
                > 0;
        Journal.keep(
                session,
                now,
                node,
                journal -> journal.charged(
                        answered ? EventKind.COMPLETE : EventKind.INCOMPLETE,
                        attempt,
                        settlement.verdict().charged(),
                        settlement.verdict().usage().cost(),
                        "stale: another claim has the call; the reply is kept, not used"));
        return false;
    }

    /** Whether this node told of this very end of the attempt, with this reply, before, and the call went on from there. */
    private static boolean wasRecorded(
            Session session, long node, Journal.Attempt attempt, Transition next, @Nullable Reply reply)
            throws SQLException {
        boolean same = reply == null
                || session.is(
                        "EXISTS (SELECT 1 FROM reply WHERE call = ? AND send = ? AND status = ? AND body = ?)",
                        attempt.call(),
                        attempt.send(),
                        reply.status(),
                        Packed.pack(reply.body()));
        if (!same) {
            return false;
        }
        for (EventKind kind : next.events()) {
            if (session.is(
                    "EXISTS (SELECT 1 FROM event WHERE call = ? AND fence = ? AND attempt = ? AND node = ? AND kind = ?"
                            + " AND charged IS NOT NULL AND coalesce(detail, '') NOT LIKE 'stale:%')",
                    attempt.call(), attempt.fence(), attempt.send(), node, kind)) {
                return true;
            }
        }
        return false;
    }

    static @Nullable Long billionths(@Nullable BigDecimal cost) {
        BigDecimal whole = cost == null ? null : cost.movePointRight(9).setScale(0, RoundingMode.HALF_UP);
        return whole == null || whole.precision() > 18 ? null : (Long) whole.longValueExact();
    }

    /** The items of calls that have ended no longer keep their files waiting. */
    static void ended(Session session, List<Long> calls) throws SQLException {
        session.among(
                "SELECT file, count(*) FROM item WHERE call IN" + Session.AMONG + " GROUP BY file",
                row -> {
                    session.count(row.getLong(1), Session.Counts.noLongerPending(row.getLong(2)));
                    return true;
                },
                calls);
    }
}
