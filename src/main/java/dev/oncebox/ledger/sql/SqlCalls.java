package dev.oncebox.ledger.sql;

import dev.oncebox.ledger.Answer;
import dev.oncebox.ledger.Call;
import dev.oncebox.ledger.CallState;
import dev.oncebox.ledger.Charged;
import dev.oncebox.ledger.EventKind;
import dev.oncebox.ledger.NextStep;
import dev.oncebox.ledger.Policy;
import dev.oncebox.ledger.Reply;
import dev.oncebox.ledger.Request;
import dev.oncebox.ledger.Transition;
import dev.oncebox.ledger.Usage;
import dev.oncebox.ledger.Verdict;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Claiming, sending and settling calls. Runs inside the writer's transactions.
 *
 * <p>Every statement after a claim names the claim's fence and the states it may leave. No row changed means that the
 * claim is stale: somebody else has the call now, so nothing may be sent for it and only bytes may be kept.
 */
final class SqlCalls {

    static final String COLUMNS =
            " c.id, c.key, j.name, c.engine, c.fence, c.sends, c.attempts, c.earlier, c.unresolved, c.failures,"
                    + " c.refused_since, j.definition, r.body, c.remote, c.seen, c.reason FROM call c JOIN job j ON j.id = c.job JOIN request r ON r.call = c.id";

    private final RequestCodec codec;
    private final Policy.Source policies;
    private final Clock clock;
    private final RandomGenerator random;
    private final Scope scope;

    SqlCalls(RequestCodec codec, Policy.Source policies, Clock clock, RandomGenerator random) {
        this(codec, policies, clock, random, Scope.everything());
    }

    SqlCalls(RequestCodec codec, Policy.Source policies, Clock clock, RandomGenerator random, Scope scope) {
        this.codec = codec;
        this.policies = policies;
        this.clock = clock;
        this.random = random;
        this.scope = scope;
    }

    private String claim(Sharing sharing) {
        return "WITH pick AS (SELECT id FROM call WHERE state = 'READY' AND engine = ? AND due <= ?"
                + scope.calls() + " ORDER BY due, id LIMIT ?" + sharing.skipLocked() + ")"
                + " UPDATE call SET state = 'CLAIMED', fence = fence + 1, owner = ?"
                + " WHERE id IN (SELECT id FROM pick) RETURNING id, due";
    }

    private record Picked(long id, long due) {}

    /** A call whose request is still as stored; unpacking it is left to the worker. */
    record Stored(
            long id,
            byte[] key,
            String job,
            String engine,
            long fence,
            int sends,
            int attempts,
            int earlier,
            int unresolved,
            int failures,
            long refusedSince,
            String definition,
            byte[] body,
            Call.@Nullable Remote remote) {}

    List<Stored> claim(Session session, long node, String engine, int limit) throws SQLException {
        long now = clock.millis();
        List<Picked> picked = new ArrayList<>(session.list(
                claim(session.sharing()), row -> new Picked(row.getLong(1), row.getLong(2)), engine, now, limit, node));
        picked.sort(Comparator.comparingLong(Picked::due).thenComparingLong(Picked::id));
        List<Stored> calls = new ArrayList<>(picked.size());
        for (Picked each : picked) {
            Stored call = session.one("SELECT" + COLUMNS + " WHERE c.id = ?", SqlCalls::stored, each.id());
            if (call != null) {
                new Journal(session, now, node)
                        .add(
                                EventKind.ATTEMPT,
                                new Journal.Attempt(call.id(), call.fence(), call.sends() + 1, engine),
                                null);
                calls.add(call);
            }
        }
        return calls;
    }

    static Stored stored(ResultSet row) throws SQLException {
        return new Stored(
                row.getLong(1),
                row.getBytes(2),
                row.getString(3),
                row.getString(4),
                row.getLong(5),
                row.getInt(6),
                row.getInt(7),
                row.getInt(8),
                row.getInt(9),
                row.getInt(10),
                row.getLong(11),
                row.getString(12),
                row.getBytes(13),
                row.getString(14) == null
                        ? null
                        : new Call.Remote(row.getString(14), row.getLong(15), row.getString(16)));
    }

    Call call(Stored stored) {
        Request request = codec.request(stored.definition(), stored.body());
        return new Call(
                stored.id(),
                stored.key(),
                stored.job(),
                stored.engine(),
                stored.fence(),
                stored.sends(),
                stored.attempts(),
                stored.earlier(),
                stored.unresolved(),
                stored.failures(),
                stored.refusedSince(),
                request,
                stored.remote());
    }

    Scope scope() {
        return scope;
    }

    Policy policy(String job, String engine) {
        return policies.of(job, engine);
    }

    boolean sent(Session session, long node, Call call) throws SQLException {
        long now = clock.millis();
        int changed = session.update(
                "UPDATE call SET state = 'SENT', sends = sends + 1, attempts = attempts + 1, sent = ?"
                        + " WHERE id = ? AND fence = ? AND state = 'CLAIMED' AND owner = ?",
                now,
                call.id(),
                call.fence(),
                node);
        if (changed == 1) {
            new Journal(session, now, node)
                    .add(
                            EventKind.SENT,
                            new Journal.Attempt(call.id(), call.fence(), call.sends() + 1, call.engine()),
                            null);
        }
        return changed == 1;
    }

