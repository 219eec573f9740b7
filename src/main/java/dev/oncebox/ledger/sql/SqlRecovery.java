package dev.oncebox.ledger.sql;

import dev.oncebox.CrashPoint;
import dev.oncebox.ledger.Call;
import dev.oncebox.ledger.CallState;
import dev.oncebox.ledger.Charged;
import dev.oncebox.ledger.EventKind;
import dev.oncebox.ledger.NextStep;
import dev.oncebox.ledger.Policy;
import dev.oncebox.ledger.Verdict;
import java.sql.SQLException;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Puts calls that a process or a damaged row left behind where they can go on. */
final class SqlRecovery {

    private static final String NOT_RECOGNISED = "not_recognised";
    private static final String NOT_RECOGNISED_REASON =
            "It may have been charged, and its engine is no longer said to recognise a repeat.";

    static final Verdict.Unknown CRASHED =
            new Verdict.Unknown("process_ended", "The process ended while the call was in flight.", false);

    private final SqlCalls calls;
    private final SqlSettling settling;
    private final Nodes nodes;
    private final Clock clock;

    SqlRecovery(SqlCalls calls, SqlSettling settling, Nodes nodes, Clock clock) {
        this.calls = calls;
        this.settling = settling;
        this.nodes = nodes;
        this.clock = clock;
    }

    /** What is done at a start: beside others, time goes on as they have it. */
    int recover(Session session, long node) throws SQLException {
        if (nodes.isOnly(session, node)) {
            followClock(session, node);
        }
        return takeOver(session, node);
    }

    /**
     * What a node left that is over: claims that never sent go back; what was sent is in doubt, and the engine's policy
     * says what follows.
     */
    int takeOver(Session session, long node) throws SQLException {
        nodes.bury(session);
        session.update("UPDATE call SET state = 'READY', batch = NULL WHERE state = 'CLAIMED'"
                + Nodes.lost(session.sharing()));
        SqlBatches.recover(session, clock.millis());
        List<SqlCalls.Stored> lost = sent(session);
        List<SqlSettling.Settlement> doubts = new ArrayList<>();
        for (SqlCalls.Stored stored : lost) {
            Call call = claimed(stored);
            if (call == null) {
                bury(session, node, stored);
            } else {
                doubts.add(new SqlSettling.Settlement(call, CRASHED, NextStep.IN_DOUBT, null));
            }
        }
        settling.settle(session, node, doubts);
        CrashPoint.IN_RECOVERY.reach();
        resolve(session, node);
        return lost.size();
    }

    private record Unresolved(Journal.Attempt last, String job) {}

    /**
     * What was excused because its engine recognises a repeat is a doubt once the engine is said not to: it is sent
     * again only where a doubt is.
     */
    private void resolve(Session session, long node) throws SQLException {
        List<Unresolved> waiting = session.list(
                "SELECT c.id, c.fence, c.sends, c.engine, j.name FROM call c JOIN job j ON j.id = c.job"
                        + " WHERE c.state = 'READY' AND c.unresolved > 0 ORDER BY c.id" + ofCalls(session),
                row -> new Unresolved(
                        new Journal.Attempt(row.getLong(1), row.getLong(2), row.getInt(3), row.getString(4)),
                        row.getString(5)));
        Journal.keep(session, clock.millis(), node, journal -> {
            for (Unresolved call : waiting) {
                Policy policy = settling.policy(call.job(), call.last().engine());
                if (policy.deduplicates()) {
                    continue;
                }
                session.update(
                        "UPDATE call SET state = ?, doubts = doubts + 1, unresolved = 0, code = ?, reason = ?"
                                + " WHERE id = ?",
                        policy.resendOnDoubt() ? CallState.READY : CallState.DOUBT,
                        NOT_RECOGNISED,
                        NOT_RECOGNISED_REASON,
                        call.last().call());
                journal.add(EventKind.IN_DOUBT, call.last(), NOT_RECOGNISED + ": " + NOT_RECOGNISED_REASON);
            }
        });
    }

    /**
     * The call of a claim as its worker had it, when it was sent and nobody knows its end, whatever was decided about
     * that; null: it is not so, or cannot be read.
     */
    @Nullable
    Call inFlight(Session session, byte[] key, long fence) throws SQLException {
        SqlCalls.Stored stored = session.one(
                "SELECT" + SqlCalls.COLUMNS + " WHERE c.key = ? AND c.fence = ? AND (c.state IN ('SENT', 'DOUBT')"
                        + " OR c.state = 'READY' AND c.doubts > 0)",
                SqlCalls::stored,
                key,
                fence);
        return stored == null ? null : claimed(stored);
    }

