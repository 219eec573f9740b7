package dev.oncebox.ledger.sql;

import dev.oncebox.ledger.EventKind;
import dev.oncebox.ledger.Ledger.Move;
import dev.oncebox.ledger.Ledger.Reach;
import dev.oncebox.ledger.Ledger.Work;
import dev.oncebox.ledger.Pause;
import java.sql.SQLException;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Which engine a waiting call belongs to, and which engines are left in peace. Runs inside the writer's transactions. */
final class SqlEngines {

    private static final String GONE = "engine_gone";
    private static final String GONE_REASON =
            "Its engine, which would have recognised a repeat, is configured no more.";

    private final Clock clock;
    private final Scope scope;

    SqlEngines(Clock clock) {
        this(clock, Scope.everything());
    }

    SqlEngines(Clock clock, Scope scope) {
        this.clock = clock;
        this.scope = scope;
    }

    private record Waiting(long id, long fence, int sends, boolean charged) {}

    /** Calls that no configured engine would ever claim go to the engine that their job names now. */
    int reassign(Session session, long node, Collection<String> engines, Map<String, String> engineOfJob)
            throws SQLException {
        String others = "state = 'READY' AND engine NOT IN (" + places(engines) + ")";
        // another engine does not know the key, so that a repeat of what only the old one recognises is a doubt
        List<Journal.Attempt> doubtful = session.list(
                "SELECT id, fence, sends, engine FROM call WHERE " + others + " AND unresolved > 0 ORDER BY id"
                        + session.sharing().forUpdate(),
                row -> new Journal.Attempt(row.getLong(1), row.getLong(2), row.getInt(3), row.getString(4)),
                engines.toArray());
        var doubts = new Rows(
                session,
                "UPDATE call SET state = 'DOUBT', doubts = doubts + 1, unresolved = 0, code = ?, reason = ? WHERE id = ?");
        Journal.keep(session, clock.millis(), node, journal -> {
            for (Journal.Attempt last : doubtful) {
                doubts.add(GONE, GONE_REASON, last.call());
                journal.add(EventKind.IN_DOUBT, last, GONE + ": " + GONE_REASON);
            }
            doubts.write();
        });
        int changed = 0;
        for (Map.Entry<String, String> job : engineOfJob.entrySet()) {
            var values = new ArrayList<Object>(List.of(job.getValue()));
            values.addAll(engines);
            values.add(job.getKey());
            changed += session.update(
                    "UPDATE call SET engine = ? WHERE " + others + " AND job IN (SELECT id FROM job WHERE name = ?)",
                    values.toArray());
        }
        return changed;
    }

    /** Hands calls that wait for an engine on to another one. */
    int fallBack(Session session, long node, Move move, int limit) throws SQLException {
        long now = clock.millis();
        var values = new ArrayList<Object>(List.of(move.from(), now));
        values.addAll(move.jobs());
        values.add(limit);
        List<Waiting> calls = session.list(
                "SELECT id, fence, sends, attempts > 0 FROM call WHERE state = 'READY' AND engine = ? AND due <= ?"
                        + " AND job IN (SELECT id FROM job WHERE name IN (" + places(move.jobs()) + "))"
                        + (move.evenUnresolved() ? "" : " AND unresolved = 0")
                        + scope.calls()
                        + " ORDER BY due, id LIMIT ?"
                        + session.sharing().skipLocked(),
                row -> new Waiting(row.getLong(1), row.getLong(2), row.getInt(3), row.getBoolean(4)),
                values.toArray());
        var moved = new Rows(
                session,
                "UPDATE call SET engine = ?, earlier = attempts, failures = 0, refused_since = 0,"
                        + " doubts = doubts + CASE WHEN unresolved > 0 THEN 1 ELSE 0 END, unresolved = 0 WHERE id = ?");
        Journal.keep(session, now, node, journal -> {
            for (Waiting call : calls) {
                moved.add(move.to(), call.id());
                journal.fallback(
                        new Journal.Attempt(call.id(), call.fence(), call.sends(), move.from()),
                        move.to(),
                        move.reason(),
                        call.charged());
            }
            moved.write();
        });
        return calls.size();
    }

    /** A condition that something can be done for a call before a moment, and its values. */
    private record Possible(String condition, List<Object> values) {
        static Possible asking(long until, Reach reach) {
            var values = new ArrayList<Object>(List.of(until));
            values.addAll(reach.polled());
            return new Possible("(" + SqlPolling.DUE + " <= ? AND engine IN (" + places(reach.polled()) + "))", values);
        }