    @Nullable
    Transition settle(Session session, long node, Call call, Verdict verdict, NextStep step, @Nullable Reply reply)
            throws SQLException {
        long now = clock.millis();
        Transition next = Transition.after(call, verdict, step, policies.of(call.job(), call.engine()), now, random);
        boolean changed = update(session, call, verdict, next, now);
        if (verdict instanceof Verdict.Running && !changed) {
            return null;
        }
        int send = call.sends() + 1;
        if (reply != null && !(verdict instanceof Verdict.Running)) {
            session.update(
                    "INSERT INTO reply (call, send, at, status, body) VALUES (?, ?, ?, ?, ?)",
                    call.id(),
                    send,
                    now,
                    reply.status(),
                    Packed.pack(reply.body()));
        }
        var journal = new Journal(session, now, node);
        var attempt = new Journal.Attempt(
                call.id(), call.fence(), send, call.engine(), reply == null ? null : reply.requestId());
        BigDecimal cost = verdict.usage().cost();
        if (!changed) {
            boolean answered = session.number("SELECT count(*) FROM answer WHERE call = ?", call.id()) > 0;
            journal.charged(
                    answered ? EventKind.COMPLETE : EventKind.INCOMPLETE,
                    attempt,
                    verdict.charged(),
                    cost,
                    "stale: another claim has the call; the reply is kept, not used");
            return null;
        }
        if (verdict instanceof Verdict.Valid valid) {
            store(session, call, valid.answer());
        }
        String detail = next.code() == null ? null : next.code() + ": " + next.reason();
        for (EventKind kind : next.events()) {
            switch (kind) {
                case DEAD_LETTER -> journal.add(kind, attempt, detail);
                case QUEUED -> journal.add(kind, attempt, next.address() + " " + next.reason());
                case POLLED -> journal.add(kind, attempt, next.reason());
                case FALLBACK -> journal.fallback(attempt, next.engine(), next.code(), next.attempts() > 0);
                default -> journal.charged(kind, attempt, verdict.charged(), cost, detail);
            }
        }
        if (next.state().isEnd()) {
            ended(session, call.id());
        }
        if (verdict instanceof Verdict.Accepted) {
            SqlPolling.accepted(session, call.id());
        }
        return next;
    }

    /**
     * False: the claim is stale. A late answer is taken as long as the call was not claimed again, even when the doubt
     * was already decided.
     */
    private static boolean update(Session session, Call call, Verdict verdict, Transition next, long now)
            throws SQLException {
        Usage usage = verdict.usage();
        Answer answer = verdict instanceof Verdict.Valid valid ? valid.answer() : null;
        return session.update(
                        "UPDATE call SET state = ?, engine = ?, due = ?, attempts = ?, earlier = ?, failures = ?,"
                                + " refused_since = ?, doubts = doubts + ? - CASE WHEN state = 'DOUBT'"
                                + " OR (state = 'READY' AND unresolved = 0 AND doubts > 0) THEN 1 ELSE 0 END,"
                                + " unresolved = ?, ended = ?, code = ?, reason = ?,"
                                + " remote = CASE ? WHEN 'READY' THEN NULL ELSE coalesce(?, remote) END,"
                                + " batch = CASE ? WHEN 'READY' THEN NULL ELSE batch END, seen = ?,"
                                + " cost = CASE WHEN CAST(? AS BIGINT) IS NULL THEN cost ELSE coalesce(cost, 0) + ? END,"
                                + " model = ?, finish = ?, usage = ?,"
                                + " input_tokens = CASE WHEN CAST(? AS BIGINT) IS NULL THEN input_tokens ELSE coalesce(input_tokens, 0) + ? END,"
                                + " output_tokens = CASE WHEN CAST(? AS BIGINT) IS NULL THEN output_tokens ELSE coalesce(output_tokens, 0) + ? END"
                                + " WHERE id = ? AND fence = ? AND state IN ('POLLING', ?, ?, ?)",
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
                        call.id(),
                        call.fence(),
                        verdict instanceof Verdict.Running ? CallState.POLLING : CallState.SENT,
                        verdict instanceof Verdict.Running ? CallState.POLLING : CallState.DOUBT,
                        alsoFrom(verdict))
                == 1;
    }

    private static CallState alsoFrom(Verdict verdict) {
        if (verdict.charged() == Charged.NO) {
            return CallState.CLAIMED;
        }
        boolean endsDoubt = verdict instanceof Verdict.Valid || verdict instanceof Verdict.Accepted;
        return endsDoubt ? CallState.READY : CallState.POLLING;
    }

    private void store(Session session, Call call, Answer answer) throws SQLException {
        boolean json = answer.content() != null && !answer.content().isTextual();
        String text = answer.content() == null
                ? ""
                : json ? answer.content().toString() : answer.content().textValue();
        session.update(
                "INSERT INTO answer (call, json, body) VALUES (?, ?, ?) ON CONFLICT (call) DO NOTHING",
                call.id(),
                json,
                Packed.pack(text));
    }

    static @Nullable Long billionths(@Nullable BigDecimal cost) {
        BigDecimal whole = cost == null ? null : cost.movePointRight(9).setScale(0, RoundingMode.HALF_UP);
        return whole == null || whole.precision() > 18 ? null : (Long) whole.longValueExact();
    }

    /** The items of a call that has ended no longer keep their files waiting. */
    static void ended(Session session, long call) throws SQLException {
        session.update(
                "UPDATE file SET pending = pending - (SELECT count(*) FROM item i WHERE i.call = ? AND i.file = file.id)"
                        + " WHERE state <> 'DELIVERED' AND id IN (SELECT i.file FROM item i WHERE i.call = ?)",
                call,
                call);
    }

    boolean isOpen(Session session, Call call) throws SQLException {
        return session.number(
                        "SELECT count(*) FROM call WHERE id = ? AND fence = ? AND state = 'SENT'",
                        call.id(),
                        call.fence())
                > 0;
    }
}