    private static List<SqlCalls.Stored> sent(Session session) throws SQLException {
        return session.list(
                "SELECT" + SqlCalls.COLUMNS + " WHERE c.state = 'SENT'" + Nodes.lost(session.sharing())
                        + " ORDER BY c.id" + ofCalls(session),
                SqlCalls::stored);
    }

    /** What another node is settling or taking over at this moment is left to it. */
    private static String ofCalls(Session session) {
        return session.sharing() == Sharing.ALONE ? "" : " FOR UPDATE OF c SKIP LOCKED";
    }

    /** The call before its last send; null when the stored request cannot be read. */
    private @Nullable Call claimed(SqlCalls.Stored stored) {
        try {
            return calls.call(stored).beforeSend();
        } catch (RuntimeException e) {
            return null;
        }
    }

    /**
     * A clock that was set back since the last event would let what waits for its time wait so much longer. Once: a
     * start after this one finds the same last event when nothing has happened in between.
     */
    private void followClock(Session session, long node) throws SQLException {
        long now = clock.millis();
        long ahead = session.number(
                        "SELECT at FROM (SELECT at, node FROM event ORDER BY seq DESC LIMIT 1) e WHERE NOT EXISTS"
                                + " (SELECT 1 FROM node n WHERE n.recovered = 1 AND n.id > coalesce(e.node, 0)"
                                + " AND n.id < ? AND n.started < e.at)",
                        node)
                - now;
        if (ahead > 0) {
            session.update("UPDATE call SET due = due - ? WHERE state IN ('READY', 'POLLING') AND due > ?", ahead, now);
            session.update("UPDATE batch SET due = due - ? WHERE state IN ('SENT', 'POLLING') AND due > ?", ahead, now);
        }
        session.update("UPDATE node SET recovered = 1 WHERE id = ?", node);
    }

    /**
     * Gives back what this node claimed and has not sent. Safe at any time: a worker that still holds such a claim is
     * told at its send that the claim is stale.
     */
    int release(Session session, long node) throws SQLException {
        int released = session.update(
                "UPDATE call SET state = 'READY', batch = NULL WHERE state = 'CLAIMED' AND owner = ?", node);
        SqlBatches.released(session);
        return released;
    }

    /** The claimed calls that can be read; the others are buried. */
    List<Call> readable(List<SqlCalls.Stored> claimed, Consumer<SqlCalls.Stored> bury) {
        List<Call> readable = new ArrayList<>(claimed.size());
        for (SqlCalls.Stored stored : claimed) {
            try {
                readable.add(calls.call(stored));
            } catch (RuntimeException e) {
                bury.accept(stored);
            }
        }
        return readable;
    }

    /** A call whose stored request cannot be read any more, so that it cannot be sent (again): it costs only itself. */
    boolean bury(Session session, long node, SqlCalls.Stored stored) throws SQLException {
        long now = clock.millis();
        boolean sent =
                session.number("SELECT count(*) FROM call WHERE id = ? AND state IN ('SENT', 'POLLING')", stored.id())
                        > 0;
        int changed = session.update(
                "UPDATE call SET state = 'DEAD', doubts = doubts + CASE WHEN state IN ('SENT', 'POLLING')"
                        + " OR unresolved > 0 THEN 1 ELSE 0 END, unresolved = 0, ended = ?, code = 'damaged',"
                        + " reason = ? WHERE id = ? AND fence = ? AND state IN ('CLAIMED', 'SENT', 'POLLING')",
                now,
                "The stored request cannot be read.",
                stored.id(),
                stored.fence());
        if (changed == 1) {
            var last = new Journal.Attempt(stored.id(), stored.fence(), stored.sends(), stored.engine());
            Journal.keep(session, now, node, journal -> {
                if (sent) {
                    journal.charged(EventKind.IN_DOUBT, last, Charged.UNKNOWN, null, CRASHED.reason());
                }
                journal.add(EventKind.DEAD_LETTER, last, "damaged: The stored request cannot be read.");
            });
            SqlSettling.ended(session, List.of(stored.id()));
        }
        return changed == 1;
    }
}
