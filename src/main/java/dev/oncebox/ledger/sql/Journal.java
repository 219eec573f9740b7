package dev.oncebox.ledger.sql;

import dev.oncebox.ledger.Charged;
import dev.oncebox.ledger.EventKind;
import java.math.BigDecimal;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Writes down what happens to calls. Runs inside the writer's transactions; nothing is ever changed or removed. */
record Journal(Session session, long now, long node) {

    /**
     * What an event is about.
     *
     * @param send which send of the call, counted from 1
     * @param requestId the provider's own id of it; null: its reply had none, or there is none
     */
    record Attempt(
            long call,
            long fence,
            int send,
            String engine,
            @Nullable String requestId) {
        Attempt(long call, long fence, int send, String engine) {
            this(call, fence, send, engine, null);
        }
    }

    void add(EventKind kind, Attempt attempt, @Nullable String detail) throws SQLException {
        insert(kind, attempt, attempt.engine(), null, null, detail);
    }

    /** An attempt's end, and what it cost. */
    void charged(EventKind kind, Attempt attempt, Charged charged, @Nullable BigDecimal cost, @Nullable String detail)
            throws SQLException {
        insert(kind, attempt, attempt.engine(), charged, cost, detail);
    }

    /**
     * The call goes on at another engine.
     *
     * @param perhapsCharged whether an attempt was, or may have been, charged; not only at the engine that it leaves
     */
    void fallback(Attempt attempt, String next, @Nullable String why, boolean perhapsCharged) throws SQLException {
        String doubt = perhapsCharged
                ? " An earlier attempt was, or may have been, charged, so that this call may be paid twice."
                : "";
        insert(
                EventKind.FALLBACK,
                attempt,
                next,
                null,
                null,
                "from " + attempt.engine() + " to " + next + ": " + why + "." + doubt);
    }

    private void insert(
            EventKind kind,
            Attempt attempt,
            String engine,
            @Nullable Charged charged,
            @Nullable BigDecimal cost,
            @Nullable String detail)
            throws SQLException {
        session.update(
                "INSERT INTO event (at, node, call, fence, attempt, kind, engine, charged, cost, detail, request_id)"
                        + " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                now,
                node,
                attempt.call(),
                attempt.fence(),
                attempt.send(),
                kind,
                engine,
                charged,
                SqlCalls.billionths(cost),
                detail,
                attempt.requestId());
    }
}
