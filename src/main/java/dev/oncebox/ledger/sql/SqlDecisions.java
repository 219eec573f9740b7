package dev.oncebox.ledger.sql;

import dev.oncebox.config.ConfigException;
import dev.oncebox.config.LedgerUrl;
import dev.oncebox.ledger.CallName;
import dev.oncebox.ledger.CallState;
import dev.oncebox.ledger.Charged;
import dev.oncebox.ledger.EventKind;
import dev.oncebox.ledger.LedgerException;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Clock;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a person decides about calls that ended in doubt or failed for good. Works beside a running worker, which finds
 * the calls due at its next look; the call's fence stays, so that a worker which holds an old claim cannot use it.
 */
public final class SqlDecisions implements AutoCloseable {

    private static final String COLUMNS =
            "SELECT c.id, c.key, c.state, c.engine, c.fence, c.sends, c.attempts, c.code, c.reason, j.name,"
                    + " CASE WHEN c.batch IS NULL THEN c.remote END,"
                    + " EXISTS (SELECT 1 FROM request r WHERE r.call = c.id) FROM call c JOIN job j ON j.id = c.job";

    private static final String MEANT_BY_ALL =
            " WHERE c.state = ? AND coalesce(c.code, '') <> ? AND EXISTS (SELECT 1 FROM item i WHERE i.call = c.id)"
                    + " AND EXISTS (SELECT 1 FROM request r WHERE r.call = c.id)";

    private final Dialect dialect;
    private final Session session;
    private final Clock clock;

    /**
     * A call that waits for a decision.
     *
     * @param sends how often it was sent
     * @param attempts how many of these were, or may have been, charged
     * @param remote where its engine is asked for its answer; null: it is not
     * @param sendable whether its request is there; otherwise it was purged
     */
    public record Case(
            long id,
            String key,
            CallState state,
            String engine,
            long fence,
            int sends,
            int attempts,
            @Nullable String code,
            @Nullable String reason,
            String job,
            @Nullable String remote,
            boolean sendable) {

        /** Whether it was answered and its answer was purged: sent again, it is paid for once more. */
        public boolean isAnswerPurged() {
            return PurgedBodies.CODE.equals(code);
        }
    }

    SqlDecisions(Dialect dialect, Session session, Clock clock) {
        this.dialect = dialect;
        this.session = session;
        this.clock = clock;
    }

    /** Opens a ledger that exists. */
    public static SqlDecisions open(LedgerUrl ledger, Clock clock) {
        return open(Dialect.beside(ledger), clock);
    }

    /** Opens a ledger to look at it. */
    public static SqlDecisions reading(LedgerUrl ledger, Clock clock) {
        return open(Dialect.reading(ledger), clock);
    }

    private static SqlDecisions open(Dialect dialect, Clock clock) {
        Session session = SqlReports.session(dialect);
        if (session == null) {
            throw new ConfigException("There is no ledger " + dialect.name() + ". Check --home.");
        }
        return new SqlDecisions(dialect, session, clock);
    }

    /** All calls in a state, oldest first; of the dead ones those that an item still asks for. */
    public List<Case> list(CallState state) {
        try {
            return session.list(
                    COLUMNS
                            + " WHERE c.state = ? AND (c.state <> 'DEAD' OR EXISTS (SELECT 1 FROM item i WHERE i.call = c.id))"
                            + " ORDER BY c.id",
                    SqlDecisions::read,
                    state);
        } catch (SQLException e) {
            throw dialect.explain(e);
        }
    }

    /**
     * The calls in a state that are meant when a person decides about all of them, oldest first: those that an item
     * asks for and that can be sent, but for answered ones, whose answer was purged.
     *
     * @param most how many at most
     */
    public List<Case> all(CallState state, long most) {
        try {
            return session.list(
                    COLUMNS + MEANT_BY_ALL + " ORDER BY c.id LIMIT ?",
                    SqlDecisions::read,
                    state,
                    PurgedBodies.CODE,
                    most);
        } catch (SQLException e) {
            throw dialect.explain(e);
        }
    }

    /** How many these are. */
    public long countAll(CallState state) {
        try {
            return session.number("SELECT count(*) FROM call c" + MEANT_BY_ALL, state, PurgedBodies.CODE);
        } catch (SQLException e) {
            throw dialect.explain(e);
        }
    }

    /**
     * One call, whatever its state; null: there is none.
     *
     * @param key all 64 digits
     */
    public @Nullable Case find(String key) {
        try {
            return session.one(
                    COLUMNS + " WHERE c.key = ?",
                    SqlDecisions::read,
                    HexFormat.of().parseHex(key));
        } catch (SQLException e) {
            throw dialect.explain(e);
        }
    }

    /** What a line of the log calls it. */
    public CallName name(Case call) {
        try {
            return new CallName(call.key(), Askers.first(session, call.id()).orElse(null));
        } catch (SQLException e) {
            throw dialect.explain(e);
        }
    }

    private static Case read(ResultSet row) throws SQLException {
        return new Case(
                row.getLong(1),
                HexFormat.of().formatHex(row.getBytes(2)),
                CallState.valueOf(row.getString(3)),
                row.getString(4),
                row.getLong(5),
                row.getInt(6),
                row.getInt(7),
                row.getString(8),
                row.getString(9),
                row.getString(10),
                row.getString(11),
                row.getBoolean(12));
    }

