package dev.oncebox.ledger.sql;

import java.sql.SQLException;
import java.util.List;

/**
 * Finishes ledgers on SQLite of the hours in which a migration was still being written: what theirs lacks of the finished
 * one is added, so that the next migrations find what they build on. No later migration ever changes once it is made.
 */
final class DraftMigrations {

    /** Pauses are recorded anew by every run. */
    private static final List<String> OF_2 = List.of(
            "ALTER TABLE node ADD COLUMN recovered INTEGER NOT NULL DEFAULT 0",
            "DROP TABLE pause",
            "CREATE TABLE pause (name TEXT PRIMARY KEY,"
                    + " state TEXT NOT NULL CHECK (state IN ('OPEN', 'PROBING', 'LIMITED', 'SPENT')),"
                    + " since INTEGER NOT NULL, until INTEGER NOT NULL, reason TEXT NOT NULL)");

    private static final List<String> OF_3 = List.of("ALTER TABLE event ADD COLUMN request_id TEXT");

    private static final List<Draft> DRAFTS = List.of(
            new Draft("2", 1210665803, -611325487, OF_2),
            new Draft("2", 2077999268, -611325487, OF_2),
            new Draft("2", -194969718, -611325487, OF_2),
            new Draft("3", 1518353597, -1462160251, OF_3));

    private DraftMigrations() {}

    /**
     * @param checksum as Flyway recorded it for the draft
     * @param finished and as it is for the finished migration
     */
    private record Draft(String version, int checksum, int finished, List<String> missing) {}

    /** Finishes a ledger that has tables; all at once or not at all. */
    static void finish(Session session) throws SQLException {
        for (Draft draft : DRAFTS) {
            if (session.is(
                    "EXISTS (SELECT 1 FROM flyway_schema_history WHERE version = ? AND checksum = ?)",
                    draft.version(),
                    draft.checksum())) {
                finish(session, draft);
            }
        }
    }

    private static void finish(Session session, Draft draft) throws SQLException {
        session.run("BEGIN IMMEDIATE");
        boolean finished = false;
        try {
            for (String statement : draft.missing()) {
                session.run(statement);
            }
            session.update(
                    "UPDATE flyway_schema_history SET checksum = ? WHERE version = ?",
                    draft.finished(),
                    draft.version());
            session.run("COMMIT");
            finished = true;
        } finally {
            if (!finished) {
                session.run("ROLLBACK");
            }
        }
    }
}
