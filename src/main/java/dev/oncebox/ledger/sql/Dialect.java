package dev.oncebox.ledger.sql;

import dev.oncebox.ledger.LedgerException;
import java.sql.Connection;
import java.sql.SQLException;

/** What differs between databases. */
interface Dialect extends AutoCloseable {

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

    /** Null while the ledger is the one that was opened, else what happened to it. */
    @org.jspecify.annotations.Nullable
    String lost();

    @Override
    void close();
}
