package dev.oncebox.ledger.sql;

import dev.oncebox.ledger.Charged;
import dev.oncebox.ledger.EventKind;
import java.math.BigDecimal;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Writes down what happens to calls. Runs inside the writer's transactions; nothing is ever changed or removed. */
final class Journal {

    private static final String INSERT =
            "INSERT INTO event (at, node, call, fence, attempt, kind, engine, charged, cost, detail, request_id)"
                    + " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";

    private final Rows events;
    private final long now;
    private final long node;

    private Journal(Rows events, long now, long node) {
        this.events = events;
        this.now = now;
        this.node = node;
    }

    /** Something that happens, and tells of it. */
    @FunctionalInterface
    interface Story {
        void tell(Journal journal) throws SQLException;
    }

    /** Writes down all that a story tells when it has come to its end. */
    static void keep(Session session, long now, long node, Story story) throws SQLException {
        var events = new Rows(session, INSERT);
        story.tell(new Journal(events, now, node));
        events.write();
    }

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

    void add(EventKind kind, Attempt attempt, @Nullable String detail) {
        insert(kind, attempt, attempt.engine(), null, null, detail);
    }

    /** An attempt's end, and what it cost. */
    void charged(EventKind kind, Attempt attempt, Charged charged, @Nullable BigDecimal cost, @Nullable String detail) {
        insert(kind, attempt, attempt.engine(), charged, cost, detail);
    }

    /**
     * The call goes on at another engine.
     *
     * @param perhapsCharged whether an attempt was, or may have been, charged; not only at the engine that it leaves
     */
    void fallback(Attempt attempt, String next, @Nullable String why, boolean perhapsCharged) {
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
            @Nullable String detail) {
        events.add(
                now,
                node,
                attempt.call(),
                attempt.fence(),
                attempt.send(),
                kind,
                engine,
                charged,
                SqlSettling.billionths(cost),
                detail,
                attempt.requestId());
    }
}
