package dev.oncebox.ledger.sql;

import dev.oncebox.ledger.ReceivedFile;
import java.sql.SQLException;
import java.util.List;

/**
 * Files that were not read to their end: they changed meanwhile, or left. What was delivered before and was only read
 * anew, since it had been purged, stands as it stood. Runs inside the writer's transactions.
 */
final class HalfRead {

    private HalfRead() {}

    /** A file left its place; what was read of it is answered. */
    static int abandoned(Session session, long file) throws SQLException {
        return stood(session, file)
                ? 1
                : session.update(
                        "UPDATE file SET archived = 1, state = CASE state WHEN 'TAKING' THEN 'TAKEN' ELSE state END"
                                + " WHERE id = ?",
                        file);
    }

    private static boolean stood(Session session, long file) throws SQLException {
        return session.update(
                        "UPDATE file SET state = 'DELIVERED', archived = 1, pending = 0 WHERE id = ?"
                                + " AND state = 'TAKING' AND delivered IS NOT NULL",
                        file)
                == 1;
    }

    /** A file was not what it seemed, and is forgotten. */
    static int discard(Session session, ReceivedFile file) throws SQLException {
        if (stood(session, file.id())) {
            return 0;
        }
        if (!session.is("EXISTS (SELECT 1 FROM file WHERE id = ? AND state = 'TAKING')", file.id())) {
            // another node has read it to its end meanwhile
            return 0;
        }
        List<Long> calls = session.list(
                "SELECT DISTINCT call FROM item WHERE file = ? AND call IS NOT NULL", row -> row.getLong(1), file.id());
        session.update("DELETE FROM item WHERE file = ?", file.id());
        session.update("DELETE FROM source WHERE file = ?", file.id());
        session.update("DELETE FROM event WHERE file = ?", file.id());
        session.update("DELETE FROM file WHERE id = ?", file.id());
        for (long call : calls) {
            session.one(
                    "SELECT id FROM call WHERE id = ?" + session.sharing().forUpdate(), row -> row.getLong(1), call);
            boolean unwanted = session.number(
                            "SELECT count(*) FROM call c WHERE c.id = ? AND c.state = 'READY' AND c.attempts = 0"
                                    + " AND c.doubts = 0 AND NOT EXISTS (SELECT 1 FROM item i WHERE i.call = c.id)",
                            call)
                    > 0;
            boolean inTheJournal = session.number("SELECT fence FROM call WHERE id = ?", call) > 0;
            if (unwanted && inTheJournal) {
                session.update(
                        "UPDATE call SET state = 'DEAD', code = 'unwanted', reason = 'Nobody asks for it any more.'"
                                + " WHERE id = ?",
                        call);
            } else if (unwanted) {
                session.update("DELETE FROM request WHERE call = ?", call);
                session.update("DELETE FROM call WHERE id = ?", call);
            } else {
                handOn(session, call);
            }
        }
        return calls.size();
    }

    /** A call whose causing item is gone is caused by the first that is left, so that it is counted once. */
    private static void handOn(Session session, long call) throws SQLException {
        session.update(
                "UPDATE item SET fresh = 1 WHERE call = ? AND NOT EXISTS (SELECT 1 FROM item WHERE call = ? AND fresh = 1)"
                        + " AND (file, n) = (SELECT file, n FROM item WHERE call = ? ORDER BY file, n LIMIT 1)",
                call,
                call,
                call);
    }
}
