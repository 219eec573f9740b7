package dev.oncebox.ledger.sql;

import dev.oncebox.ledger.Batch;
import dev.oncebox.ledger.Call;
import dev.oncebox.ledger.Charged;
import dev.oncebox.ledger.EventKind;
import dev.oncebox.ledger.Gathering;
import dev.oncebox.ledger.NextStep;
import dev.oncebox.ledger.Reply;
import dev.oncebox.ledger.Verdict;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Calls that are submitted together. Runs inside the writer's transactions.
 *
 * <p>The batch, with our handle, is in the ledger before anything leaves. Once its submission is recorded its calls are
 * POLLING even where nobody knows what became of it: it is looked for by its handle, which costs nothing, and only when
 * it is not found do the calls end as a doubt.
 */
final class SqlBatches {

    private static final String OPEN = " AND state IN ('CLAIMED', 'SENT', 'POLLING')";

    private final SqlCalls calls;
    private final SqlSettling settling;
    private final Clock clock;

    SqlBatches(SqlCalls calls, SqlSettling settling, Clock clock) {
        this.calls = calls;
        this.settling = settling;
        this.clock = clock;
    }

    private record Ready(long calls, long oldest) {}

    /**
     * Claims what is due as one batch, once there is enough of it or it has waited long enough; null: it has not. What
     * is claimed is read outside the transaction, see {@link #claimed}.
     */
    @Nullable
    Batch gather(Session session, long node, String engine, Gathering gathering) throws SQLException {
        long now = clock.millis();
        int limit = gathering.calls();
        Ready ready = session.one(
                "SELECT count(*), coalesce(min(due), 0) FROM (SELECT due FROM call WHERE state = 'READY' AND engine = ?"
                        + " AND due <= ?" + calls.scope().calls() + " ORDER BY due, id LIMIT ?)",
                row -> new Ready(row.getLong(1), row.getLong(2)),
                engine,
                now,
                limit);
        // for one file there is nothing to wait for
        long wait = calls.scope().isEverything() ? gathering.age().toMillis() : 0;
        if (ready == null || ready.calls() == 0 || (ready.calls() < limit && now - ready.oldest() < wait)) {
            return null;
        }
        String handle = "oncebox-" + UUID.randomUUID();
        session.update(
                "INSERT INTO batch (handle, engine, state, calls, created) VALUES (?, ?, 'GATHERED', 0, ?)",
                handle,
                engine,
                now);
        long batch = session.number("SELECT id FROM batch WHERE handle = ?", handle);
        int claimed = session.update(
                "WITH pick AS (SELECT id, row_number() OVER w AS n, sum(length(body)) OVER w AS bytes FROM (SELECT id, due,"
                        + " body FROM call JOIN request ON request.call = call.id WHERE state = 'READY' AND engine = ?"
                        + " AND due <= ?" + calls.scope().calls() + " ORDER BY due, id LIMIT ?)"
                        + " WINDOW w AS (ORDER BY due, id ROWS UNBOUNDED PRECEDING))"
                        + " UPDATE call SET state = 'CLAIMED', fence = fence + 1, owner = ?, batch = ?"
                        + " WHERE id IN (SELECT id FROM pick WHERE n = 1 OR bytes <= ?) AND state = 'READY'"
                        + Nodes.alive(session, node),
                engine,
                now,
                limit,
                node,
                batch,
                gathering.bytes());
        session.update("UPDATE batch SET calls = ? WHERE id = ?", claimed, batch);
        tell(session, node, batch, EventKind.ATTEMPT, "CLAIMED", 1, null);
        return new Batch(batch, handle, engine, List.of(), 0, null);
    }

    /** The calls of a gathered batch, in the order of their ids. */
    List<SqlCalls.Stored> claimed(Session session, Batch batch) throws SQLException {
        return session.list(
                "SELECT" + SqlCalls.COLUMNS + " WHERE c.batch = ? AND c.state = 'CLAIMED' ORDER BY c.id",
                SqlCalls::stored,
                batch.id());
    }

    /**
     * The same event for all calls of a batch in a state.
     *
     * @param next 1 for an attempt that is to be sent, 0 for the last one that was
     */
    private void tell(
            Session session, long node, long batch, EventKind kind, String state, int next, @Nullable String detail)
            throws SQLException {
        session.update(
                "INSERT INTO event (at, node, call, fence, attempt, kind, engine, detail)"
                        + " SELECT ?, ?, id, fence, sends + ?, ?, engine, ? FROM call WHERE batch = ? AND state = ?"
                        + " ORDER BY id",
                clock.millis(),
                node,
                next,
                kind,
                detail,
                batch,
                state);
    }