        static Possible sending(long until, Reach reach) {
            var condition = new StringBuilder("(due <= ? AND (engine IN (" + places(reach.engines()) + ")");
            var values = new ArrayList<Object>(List.of(until));
            values.addAll(reach.engines());
            for (Move move : reach.moves()) {
                condition
                        .append(" OR engine = ? AND job IN (SELECT id FROM job WHERE name IN (")
                        .append(places(move.jobs()))
                        .append("))")
                        .append(move.evenUnresolved() ? "" : " AND unresolved = 0");
                values.add(move.from());
                values.addAll(move.jobs());
            }
            return new Possible(condition.append("))").toString(), values);
        }
    }

    /** One statement, so that it is as of one moment: a call that moves on is in one of the counts. */
    Work work(Session session, long until, Reach reach) throws SQLException {
        Possible sending = Possible.sending(until, reach);
        Possible asking = Possible.asking(until, reach);
        var values = new ArrayList<>(sending.values());
        values.addAll(asking.values());
        values.addAll(sending.values());
        values.addAll(asking.values());
        String count = "(SELECT count(*) FROM call WHERE state ";
        return Objects.requireNonNull(session.one(
                "SELECT " + count + "IN ('CLAIMED', 'SENT')" + scope.calls() + ") + " + count
                        + all("READY", sending, "")
                        + " + " + count + all("POLLING", asking, "") + ", " + count + all("READY", sending, "NOT ")
                        + " + " + count + all("POLLING", asking, "NOT ")
                        + ", (SELECT count(*) FROM file WHERE state = 'TAKEN' AND pending = 0" + scope.files() + "), "
                        + count + "= 'DOUBT'" + scope.calls() + "), " + count + "= 'DEAD'" + scope.calls() + ")",
                row -> new Work(row.getLong(1), row.getLong(2), row.getLong(3), row.getLong(4), row.getLong(5)),
                values.toArray()));
    }

    private String all(String state, Possible possible, String not) {
        return "= '" + state + "'" + scope.calls() + " AND " + not + possible.condition() + ")";
    }

    /** One statement, as well: asked one after the other, a call that is claimed in between would be seen by neither. */
    boolean isBusy(Session session, long until, Reach reach) throws SQLException {
        Possible sending = Possible.sending(until, reach);
        Possible asking = Possible.asking(until, reach);
        var values = new ArrayList<>(sending.values());
        values.addAll(asking.values());
        String any = "EXISTS (SELECT 1 FROM call WHERE state ";
        return session.is(
                any + "IN ('CLAIMED', 'SENT')" + scope.calls()
                        + ") OR EXISTS (SELECT 1 FROM file WHERE state = 'TAKEN' AND pending = 0" + scope.files()
                        + ") OR " + any + all("READY", sending, "") + " OR " + any + all("POLLING", asking, ""),
                values.toArray());
    }

    /** Calls that are due already wait for a place, which is another matter. */
    long untilDue(Session session, Collection<String> engines) throws SQLException {
        long now = clock.millis();
        long next = Long.MAX_VALUE;
        for (String engine : engines) {
            long due = session.number(
                    "SELECT coalesce(min(due), 0) FROM call WHERE state = 'READY' AND engine = ? AND due > ?"
                            + scope.calls(),
                    engine,
                    now);
            next = due == 0 ? next : Math.min(next, due - now);
        }
        return next;
    }

    /** What stands in the brackets of IN; PostgreSQL wants something there. */
    private static String places(Collection<?> values) {
        return values.isEmpty() ? "SELECT '' WHERE 1 = 0" : String.join(", ", Collections.nCopies(values.size(), "?"));
    }

    /** What this node leaves in peace, instead of what it did before; those that are over leave nothing any more. */
    int pauses(Session session, long node, Map<String, Pause> pauses) throws SQLException {
        session.update(
                "DELETE FROM pause WHERE node = ? OR node NOT IN (SELECT id FROM node WHERE ended IS NULL)", node);
        for (Map.Entry<String, Pause> each : pauses.entrySet()) {
            Pause pause = each.getValue();
            session.update(
                    "INSERT INTO pause (name, node, state, since, until, reason) VALUES (?, ?, ?, ?, ?, ?)",
                    each.getKey(),
                    node,
                    pause.state(),
                    pause.since(),
                    pause.until(),
                    pause.reason());
        }
        return pauses.size();
    }

    /** Of several nodes' the one that lasts longest. */
    static Map<String, Pause> pauses(Session session) throws SQLException {
        Map<String, Pause> pauses = new LinkedHashMap<>();
        session.each("SELECT name, state, since, until, reason FROM pause ORDER BY name, until", row -> {
            pauses.put(
                    row.getString(1),
                    new Pause(Pause.State.valueOf(row.getString(2)), row.getLong(3), row.getLong(4), row.getString(5)));
            return true;
        });
        return pauses;
    }
}
