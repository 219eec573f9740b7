package dev.oncebox.ledger.sql;

import dev.oncebox.ledger.QueuedFile;
import dev.oncebox.ledger.ReceivedFile;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.List;

/**
 * Calls that an asynchronous engine accepted, and the addresses that people are shown of them. Runs inside the writer's
 * transactions.
 *
 * <p>No claim is needed to ask: whoever asks first moves the time of the next question, so that a process which dies
 * over it costs nothing but that wait.
 */
final class SqlPolling {

    /** When a call is to be asked for: with its batch, where it has one. */
    static final String DUE = "coalesce((SELECT b.due FROM batch b WHERE b.id = call.batch), call.due)";

    private final Clock clock;
    private final Scope scope;

    SqlPolling(Clock clock, Scope scope) {
        this.clock = clock;
        this.scope = scope;
    }

    /** Calls that are due to be asked for, each of which is due again after {@code interval}. */
    List<SqlCalls.Stored> polling(Session session, String engine, Duration interval, int limit) throws SQLException {
        long now = clock.millis();
        List<Long> due = session.list(
                "WITH pick AS (SELECT id FROM call WHERE state = 'POLLING' AND batch IS NULL AND engine = ? AND due <= ?"
                        + scope.calls() + " ORDER BY due, id LIMIT ?"
                        + session.sharing().skipLocked() + ")"
                        + " UPDATE call SET due = ? WHERE id IN (SELECT id FROM pick) RETURNING id",
                row -> row.getLong(1),
                engine,
                now,
                limit,
                now + interval.toMillis());
        return SqlCalls.stored(session, due);
    }

    /** In how many milliseconds the next call is to be asked for. */
    long untilDue(Session session, Collection<String> engines) throws SQLException {
        if (engines.isEmpty()) {
            return Long.MAX_VALUE;
        }
        long due = session.number(
                "SELECT coalesce(min(due), -1) FROM call WHERE state = 'POLLING' AND batch IS NULL AND engine IN ("
                        + String.join(", ", Collections.nCopies(engines.size(), "?")) + ")" + scope.calls(),
                engines.toArray());
        return due < 0 ? Long.MAX_VALUE : Math.max(0, due - clock.millis());
    }

    /** The files of which this call is all there is shall show where it is asked for. */
    static void accepted(Session session, long call) throws SQLException {
        session.update(
                "UPDATE file SET sidecar_due = 1 WHERE kind IN ('TEXT', 'OBJECT') AND state <> 'DELIVERED'"
                        + " AND id IN (SELECT file FROM item WHERE call = ?)",
                call);
    }

    /** The same for all calls of a batch. */
    static void batchAccepted(Session session, long batch) throws SQLException {
        session.update(
                "UPDATE file SET sidecar_due = 1 WHERE kind IN ('TEXT', 'OBJECT') AND state <> 'DELIVERED'"
                        + " AND id IN (SELECT i.file FROM item i JOIN call c ON c.id = i.call WHERE c.batch = ?"
                        + " AND c.state = 'POLLING')",
                batch);
    }

    /** A file whose only item asks for a call that is accepted already. */
    static void joined(Session session, ReceivedFile file) throws SQLException {
        if (file.file().kind().isOneItem()) {
            session.update(
                    "UPDATE file SET sidecar_due = 1 WHERE id = ? AND EXISTS (SELECT 1"
                            + " FROM item i JOIN call c ON c.id = i.call WHERE i.file = file.id AND c.state = 'POLLING'"
                            + " AND c.remote IS NOT NULL)",
                    file.id());
        }
    }

    /** Files whose address is not written yet, oldest first. */
    List<QueuedFile> queued(Session session, int limit) throws SQLException {
        return session.list(
                "SELECT f.id, f.path, f.sidecar, c.remote FROM (SELECT * FROM file WHERE sidecar_due = 1"
                        + scope.files()
                        + ") f JOIN item i ON i.file = f.id"
                        + " JOIN call c ON c.id = i.call WHERE f.state <> 'DELIVERED'"
                        + " AND c.state = 'POLLING' AND c.remote IS NOT NULL ORDER BY f.id LIMIT ?",
                row -> new QueuedFile(row.getLong(1), row.getString(2), row.getString(3), row.getString(4)),
                limit);
    }

    /** The name that the address gets, before it is written: what is written is removed when the answer lands. */
    static int placed(Session session, QueuedFile file, String name) throws SQLException {
        return session.update(
                "UPDATE file SET sidecar = ? WHERE id = ? AND state <> 'DELIVERED' AND EXISTS (SELECT 1 FROM item i"
                        + " JOIN call c ON c.id = i.call WHERE i.file = file.id AND c.state = 'POLLING' AND c.remote = ?)",
                name,
                file.id(),
                file.address());
    }

    /** The address is written, unless it is another one by now. */
    static int addressed(Session session, QueuedFile file) throws SQLException {
        return session.update(
                "UPDATE file SET sidecar_due = 0 WHERE id = ? AND EXISTS (SELECT 1 FROM item i"
                        + " JOIN call c ON c.id = i.call WHERE i.file = file.id AND c.remote = ?)",
                file.id(),
                file.address());
    }
}
