package dev.oncebox.ledger.sql;

import dev.oncebox.config.ConfigException;
import dev.oncebox.config.LedgerUrl;
import dev.oncebox.ledger.LedgerException;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Clock;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Drops what is large of calls that were settled and delivered long ago: requests, answers, replies, rows of tables. What
 * is counted and what makes a call known stays: keys, states, usage, costs, the journal.
 *
 * <p>Works beside a worker, in transactions that are short however much there is to drop. Each looks again at whether
 * its calls may be purged, and leaves the ledger in order; so it may end at any moment, and begin anew. Of a table
 * what stands before its rows goes first: without that it is read anew before it is delivered again. Belongs to one
 * thread.
 */
public final class SqlRetention implements AutoCloseable {

    /** Of one transaction; a body of 16 MB alone takes longer than many small ones. */
    private static final int MOST = 200;

    private static final long MOST_BYTES = 4L << 20;
    private static final int LOOK_AT = 2000;

    /** Nothing is added to the state so that no index of it is used: the calls are gone through by their numbers, once. */
    private static final String OLD = "c.state || '' IN ('DONE', 'DEAD') AND c.ended < ?"
            + " AND EXISTS (SELECT 1 FROM item i WHERE i.call = c.id) AND NOT EXISTS (SELECT 1 FROM item i"
            + " JOIN file f ON f.id = i.file WHERE i.call = c.id AND (f.state <> 'DELIVERED' OR f.delivered >= ?))";

    private static final String BYTES = "length(r.body)"
            + " + coalesce((SELECT length(a.body) FROM answer a WHERE a.call = c.id), 0)"
            + " + coalesce((SELECT sum(length(p.body)) FROM reply p WHERE p.call = c.id), 0)";

    static final String CALLS = "SELECT c.id, " + BYTES + " FROM request r JOIN call c ON c.id = r.call"
            + " WHERE r.call > ? AND " + OLD + " ORDER BY r.call LIMIT " + LOOK_AT;

    private static final String CALL =
            "SELECT " + BYTES + " FROM request r JOIN call c ON c.id = r.call WHERE r.call = ? AND " + OLD;

    private static final String HOLD = "SELECT id FROM call WHERE id = ?";

    private static final String OLD_FILE = "f.kind = 'TABLE' AND f.state = 'DELIVERED' AND f.delivered < ?";

    private static final String TABLES = "SELECT f.id FROM file f WHERE " + OLD_FILE
            + " AND EXISTS (SELECT 1 FROM source s WHERE s.file = f.id) LIMIT 1";

    private static final String ROWS = "SELECT s.n, length(s.body) FROM source s JOIN file f ON f.id = s.file"
            + " WHERE " + OLD_FILE + " AND s.file = ? ORDER BY s.n LIMIT " + MOST;

    private final Dialect dialect;
    private final Session session;
    private final Clock clock;
    private List<Body> found = List.of();
    private long last;

    private SqlRetention(Dialect dialect, Session session, Clock clock) {
        this.dialect = dialect;
        this.session = session;
        this.clock = clock;
    }

    /**
     * What was, or would be, dropped.
     *
     * @param calls whose request, and answer and replies if there are any
     * @param rows of tables, as they stood in their files
     * @param bytes of all these, as they are kept
     */
    public record Dropped(long calls, long rows, long bytes) {
        public static final Dropped NOTHING = new Dropped(0, 0, 0);

        public Dropped plus(Dropped other) {
            return new Dropped(calls + other.calls, rows + other.rows, bytes + other.bytes);
        }
    }

    private record Body(long id, long bytes) {}

    /**
     * Opens a ledger that exists.
     *
     * @param readOnly to count only
     * @throws ConfigException when there is none, or none of this version
     */
    public static SqlRetention open(LedgerUrl ledger, boolean readOnly, Clock clock) {
        Dialect dialect = readOnly ? Dialect.reading(ledger) : Dialect.beside(ledger);
        Session session = SqlReports.session(dialect);
        if (session == null) {
            throw new ConfigException("There is no ledger " + dialect.name() + ". Check --home.");
        }
        return new SqlRetention(dialect, session, clock);
    }

    /**
     * Looks over a ledger that nobody works on, before anything is written to it.
     *
     * @throws ConfigException when it is damaged
     */
    public static void requireHealth(Path ledgerFile) {
        try {
            new SqliteHealth(ledgerFile).require();
        } catch (IOException e) {
            throw new ConfigException("The ledger " + ledgerFile + " cannot be read: " + e + ".");
        } catch (SQLException e) {
            throw new Sqlite(ledgerFile, true).unreadable(e);
        }
    }

