package dev.oncebox.ledger.sql;

import dev.oncebox.config.ConfigException;
import dev.oncebox.config.LedgerUrl;
import dev.oncebox.ledger.Figures;
import dev.oncebox.ledger.JournalLine;
import dev.oncebox.ledger.Outcome;
import dev.oncebox.ledger.Reply;
import java.sql.SQLException;
import java.util.Collection;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Looks at a ledger from another process, beside a worker or without one, and changes nothing. A ledger that does not
 * exist yet is an empty one. Belongs to one thread.
 */
public final class SqlReports implements AutoCloseable {

    private final Dialect dialect;
    private final @Nullable Session session;

    SqlReports(Dialect dialect, @Nullable Session session) {
        this.dialect = dialect;
        this.session = session;
    }

    /** @throws ConfigException when it is there and cannot be read as a ledger */
    public static SqlReports open(LedgerUrl ledger) {
        Dialect dialect = Dialect.reading(ledger);
        return new SqlReports(dialect, session(dialect));
    }

    /** What the SQL of routes reads a ledger with, a {@link javax.sql.DataSource}; it can change nothing. */
    public static Object dataSource(LedgerUrl ledger) {
        return Dialect.connections(ledger);
    }

    /**
     * A connection to a ledger; null where there is none, or none yet.
     *
     * @throws ConfigException when it is there and cannot be read as a ledger
     */
    static @Nullable Session session(Dialect dialect) {
        try {
            return found(dialect);
        } catch (SQLException e) {
            throw dialect.unreadable(e);
        }
    }

    /** The same, for who tells a ledger that cannot be read now from one that cannot be read at all. */
    static @Nullable Session found(Dialect dialect) throws SQLException {
        return dialect.exists() ? sound(dialect, dialect.session()) : null;
    }

    /** Null for a database without tables. */
    private static @Nullable Session sound(Dialect dialect, Session session) throws SQLException {
        boolean sound = false;
        try {
            long version = dialect.version(session);
            if (version > Dialect.VERSION) {
                throw new ConfigException("The ledger " + dialect.name() + " " + Dialect.MADE_LATER);
            }
            if (version > 0 && version < Dialect.VERSION) {
                throw new ConfigException("The ledger " + dialect.name() + " was made by an earlier version of Oncebox."
                        + " Bring it up to date with: oncebox check");
            }
            sound = version > 0;
            return sound ? session : null;
        } finally {
            if (!sound) {
                session.close();
            }
        }
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
            session.run(dialect.beginReading());
            try {
                return new SqlFigures(session).read(now);
            } finally {
                session.run("COMMIT");
            }
        } catch (SQLException e) {
            throw dialect.unreadable(e);
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
            throw dialect.unreadable(e);
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
            throw dialect.unreadable(e);
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
            throw dialect.unreadable(e);
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
            throw dialect.unreadable(e);
        }
    }

    /**
     * A reply that was kept.
     *
     * @param at epoch milliseconds
     * @param attempt which send it answers, counted from 1
     */
    public record KeptReply(long at, int attempt, Reply reply) {}

    @Override
    public void close() {
        try {
            if (session != null) {
                session.close();
            }
        } catch (SQLException e) {
            // a reader has nothing to lose
        } finally {
            dialect.close();
        }
    }
}
