package dev.oncebox.ledger.sql;

import dev.oncebox.config.ConfigException;
import dev.oncebox.ledger.Figures;
import dev.oncebox.ledger.JournalLine;
import dev.oncebox.ledger.Outcome;
import dev.oncebox.ledger.Reply;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.sqlite.SQLiteErrorCode;

/**
 * Looks at a ledger from another process, beside a worker or without one, and changes nothing. A ledger that does not
 * exist yet is an empty one. Belongs to one thread.
 */
public final class SqlReports implements AutoCloseable {

    private final Path file;
    private final @Nullable Session session;

    SqlReports(Path file, @Nullable Session session) {
        this.file = file;
        this.session = session;
    }

    /** @throws ConfigException when the file is there and cannot be read as a ledger */
    public static SqlReports open(Path ledgerFile) {
        return new SqlReports(ledgerFile, session(ledgerFile));
    }

    /** What the SQL of routes reads a ledger with, a {@link javax.sql.DataSource}; it can change nothing. */
    public static Object dataSource(Path ledgerFile) {
        return Sqlite.forReading(ledgerFile);
    }

    /**
     * A connection for reading a ledger; null where there is none, or none yet.
     *
     * @throws ConfigException when the file is there and cannot be read as a ledger
     */
    static @Nullable Session session(Path ledgerFile) {
        try {
            if (!Files.exists(ledgerFile)) {
                return null;
            }
            if (Files.size(ledgerFile) == 0) {
                throw new ConfigException("The ledger " + ledgerFile + " "
                        + SqliteHealth.damaged("it is empty, which no ledger ever is"));
            }
            return session(new Sqlite(ledgerFile, true).connect(), ledgerFile);
        } catch (SQLException e) {
            throw unreadable(ledgerFile, e);
        } catch (IOException e) {
            throw new ConfigException("The ledger " + ledgerFile + " cannot be read: " + e.getMessage() + ".");
        }
    }

    /** Null for a database without tables. */
    static @Nullable Session session(Connection connection, Path file) throws SQLException {
        var session = new Session(connection);
        try {
            long version = version(session, file);
            if (version == Sqlite.VERSION) {
                return session;
            }
            if (version > Sqlite.VERSION) {
                throw new ConfigException("The ledger " + file + " " + Sqlite.MADE_LATER);
            }
            if (version > 0) {
                throw new ConfigException("The ledger " + file + " was made by an earlier version of Oncebox."
                        + " Bring it up to date with: oncebox check");
            }
            session.close();
            return null;
        } catch (SQLException | ConfigException e) {
            session.close();
            throw e;
        }
    }

    /** The last migration made; 0 in a database without tables. */
    private static long version(Session session, Path file) throws SQLException {
        if (session.number("SELECT count(*) FROM sqlite_master WHERE name = 'flyway_schema_history'") > 0) {
            return session.number("SELECT coalesce(max(CAST(version AS INTEGER)), 0) FROM flyway_schema_history");
        }
        if (session.number("SELECT count(*) FROM sqlite_master WHERE type = 'table'") > 0) {
            throw new ConfigException(
                    "The ledger " + file + " is a database, but no ledger of Oncebox. Check ledger.url.");
        }
        return 0;
    }

    /**
     * Counts everything, as of one moment.
     *
     * @param now epoch milliseconds; tells the processes that live from those that only never said goodbye
     */
    public Figures figures(long now) {
        if (session == null) {
            return Figures.NONE;
        }
        try {
            session.run("BEGIN");
            try {
                return new SqlFigures(session).read(now);
            } finally {
                session.run("COMMIT");
            }
        } catch (SQLException e) {
            throw unreadable(file, e);
        }
    }

    /**
     * Since when the call waits that could be sent for the longest, epoch milliseconds; 0: none could be.
     *
     * @param engines whose calls are meant
     */
    public long oldestDue(Collection<String> engines, long now) {
        if (session == null) {
            return 0;
        }
        long oldest = now;
        try {
            for (String engine : engines) {
                long due = session.number(
                        "SELECT due FROM call WHERE state = 'READY' AND engine = ? AND due > 0 ORDER BY due LIMIT 1",
                        engine);
                oldest = due > 0 ? Math.min(oldest, due) : oldest;
            }
            return oldest < now ? oldest : 0;
        } catch (SQLException e) {
            throw unreadable(file, e);
        }
    }

    /**
     * Gives the events of a call or of a file, oldest first, one at a time.
     *
     * @param keyOrFile a call's key or at least 8 of its first digits; or a file as it was dropped, or where it or its
     *     answers are now, or the end of its path
     * @return false when the ledger knows nothing of that name
     * @throws ConfigException when the digits are the beginning of several keys
     */
    public boolean journal(String keyOrFile, Consumer<JournalLine> each) {
        if (session == null) {
            return false;
        }
        try {
            return new SqlJournal(session).show(keyOrFile, each);
        } catch (SQLException e) {
            throw unreadable(file, e);
        }
    }

    /**
     * Gives the items of a file that have their end so far, in the file's order, one at a time.
     *
     * @param name a file as for {@link #journal}; of several, the one that was dropped last is meant
     * @return false when the ledger knows no such file
     */
    public boolean outcomes(String name, Consumer<Outcome> each) {
        if (session == null) {
            return false;
        }
        try {
            Long found = new SqlJournal(session).file(name);
            if (found != null) {
                SqlDeliveries.ended(session, found, each);
            }
            return found != null;
        } catch (SQLException e) {
            throw unreadable(file, e);
        }
    }

    /**
     * Gives what came back for a call, as it came, oldest first.
     *
     * @param key a call's key or at least 8 of its first digits
     * @return false when the ledger knows no such call
     */
    public boolean replies(String key, Consumer<KeptReply> each) {
        if (session == null) {
            return false;
        }
        try {
            Long call = new SqlJournal(session).call(key);
            if (call == null) {
                return false;
            }
            session.list(
                            "SELECT at, send, status, body FROM reply WHERE call = ? ORDER BY id",
                            row -> new KeptReply(
                                    row.getLong(1),
                                    row.getInt(2),
                                    new Reply(row.getInt(3), Packed.unpack(row.getBytes(4)))),
                            call)
                    .forEach(each);
            return true;
        } catch (SQLException e) {
            throw unreadable(file, e);
        }
    }

    /**
     * A reply that was kept.
     *
     * @param at epoch milliseconds
     * @param attempt which send it answers, counted from 1
     */
    public record KeptReply(long at, int attempt, Reply reply) {}

    static ConfigException unreadable(Path file, SQLException failure) {
        int primary = failure.getErrorCode() & 0xff;
        String ledger = "The ledger " + file;
        if (SqliteHealth.isDamage(failure)) {
            return new ConfigException(ledger + " " + SqliteHealth.damaged(failure.getMessage()));
        }
        if (primary == SQLiteErrorCode.SQLITE_BUSY.code || primary == SQLiteErrorCode.SQLITE_LOCKED.code) {
            return new ConfigException(ledger + " is locked by another program. Try again, or end that program.");
        }
        return new ConfigException(ledger + " cannot be read: " + failure.getMessage()
                + ". Check that it is a ledger of this version of Oncebox, and its permissions.");
    }

    @Override
    public void close() {
        try {
            if (session != null) {
                session.close();
            }
        } catch (SQLException e) {
            // a reader has nothing to lose
        }
    }
}