    /**
     * Sends a call in doubt again: it may be paid twice, and a person said so. False: it is in doubt no more.
     *
     * @param engine to ask: the call's own, or another where that is configured no more
     */
    public boolean resend(Case call, String engine) {
        return inTransaction(() -> {
            hold(call);
            int changed = session.update(
                    "UPDATE call SET state = 'READY', due = ?, failures = 0, refused_since = 0, remote = NULL,"
                            + " earlier = CASE engine WHEN ? THEN earlier ELSE attempts END, engine = ? WHERE id = ?"
                            + " AND fence = ? AND state = 'DOUBT'",
                    clock.millis(),
                    engine,
                    engine,
                    call.id(),
                    call.fence());
            note(changed, call, EventKind.IN_DOUBT, "A person chose to send it again.");
            return changed == 1;
        });
    }

    /**
     * Gives up a call that is in doubt, or that an engine accepted: its items get their error lines. False: it has its
     * end by now.
     */
    public boolean acceptLoss(Case call) {
        return inTransaction(() -> {
            hold(call);
            // an accepted call may have been charged, which nothing has said yet
            session.update(
                    "INSERT INTO event (at, call, fence, attempt, kind, engine, charged, detail)"
                            + " SELECT ?, id, fence, sends, ?, engine, ?, ? FROM call WHERE id = ? AND fence = ?"
                            + " AND state = 'POLLING'",
                    clock.millis(),
                    EventKind.IN_DOUBT,
                    Charged.UNKNOWN,
                    "A person does not wait for its answer.",
                    call.id(),
                    call.fence());
            int changed = session.update(
                    "UPDATE call SET doubts = doubts + CASE state WHEN 'POLLING' THEN 1 + CASE WHEN unresolved > 0 THEN 1 ELSE 0 END ELSE 0 END,"
                            + " unresolved = CASE state WHEN 'POLLING' THEN 0 ELSE unresolved END, state = 'DEAD',"
                            + " ended = ?, code = 'loss_accepted', reason = ? WHERE id = ? AND fence = ?"
                            + " AND state IN ('DOUBT', 'POLLING')",
                    clock.millis(),
                    "It may have been charged; a person accepted the loss.",
                    call.id(),
                    call.fence());
            note(changed, call, EventKind.DEAD_LETTER, "A person accepted the loss.");
            if (changed == 1) {
                SqlSettling.ended(session, List.of(call.id()));
            }
            return changed == 1;
        });
    }

    /**
     * Sends a dead letter again, with all its attempts; its files are delivered anew, but for those that brought its
     * answer before it was purged. False: it is dead no more, or cannot be sent.
     *
     * @param engine the engine to begin with
     */
    public boolean retry(Case call, String engine) {
        return inTransaction(() -> {
            hold(call);
            int changed = session.update(
                    "UPDATE call SET earlier = attempts, engine = ? WHERE id = ? AND state = 'DEAD'"
                            + " AND EXISTS (SELECT 1 FROM item i WHERE i.call = call.id) AND " + PurgedBodies.SENDABLE,
                    engine,
                    call.id());
            if (changed == 1) {
                SqlIntake.holdOpen(session, "i.file IN (SELECT o.file FROM item o WHERE o.call = ?)", call.id());
                session.update(
                        "UPDATE file SET state = 'TAKEN', pending = (SELECT count(*) FROM item i JOIN call c"
                                + " ON c.id = i.call WHERE i.file = file.id AND c.state NOT IN ('DONE', 'DEAD'))"
                                + " WHERE state = 'DELIVERED' AND id IN (SELECT i.file FROM item i WHERE i.call = ?)"
                                + " AND " + PurgedBodies.WHOLE + " AND " + PurgedBodies.TOLD_OF_ITS_END,
                        call.id(),
                        call.id());
                SqlIntake.revive(session, call.id(), clock.millis());
            }
            return changed == 1;
        });
    }

    private void note(int changed, Case call, EventKind kind, String detail) throws SQLException {
        if (changed == 1) {
            session.update(
                    "INSERT INTO event (at, call, fence, attempt, kind, engine, detail) VALUES (?, ?, ?, ?, ?, ?, ?)",
                    clock.millis(),
                    call.id(),
                    call.fence(),
                    call.sends(),
                    kind,
                    call.engine(),
                    detail);
        }
    }

    /** Nobody else settles it before this is decided. */
    private void hold(Case call) throws SQLException {
        session.one(
                "SELECT id FROM call WHERE id = ?" + session.sharing().forUpdate(), row -> row.getLong(1), call.id());
    }

    @FunctionalInterface
    private interface Change {
        boolean make() throws SQLException;
    }

    private boolean inTransaction(Change change) {
        try {
            session.run(dialect.begin());
            boolean done = false;
            try {
                boolean changed = change.make();
                session.commit();
                done = true;
                return changed;
            } finally {
                if (!done) {
                    session.rollBack();
                }
            }
        } catch (SQLException e) {
            throw dialect.explain(e);
        }
    }

    @Override
    public void close() throws LedgerException {
        try {
            session.close();
        } catch (SQLException e) {
            throw dialect.explain(e);
        } finally {
            dialect.close();
        }
    }
}
