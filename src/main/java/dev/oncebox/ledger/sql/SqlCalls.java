package dev.oncebox.ledger.sql;

import dev.oncebox.ledger.Call;
import dev.oncebox.ledger.EventKind;
import dev.oncebox.ledger.Request;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Claiming and sending calls. Runs inside the writer's transactions.
 *
 * <p>Every statement after a claim names the claim's fence and the states it may leave. No row changed means that the
 * claim is stale: somebody else has the call now, so nothing may be sent for it and only bytes may be kept.
 */
final class SqlCalls {

    static final String COLUMNS =
            " c.id, c.key, j.name, c.engine, c.fence, c.sends, c.attempts, c.earlier, c.unresolved, c.failures,"
                    + " c.refused_since, j.definition, r.body, c.remote, c.seen, c.reason FROM call c JOIN job j ON j.id = c.job JOIN request r ON r.call = c.id";

    private final RequestCodec codec;
    private final Clock clock;
    private final Scope scope;

    SqlCalls(RequestCodec codec, Clock clock, Scope scope) {
        this.codec = codec;
        this.clock = clock;
        this.scope = scope;
    }

    private String claim(Session session, long node) {
        return "WITH pick AS (SELECT id FROM call WHERE state = 'READY' AND engine = ? AND due <= ?"
                + scope.calls() + Nodes.alive(session, node) + " ORDER BY due, id LIMIT ?"
                + session.sharing().skipLocked() + ")"
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
                claim(session, node), row -> new Picked(row.getLong(1), row.getLong(2)), engine, now, limit, node));
        picked.sort(Comparator.comparingLong(Picked::due).thenComparingLong(Picked::id));
        List<Stored> calls = stored(session, picked.stream().map(Picked::id).toList());
        Journal.keep(session, now, node, journal -> {
            for (Stored call : calls) {
                journal.add(
                        EventKind.ATTEMPT,
                        new Journal.Attempt(call.id(), call.fence(), call.sends() + 1, engine),
                        null);
            }
        });
        return calls;
    }

    /** The calls of these ids, in their order. */
    static List<Stored> stored(Session session, List<Long> ids) throws SQLException {
        Map<Long, Stored> found = new HashMap<>();
        session.among(
                "SELECT" + COLUMNS + " WHERE c.id IN" + Session.AMONG,
                row -> {
                    Stored call = stored(row);
                    found.put(call.id(), call);
                    return true;
                },
                ids);
        return ids.stream().map(found::get).filter(Objects::nonNull).toList();
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

    /** Records that calls are about to be sent; false: the claim is stale, and it must not be. */
    List<Boolean> sent(Session session, long node, List<Call> claimed) throws SQLException {
        long now = clock.millis();
        var calls = new Rows(
                session,
                "UPDATE call SET state = 'SENT', sends = sends + 1, attempts = attempts + 1, sent = ?"
                        + " WHERE id = ? AND fence = ? AND state = 'CLAIMED' AND owner = ?"
                        + Nodes.alive(session, node));
        for (Call call : claimed) {
            calls.add(now, call.id(), call.fence(), node);
        }
        List<Boolean> sent =
                Arrays.stream(calls.write()).mapToObj(rows -> rows == 1).toList();
        Journal.keep(session, now, node, journal -> {
            for (int i = 0; i < sent.size(); i++) {
                if (sent.get(i)) {
                    Call call = claimed.get(i);
                    journal.add(
                            EventKind.SENT,
                            new Journal.Attempt(call.id(), call.fence(), call.sends() + 1, call.engine()),
                            null);
                }
            }
        });
        return sent;
    }

    boolean isOpen(Session session, Call call) throws SQLException {
        return session.number(
                        "SELECT count(*) FROM call WHERE id = ? AND fence = ? AND state = 'SENT'",
                        call.id(),
                        call.fence())
                > 0;
    }
}