    /** What {@link #drop} would come to, as of now. */
    public Dropped count(long before) {
        try {
            Dropped dropped = session.one(
                    "SELECT count(*), coalesce(sum(length(s.body)), 0) FROM source s JOIN file f ON f.id = s.file WHERE "
                            + OLD_FILE,
                    row -> new Dropped(0, row.getLong(1), row.getLong(2)),
                    before);
            for (List<Body> page = page(before); !page.isEmpty(); page = page(before)) {
                long bytes = page.stream().mapToLong(Body::bytes).sum();
                dropped = (dropped == null ? Dropped.NOTHING : dropped).plus(new Dropped(page.size(), 0, bytes));
            }
            return dropped == null ? Dropped.NOTHING : dropped;
        } catch (SQLException e) {
            throw dialect.explain(e);
        }
    }

    /** The next calls, looked for without a lock. */
    private List<Body> page(long before) throws SQLException {
        List<Body> page = session.list(CALLS, row -> new Body(row.getLong(1), row.getLong(2)), last, before, before);
        last = page.isEmpty() ? last : page.get(page.size() - 1).id();
        return page;
    }

    /**
     * Drops some of what was delivered, and had its end, before a moment.
     *
     * @param before epoch milliseconds
     * @return null: nothing is left to drop
     */
    public @Nullable Dropped drop(long before) {
        try {
            Long table = session.one(TABLES, row -> row.getLong(1), before);
            if (table != null) {
                return inTransaction(() -> dropRows(table, before));
            }
            found = found.isEmpty() ? page(before) : found;
            return found.isEmpty() ? null : inTransaction(() -> dropCalls(before));
        } catch (SQLException e) {
            throw dialect.explain(e);
        }
    }

    private Dropped dropRows(long table, long before) throws SQLException {
        List<Body> rows = session.list(ROWS, row -> new Body(row.getLong(1), row.getLong(2)), before, table);
        long bytes = 0;
        for (Body row : rows) {
            session.update("DELETE FROM source WHERE file = ? AND n = ?", table, row.id());
            bytes += row.bytes();
        }
        return new Dropped(0, rows.size(), bytes);
    }

    private Dropped dropCalls(long before) throws SQLException {
        long now = clock.millis();
        long calls = 0;
        long bytes = 0;
        int seen = 0;
        while (seen < found.size() && seen < MOST && bytes < MOST_BYTES) {
            long call = found.get(seen++).id();
            session.one(HOLD + session.sharing().forUpdate(), row -> row.getLong(1), call);
            Long size = session.one(CALL, row -> row.getLong(1), call, before, before);
            if (size != null) {
                session.update("DELETE FROM request WHERE call = ?", call);
                session.update("DELETE FROM answer WHERE call = ?", call);
                session.update("DELETE FROM reply WHERE call = ?", call);
                PurgedBodies.answerDropped(session, call, now);
                calls++;
                bytes += size;
            }
        }
        found = found.subList(seen, found.size());
        return new Dropped(calls, 0, bytes);
    }

    /** How large the ledger is with its log, in bytes. */
    public long size() {
        return space().size();
    }

    /** How much of the ledger is free: used again for what comes, but not given back to the disk. */
    public long free() {
        return space().free();
    }

    /** How much of the ledger is in use. */
    public long used() {
        return space().used();
    }

    private Dialect.Space space() {
        try {
            return dialect.space(session);
        } catch (SQLException e) {
            throw dialect.explain(e);
        }
    }

    /**
     * Gives back to the disk what is free. A worker could write nothing meanwhile, so none may be at work. Needs
     * {@link #used} twice over: in the temporary folder, and beside the ledger for its log. Whatever ends it, the ledger is as
     * before or compacted.
     *
     * @throws LedgerException when there was no room, say
     */
    public void compact() {
        try {
            session.run("VACUUM");
            session.one("PRAGMA wal_checkpoint(TRUNCATE)", row -> row.getLong(1));
        } catch (SQLException e) {
            throw dialect.explain(e);
        }
    }

    @FunctionalInterface
    private interface Step {
        Dropped run() throws SQLException;
    }

    private Dropped inTransaction(Step step) throws SQLException {
        session.run(dialect.begin());
        boolean done = false;
        try {
            Dropped dropped = step.run();
            session.run("COMMIT");
            done = true;
            return dropped;
        } finally {
            if (!done) {
                session.run("ROLLBACK");
            }
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
