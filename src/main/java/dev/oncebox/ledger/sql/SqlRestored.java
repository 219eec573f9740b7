package dev.oncebox.ledger.sql;

import dev.oncebox.ledger.EventKind;
import dev.oncebox.ledger.Restored;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Instant;
import java.util.Optional;

/**
 * What a copy of a ledger cannot know: a call that waited when it was made may have been sent since, by the ledger that it
 * is a copy of. So at the first start on a copy such calls are in doubt, and held whatever the engines' policies say: one
 * may be as many as were sent since, and the person who put the copy there is at hand.
 *
 * <p>A copy carries the minute in which it was made in SQLite's {@code user_version}, which is 0 in a ledger at work.
 */
final class SqlRestored {

    private static final long MINUTE = 60_000;
    private static final String CODE = "restored";

    private final Clock clock;

    SqlRestored(Clock clock) {
        this.clock = clock;
    }

    /** Marks a copy; one of a copy that nobody worked on is as old as that one. */
    static void stamp(Session session, long now) throws SQLException {
        if (session.number("PRAGMA user_version") == 0) {
            session.run("PRAGMA user_version = " + now / MINUTE);
        }
    }

    /** Holds what waits, once; nothing: this is no copy, or was put in order before. */
    Optional<Restored> hold(Session session, long node) throws SQLException {
        long minute = session.number("PRAGMA user_version");
        if (minute == 0) {
            return Optional.empty();
        }
        String reason = "The ledger was put in place from a backup of " + Instant.ofEpochMilli(minute * MINUTE)
                + "; the call waited then, and may have been sent since.";
        session.update(
                "INSERT INTO event (at, node, call, fence, attempt, kind, engine, detail)"
                        + " SELECT ?, ?, id, fence, sends, ?, engine, ? FROM call WHERE state = 'READY' ORDER BY id",
                clock.millis(),
                node,
                EventKind.IN_DOUBT,
                CODE + ": " + reason);
        int held = session.update(
                "UPDATE call SET state = 'DOUBT', attempts = attempts + 1, doubts = doubts + 1 + CASE WHEN unresolved > 0 THEN 1 ELSE 0 END,"
                        + " unresolved = 0, code = ?, reason = ? WHERE state = 'READY'",
                CODE,
                reason);
        // what lies in the archive since is not to be taken for a replacement, and read as new
        session.update("UPDATE file SET archived = 1 WHERE archived = 0 AND state <> 'TAKING'");
        session.run("PRAGMA user_version = 0");
        return Optional.of(new Restored(minute * MINUTE, held));
    }
}