    /** Gives calls back that do not fit into the batch. */
    void leave(Session session, Batch batch, List<Call> rest) throws SQLException {
        for (Call call : rest) {
            session.update(
                    "UPDATE call SET state = 'READY', batch = NULL WHERE id = ? AND fence = ? AND state = 'CLAIMED'",
                    call.id(),
                    call.fence());
        }
        session.update("UPDATE batch SET calls = calls - ? WHERE id = ?", rest.size(), batch.id());
    }

    /** Records that the batch is about to be submitted. False: not all of its calls are ours, and nothing may be sent. */
    boolean sent(Session session, long node, Batch batch) throws SQLException {
        long claimed = session.number(
                "SELECT count(*) FROM call WHERE batch = ? AND state = 'CLAIMED' AND owner = ?"
                        + Nodes.alive(session, node),
                batch.id(),
                node);
        long now = clock.millis();
        boolean whole = claimed == batch.calls().size()
                && session.update(
                                "UPDATE batch SET state = 'SENT', sent = ?, due = ? WHERE id = ? AND state = 'GATHERED'",
                                now,
                                now,
                                batch.id())
                        == 1;
        if (whole) {
            session.update(
                    "UPDATE call SET state = 'SENT', sends = sends + 1, attempts = attempts + 1, sent = ?"
                            + " WHERE batch = ? AND state = 'CLAIMED'",
                    now,
                    batch.id());
            tell(session, node, batch.id(), EventKind.SENT, "SENT", 0, null);
        } else {
            dissolve(session, node, batch.id());
        }
        return whole;
    }

    /** What is left of a batch that is not submitted waits for another one. */
    private static void dissolve(Session session, long node, long batch) throws SQLException {
        session.update(
                "UPDATE call SET state = 'READY', batch = NULL WHERE batch = ? AND state = 'CLAIMED' AND owner = ?",
                batch,
                node);
        session.update("UPDATE batch SET state = 'ENDED' WHERE id = ? AND state = 'GATHERED'", batch);
    }

    /**
     * What a submission, or a question about it, came to.
     *
     * @return false: each of its calls is to be settled by {@link #each}
     */
    boolean settle(Session session, long node, Batch batch, Verdict verdict, @Nullable Reply reply)
            throws SQLException {
        keep(session, batch, reply);
        if (verdict instanceof Verdict.Running running) {
            running(session, node, batch, running);
        } else if (verdict instanceof Verdict.Accepted accepted) {
            accepted(session, node, batch, accepted);
        } else if (verdict.charged() == Charged.UNKNOWN && batch.sentAt() == 0 && isOpen(session, batch)) {
            lookFor(session, batch.id(), clock.millis());
        } else {
            return false;
        }
        end(session, batch);
        return true;
    }

    /** Calls that have their own end by now are left alone. */
    boolean each(Session session, long node, List<Call> some, Batch batch, Verdict verdict, NextStep step)
            throws SQLException {
        settling.settle(
                session,
                node,
                some.stream()
                        .map(call -> new SqlSettling.Settlement(call, verdict, step, null))
                        .toList());
        end(session, batch);
        return true;
    }

    private static void end(Session session, Batch batch) throws SQLException {
        session.update(
                "UPDATE batch SET state = 'ENDED' WHERE id = ? AND NOT EXISTS (SELECT 1 FROM call WHERE batch = ?"
                        + OPEN + ")",
                batch.id(),
                batch.id());
    }

    /** All at once what {@link SqlSettling#settle} does for one. */
    private void accepted(Session session, long node, Batch batch, Verdict.Accepted accepted) throws SQLException {
        long now = clock.millis();
        long due = now + accepted.delay().toMillis();
        session.update(
                "UPDATE call SET state = 'POLLING', due = ?, remote = ?, seen = ?, code = NULL,"
                        + " reason = ?, model = NULL, finish = NULL, usage = NULL"
                        + " WHERE batch = ? AND state IN ('SENT', 'POLLING')",
                due,
                accepted.address(),
                now,
                accepted.said(),
                batch.id());
        tell(session, node, batch.id(), EventKind.QUEUED, "POLLING", 0, accepted.address() + " " + accepted.said());
        SqlPolling.batchAccepted(session, batch.id());
        session.update(
                "UPDATE batch SET state = 'POLLING', remote = ?, due = ?, seen = ?, said = ? WHERE id = ?",
                accepted.address(),
                due,
                now,
                accepted.said(),
                batch.id());
    }

    /** Whether its submission is recorded, and whether that arrived is not. */
    boolean isOpen(Session session, Batch batch) throws SQLException {
        return session.is("EXISTS (SELECT 1 FROM call WHERE batch = ? AND state = 'SENT')", batch.id());
    }

