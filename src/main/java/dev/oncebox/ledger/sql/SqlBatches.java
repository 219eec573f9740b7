package dev.oncebox.ledger.sql;

import dev.oncebox.ledger.Batch;
import dev.oncebox.ledger.Call;
import dev.oncebox.ledger.Charged;
import dev.oncebox.ledger.EventKind;
import dev.oncebox.ledger.NextStep;
import dev.oncebox.ledger.Reply;
import dev.oncebox.ledger.Verdict;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.util.Comparator;
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
    private final Clock clock;

    SqlBatches(SqlCalls calls, Clock clock) {
        this.calls = calls;
        this.clock = clock;
    }

    private record Ready(long calls, long oldest) {}

    /** Claims what is due as one batch, once there is enough of it or it has waited long enough. */
    List<SqlCalls.Stored> claim(Session session, long node, String engine, int limit, Duration age)
            throws SQLException {
        long now = clock.millis();
        Ready ready = session.one(
                "SELECT count(*), coalesce(min(due), 0) FROM (SELECT due FROM call WHERE state = 'READY' AND engine = ?"
                        + " AND due <= ?" + calls.scope().calls() + " ORDER BY due, id LIMIT ?)",
                row -> new Ready(row.getLong(1), row.getLong(2)),
                engine,
                now,
                limit);
        long wait = calls.scope().isEverything() ? age.toMillis() : 0; // for one file there is nothing to wait for
        if (ready == null || ready.calls() == 0 || (ready.calls() < limit && now - ready.oldest() < wait)) {
            return List.of();
        }
        return calls.claim(session, node, engine, limit).stream()
                .sorted(Comparator.comparingLong(SqlCalls.Stored::id))
                .toList();
    }

    /** Makes a batch of claimed calls. */
    Batch gathered(Session session, String engine, List<Call> claimed) throws SQLException {
        String handle = "oncebox-" + UUID.randomUUID();
        Long id = session.one(
                "INSERT INTO batch (handle, engine, state, calls, created) VALUES (?, ?, 'GATHERED', ?, ?) RETURNING id",
                row -> row.getLong(1),
                handle,
                engine,
                claimed.size(),
                clock.millis());
        long batch = id == null ? 0 : id;
        for (Call call : claimed) {
            session.update(
                    "UPDATE call SET batch = ? WHERE id = ? AND fence = ? AND state = 'CLAIMED'",
                    batch,
                    call.id(),
                    call.fence());
        }
        return new Batch(batch, handle, engine, claimed, 0, null);
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
                "SELECT count(*) FROM call WHERE batch = ? AND state = 'CLAIMED' AND owner = ?", batch.id(), node);
        if (claimed != batch.calls().size()) {
            return false;
        }
        for (Call call : batch.calls()) {
            if (!calls.sent(session, node, call)) {
                throw new SQLException("call " + call.id() + " of batch " + batch.id() + " was claimed anew");
            }
        }
        return session.update(
                        "UPDATE batch SET state = 'SENT', sent = ?, due = ? WHERE id = ? AND state = 'GATHERED'",
                        clock.millis(),
                        clock.millis(),
                        batch.id())
                == 1;
    }

    /** What a submission, or a question about it, came to. Calls that have their own end by now are left alone. */
    void settle(Session session, long node, Batch batch, Verdict verdict, NextStep step, @Nullable Reply reply)
            throws SQLException {
        if (verdict instanceof Verdict.Running running) {
            running(session, node, batch, running);
        } else if (verdict instanceof Verdict.Accepted accepted) {
            each(session, node, batch, verdict, step);
            session.update(
                    "UPDATE batch SET state = 'POLLING', remote = ?, due = ?, seen = ?, said = ? WHERE id = ?",
                    accepted.address(),
                    clock.millis() + accepted.delay().toMillis(),
                    clock.millis(),
                    accepted.said(),
                    batch.id());
        } else if (verdict.charged() == Charged.UNKNOWN && batch.sentAt() == 0 && isOpen(session, batch)) {
            lookFor(session, batch.id(), clock.millis());
        } else {
            each(session, node, batch, verdict, step);
        }
        keep(session, batch, reply);
        session.update(
                "UPDATE batch SET state = 'ENDED' WHERE id = ? AND NOT EXISTS (SELECT 1 FROM call WHERE batch = ?"
                        + OPEN + ")",
                batch.id(),
                batch.id());
    }

    /** Whether its submission is recorded, and whether that arrived is not. */
    boolean isOpen(Session session, Batch batch) throws SQLException {
        return session.number("SELECT count(*) FROM call WHERE batch = ? AND state = 'SENT'", batch.id()) > 0;
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
        if (remote != null && !running.said().equals(remote.said())) {
            session.update(
                    "INSERT INTO event (at, node, call, fence, attempt, kind, engine, detail)"
                            + " SELECT ?, ?, id, fence, sends, ?, engine, ? FROM call WHERE batch = ? AND state = 'POLLING'",
                    now,
                    node,
                    EventKind.POLLED,
                    running.said(),
                    batch.id());
        }
        session.update(
                "UPDATE batch SET due = ?, said = ?, seen = CASE WHEN ? THEN ? ELSE seen END WHERE id = ?",
                now + running.delay().toMillis(),
                running.said(),
                running.known(),
                now,
                batch.id());
    }

    /** Its calls can only be polled: whether it was submitted is found out by looking for it. */
    private static void lookFor(Session session, long batch, long due) throws SQLException {
        session.update("UPDATE call SET state = 'POLLING' WHERE batch = ? AND state = 'SENT'", batch);
        session.update("UPDATE batch SET due = ? WHERE id = ?", due, batch);
    }

    private void each(Session session, long node, Batch batch, Verdict verdict, NextStep step) throws SQLException {
        List<Call> all = batch.calls().isEmpty()
                ? open(session, batch, -1, Integer.MAX_VALUE).stream()
                        .map(stored -> calls.call(stored).beforeSend())
                        .toList()
                : batch.calls();
        for (Call call : all) {
            calls.settle(session, node, call, verdict, step, null);
        }
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
                        + " AND state = 'SENT') ORDER BY due, id LIMIT ?)"
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

    /** The addresses that are known to be ours at an engine. */
    List<String> addresses(Session session, String engine) throws SQLException {
        return session.list(
                "SELECT remote FROM batch WHERE engine = ? AND remote IS NOT NULL", row -> row.getString(1), engine);
    }

    /** What a process left: batches that were not submitted are dissolved, others asked or looked for. */
    static void recover(Session session, long now) throws SQLException {
        session.update("UPDATE call SET batch = NULL WHERE batch IS NOT NULL AND state = 'CLAIMED'");
        session.update("UPDATE batch SET state = 'ENDED' WHERE state = 'GATHERED'");
        for (long batch : session.list("SELECT id FROM batch WHERE state = 'SENT'", row -> row.getLong(1))) {
            lookFor(session, batch, now);
        }
    }
}
