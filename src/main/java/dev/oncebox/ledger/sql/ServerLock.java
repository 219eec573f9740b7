package dev.oncebox.ledger.sql;

import dev.oncebox.config.ConfigException;
import dev.oncebox.config.LedgerUrl;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * Keeps every other runtime away from a ledger on a server, wherever it runs: an advisory lock, which the server gives up
 * when the connection ends, however that ends.
 */
public final class ServerLock implements AutoCloseable {

    /** Any number that nobody else takes in this database. */
    private static final long NUMBER = 0x6f6e6365626f78L;

    private final Session session;

    private ServerLock(Session session) {
        this.session = session;
    }

    /**
     * Takes the lock.
     *
     * @return null when another process has it
     * @throws ConfigException when the server cannot be asked
     */
    public static @Nullable ServerLock take(LedgerUrl.PostgresDatabase ledger) {
        Dialect dialect = Dialect.beside(ledger);
        try {
            Session session = dialect.session();
            if (session.is("pg_try_advisory_lock(?)", NUMBER)) {
                return new ServerLock(session);
            }
            session.close();
            return null;
        } catch (SQLException e) {
            throw dialect.unreadable(e);
        }
    }

    @Override
    public void close() {
        try {
            session.close();
        } catch (SQLException e) {
            // the connection is gone, and the lock with it
        }
    }
}