    /** The raw reply belongs to all calls; the first keeps it. */
    private void keep(Session session, Batch batch, @Nullable Reply reply) throws SQLException {
        if (reply != null && !batch.calls().isEmpty()) {
            Call first = batch.calls().get(0);
            session.update(
                    "INSERT INTO reply (call, send, at, status, body) VALUES (?, ?, ?, ?, ?)",
                    first.id(),
                    first.sends() + 1,
                    clock.millis(),
                    reply.status(),
                    Packed.pack(reply.body()));
        }
    }

    private void running(Session session, long node, Batch batch, Verdict.Running running) throws SQLException {
        long now = clock.millis();
        Call.Remote remote = batch.remote();
        boolean news = remote != null && !running.said().equals(remote.said());
        if (news) {
            tell(session, node, batch.id(), EventKind.POLLED, "POLLING", 0, running.said());
        }
        session.update(
                "UPDATE batch SET due = ?, said = ?, seen = CASE WHEN ? = 1 THEN ? ELSE seen END WHERE id = ?",
                now + running.delay().toMillis(),
                running.said(),
                running.known() || news,
                now,
                batch.id());
    }

    /** Its calls can only be polled: whether it was submitted is found out by looking for it. */
    private static void lookFor(Session session, long batch, long due) throws SQLException {
        session.update("UPDATE call SET state = 'POLLING' WHERE batch = ? AND state = 'SENT'", batch);
        session.update("UPDATE batch SET due = ? WHERE id = ?", due, batch);
    }

    /** Calls of a batch that have no end, in the order of their ids. */
    List<SqlCalls.Stored> open(Session session, Batch batch, long after, int limit) throws SQLException {
        return session.list(
                "SELECT" + SqlCalls.COLUMNS + " WHERE c.batch = ? AND c.state = 'POLLING' AND c.id > ?"
                        + " ORDER BY c.id LIMIT ?",
                SqlCalls::stored,
                batch.id(),
                after,
                limit);
    }

    List<SqlCalls.Stored> open(Session session, Batch batch, byte[] key) throws SQLException {
        return session.list(
                "SELECT" + SqlCalls.COLUMNS + " WHERE c.key = ? AND c.batch = ? AND c.state = 'POLLING'",
                SqlCalls::stored,
                key,
                batch.id());
    }

    /** Batches that are due to be asked or looked for, each of which is due again after {@code interval}. */
    List<Batch> due(Session session, String engine, Duration interval, int limit) throws SQLException {
        long now = clock.millis();
        return session.list(
                "UPDATE batch SET due = ? WHERE id IN (SELECT id FROM batch WHERE state IN ('SENT', 'POLLING')"
                        + " AND engine = ? AND due <= ?" + calls.scope().batches()
                        + " AND NOT EXISTS (SELECT 1 FROM call WHERE batch = batch.id"
                        + " AND state = 'SENT') ORDER BY due, id LIMIT ?"
                        + session.sharing().skipLocked() + ")"
                        + " RETURNING id, handle, engine, sent, remote, seen, said",
                SqlBatches::read,
                now + interval.toMillis(),
                engine,
                now,
                limit);
    }

    private static Batch read(ResultSet row) throws SQLException {
        String remote = row.getString(5);
        return new Batch(
                row.getLong(1),
                row.getString(2),
                row.getString(3),
                List.of(),
                row.getLong(4),
                remote == null ? null : new Call.Remote(remote, row.getLong(6), row.getString(7)));
    }

    /** The keys of the calls that have no end, as the provider knows them. */
    List<String> keys(Session session, Batch batch) throws SQLException {
        return session.list(
                "SELECT key FROM call WHERE batch = ? AND state = 'POLLING'",
                row -> HexFormat.of().formatHex(row.getBytes(1)),
                batch.id());
    }

    /** The addresses that are known to be ours at an engine. */
    List<String> addresses(Session session, String engine) throws SQLException {
        return session.list(
                "SELECT remote FROM batch WHERE engine = ? AND remote IS NOT NULL", row -> row.getString(1), engine);
    }

    /** What a node left: batches that were not submitted are dissolved, others asked or looked for. */
    static void recover(Session session, long now) throws SQLException {
        released(session);
        List<Long> sent = session.list(
                "SELECT DISTINCT batch FROM call WHERE state = 'SENT' AND batch IS NOT NULL"
                        + Nodes.lost(session.sharing()),
                row -> row.getLong(1));
        for (long batch : sent) {
            lookFor(session, batch, now);
        }
    }

    /** Batches whose calls were given back are none. */
    static void released(Session session) throws SQLException {
        session.update("UPDATE batch SET state = 'ENDED' WHERE state = 'GATHERED'"
                + " AND NOT EXISTS (SELECT 1 FROM call c WHERE c.batch = batch.id AND c.state = 'CLAIMED')");
    }
}
