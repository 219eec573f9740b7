package dev.oncebox.ledger.sql;

import dev.oncebox.ledger.Answer;
import dev.oncebox.ledger.Call;
import dev.oncebox.ledger.CallState;
import dev.oncebox.ledger.Charged;
import dev.oncebox.ledger.EventKind;
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
            " c.id, c.key, j.name, c.engine, c.fence, c.sends, c.attempts, c.failures, c.refused_since, j.definition,"
                    + " r.body FROM call c JOIN job j ON j.id = c.job JOIN request r ON r.call = c.id";

    private final RequestCodec codec;
    private final Policy.Source policies;
    private final Clock clock;
    private final RandomGenerator random;
    private final String claim;

    SqlCalls(RequestCodec codec, Policy.Source policies, Clock clock, RandomGenerator random, Dialect dialect) {
        this.codec = codec;
        this.policies = policies;
        this.clock = clock;
        this.random = random;
        this.claim = "WITH pick AS (SELECT id FROM call WHERE state = 'READY' AND engine = ? AND due <= ?"
                + " ORDER BY due, id LIMIT ?" + dialect.skipLocked() + ")"
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
            int failures,
            long refusedSince,
            String definition,
            byte[] body) {}

    List<Stored> claim(Session session, long node, String engine, int limit) throws SQLException {
        long now = clock.millis();
        List<Picked> picked = new ArrayList<>(
                session.list(claim, row -> new Picked(row.getLong(1), row.getLong(2)), engine, now, limit, node));
        picked.sort(Comparator.comparingLong(Picked::due).thenComparingLong(Picked::id));
        List<Stored> calls = new ArrayList<>(picked.size());
        for (Picked each : picked) {
            Stored call = session.one("SELECT" + COLUMNS + " WHERE c.id = ?", SqlCalls::stored, each.id());
            if (call != null) {
                event(
                        session,
                        now,
                        node,
                        call.id(),
                        call.fence(),
                        call.sends() + 1,
                        EventKind.ATTEMPT,
                        engine,
                        null,
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
                row.getLong(9),
                row.getString(10),
                row.getBytes(11));
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
                stored.failures(),
                stored.refusedSince(),
                request);
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
            event(
                    session,
                    now,
                    node,
                    call.id(),
                    call.fence(),
                    call.sends() + 1,
                    EventKind.SENT,
                    call.engine(),
                    null,
                    null);
        }
        return changed == 1;
    }

    @Nullable
    Transition settle(Session session, long node, Call call, Verdict verdict, @Nullable Reply reply)
            throws SQLException {
        long now = clock.millis();
        Transition next = Transition.after(call, verdict, policies.of(call.job(), call.engine()), now, random);
        Usage usage = usage(verdict);
        Answer answer = verdict instanceof Verdict.Valid valid ? valid.answer() : null;
        int changed = session.update(
                "UPDATE call SET state = ?, due = ?, attempts = ?, failures = ?, refused_since = ?,"
                        + " doubts = doubts + ? - CASE state WHEN 'DOUBT' THEN 1 ELSE 0 END,"
                        + " ended = ?, code = ?, reason = ?, cost = CASE WHEN ? IS NULL THEN cost"
                        + " ELSE coalesce(cost, 0) + ? END,"
                        + " model = ?, finish = ?, usage = ?,"
                        + " input_tokens = CASE WHEN ? IS NULL THEN input_tokens ELSE coalesce(input_tokens, 0) + ? END,"
                        + " output_tokens = CASE WHEN ? IS NULL THEN output_tokens ELSE coalesce(output_tokens, 0) + ? END"
                        + " WHERE id = ? AND fence = ? AND state IN ('SENT', 'DOUBT', ?)",
                next.state(),
                next.due(),
                next.attempts(),
                next.failures(),
                next.refusedSince(),
                next.doubtful() ? 1 : 0,
                next.state().isEnd() ? now : 0,
                next.code(),
                next.reason(),
                billionths(usage.cost()),
                billionths(usage.cost()),
                answer == null ? null : answer.model(),
                answer == null ? null : answer.finish(),
                usage.reported() == null ? null : usage.reported().toString(),
                usage.inputTokens(),
                usage.inputTokens(),
                usage.outputTokens(),
                usage.outputTokens(),
                call.id(),
                call.fence(),
                verdict instanceof Verdict.Unsent ? CallState.CLAIMED : CallState.SENT);
        int send = call.sends() + 1;
        if (reply != null) {
            session.update(
                    "INSERT INTO reply (call, send, at, status, body) VALUES (?, ?, ?, ?, ?)",
                    call.id(),
                    send,
                    now,
                    reply.status(),
                    Packed.pack(reply.body()));
        }
        if (changed == 0) {
            event(
                    session,
                    now,
                    node,
                    call.id(),
                    call.fence(),
                    send,
                    EventKind.INCOMPLETE,
                    call.engine(),
                    verdict.charged(),
                    "stale: another claim has the call; the reply is kept, not used");
            return null;
        }
        if (answer != null) {
            store(session, call, answer);
        }
        for (EventKind kind : next.events()) {
            event(
                    session,
                    now,
                    node,
                    call.id(),
                    call.fence(),
                    send,
                    kind,
                    call.engine(),
                    kind == EventKind.DEAD_LETTER ? null : verdict.charged(),
                    detail(next));
        }
        if (next.state().isEnd()) {
            ended(session, call.id());
        }
        return next;
    }

    private static @Nullable String detail(Transition next) {
        return next.code() == null ? null : next.code() + ": " + next.reason();
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

    private static Usage usage(Verdict verdict) {
        if (verdict instanceof Verdict.Valid valid) {
            return valid.answer().usage();
        }
        if (verdict instanceof Verdict.Incomplete incomplete) {
            return incomplete.usage();
        }
        return verdict instanceof Verdict.Unusable unusable ? unusable.usage() : Usage.UNKNOWN;
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

    static void event(
            Session session,
            long at,
            long node,
            long call,
            long fence,
            int attempt,
            EventKind kind,
            String engine,
            @Nullable Charged charged,
            @Nullable String detail)
            throws SQLException {
        session.update(
                "INSERT INTO event (at, node, call, fence, attempt, kind, engine, charged, detail)"
                        + " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                at,
                node,
                call,
                fence,
                attempt,
                kind,
                engine,
                charged,
                detail);
    }
}
