package dev.oncebox.ledger.sql;

import dev.oncebox.ledger.LedgerException;
import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** What differs between databases. */
interface Dialect extends AutoCloseable {

    /** Where the ledger is, for people; nothing secret in it. */
    String name();

    /** Opens a connection for the writer, or for a reader beside it. */
    Connection connect() throws SQLException;

    /** Creates the tables or brings them to this version; a ledger of a newer version is refused, not damaged. */
    void migrate();

    /** The statement that begins a writing transaction. */
    String begin();

    /** What follows a select of rows to claim, so that two nodes do not wait for each other. */
    String skipLocked();

    /** Says what a failure means for what may follow. */
    LedgerException explain(SQLException failure);

    /** Whether the database itself is in trouble, so that nothing more may be written, rather than one statement. */
    boolean isFatal(SQLException failure);

    /** Whether a copy of a ledger knows that it is one, see {@link SqlRestored}. */
    boolean marksCopies();

    /** Null while the ledger is the one that was opened, else what happened to it. */
    @Nullable
    String lost();

    @Override
    void close();
}
