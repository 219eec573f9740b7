package dev.oncebox.ledger.sql;

import dev.oncebox.config.ConfigException;
import dev.oncebox.config.LedgerUrl;
import dev.oncebox.ledger.LedgerException;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** What differs between databases. */
interface Dialect extends AutoCloseable {

    /** The version of the schema: that of the last migration, whatever the database. */
    int VERSION = 7;

    String MADE_LATER = "was made by a newer version of Oncebox. Start that version.";

    /** For a worker, which makes and changes things. */
    static Dialect working(LedgerUrl ledger) {
        return ledger instanceof LedgerUrl.SqliteFile sqlite
                ? new Sqlite(sqlite.file(), false)
                : new Postgres(((LedgerUrl.PostgresDatabase) ledger).url(), true);
    }

    /** For a command beside a worker: a connection, or a few, that may write. */
    static Dialect beside(LedgerUrl ledger) {
        return ledger instanceof LedgerUrl.SqliteFile sqlite
                ? new Sqlite(sqlite.file(), false)
                : new Postgres(((LedgerUrl.PostgresDatabase) ledger).url(), false);
    }

    /** The same, only to look: whoever may write to a file of SQLite's also brings its log into it. */
    static Dialect reading(LedgerUrl ledger) {
        return ledger instanceof LedgerUrl.SqliteFile sqlite
                ? new Sqlite(sqlite.file(), true)
                : new Postgres(((LedgerUrl.PostgresDatabase) ledger).url(), false);
    }

    /** Where others get connections with which they look, and change nothing. */
    static DataSource connections(LedgerUrl ledger) {
        return ledger instanceof LedgerUrl.SqliteFile sqlite
                ? new Sqlite(sqlite.file(), true).source()
                : new Postgres(((LedgerUrl.PostgresDatabase) ledger).url(), false).source();
    }

    /** Where the ledger is, for people; nothing secret in it. */
    String name();

    /**
     * Whether there is something that can be looked at.
     *
     * @throws ConfigException when what is there cannot be a ledger
     */
    boolean exists();

    /** Opens a connection for the writer, or for a reader beside it. */
    Connection connect() throws SQLException;

    Sharing sharing();

    default Session session() throws SQLException {
        return new Session(connect(), sharing());
    }

    /**
     * The last migration that was made; 0 in a database without tables.
     *
     * @throws ConfigException when it has tables of something else
     */
    long version(Session session) throws SQLException;

    /** Creates the tables or brings them to this version; a ledger of a newer version is refused, not damaged. */
    void migrate();

    /** The statement that begins a writing transaction. */
    String begin();

    /** The statement that begins a transaction which sees everything as of one moment. */
    String beginReading();

    /** Says what a failure means for what may follow. */
    LedgerException explain(SQLException failure);

    /** Says why the ledger cannot be looked at, and what to do. */
    ConfigException unreadable(SQLException failure);

    /** Whether somebody has to mend something before it can be looked at, rather than wait. */
    boolean isWrong(SQLException failure);

    /** Whether the database itself is in trouble, so that nothing more may be written, rather than one statement. */
    boolean isFatal(SQLException failure);

    /** Whether what failed was undone, and may do when it is tried again at once. */
    boolean isCollision(SQLException failure);

    /** Whether a copy of a ledger knows that it is one, see {@link SqlRestored}. */
    boolean marksCopies();

    /** How large the ledger is, and how much of it is free for what comes. */
    Space space(Session session) throws SQLException;

    /** Null while the ledger is the one that was opened, else what happened to it. */
    @Nullable
    String lost();

    @Override
    void close();

    /**
     * Room on the disk, in bytes.
     *
     * @param used of the size, what is not free
     */
    record Space(long size, long used, long free) {}
}
