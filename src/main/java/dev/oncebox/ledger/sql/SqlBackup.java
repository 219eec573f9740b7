package dev.oncebox.ledger.sql;

import dev.oncebox.config.ConfigException;
import dev.oncebox.ledger.LedgerException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Objects;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteDataSource;

/**
 * Copies a ledger as of one moment, beside a worker or without one. Nobody has to wait for it; the worker's log grows
 * meanwhile by what is written.
 *
 * <p>The copy knows when it was made. The ledger goes on, and the copy does not know what is sent from then on; so a
 * start on it sends nothing of what waited, see {@link SqlRestored}.
 */
public final class SqlBackup {

    private static final String COUNTS = "SELECT (SELECT count(*) FROM file), (SELECT count(*) FROM call),"
            + " (SELECT coalesce(sum(sends), 0) FROM call)";

    private SqlBackup() {}

    /** What is in a ledger; {@code sends} are those that were ever started. */
    public record Counts(long files, long calls, long sends) {}

    /**
     * Writes the copy, and reads all of it to see that it is whole. It is not flushed to the disk.
     *
     * @param ledgerFile of a ledger that was looked over
     * @param to an empty file
     * @param now epoch milliseconds
     * @throws ConfigException when it is no ledger, or damaged
     * @throws LedgerException when the copy cannot be written, or is not what it should be
     */
    public static Counts copy(Path ledgerFile, Path to, long now) {
        long sends = writeTo(ledgerFile, to);
        Counts copied = stampAndCheck(to, now);
        if (copied.sends() < sends) {
            throw new LedgerException("The copy lacks sends that the ledger has", false, new IllegalStateException());
        }
        return copied;
    }

    private static long writeTo(Path ledgerFile, Path to) {
        var dialect = new Sqlite(ledgerFile, true);
        try (Session session = dialect.session()) {
            if (session.number("SELECT count(*) FROM sqlite_master WHERE name IN ('call', 'item', 'event')") < 3) {
                throw new ConfigException(
                        "The ledger " + ledgerFile + " is a database, but no ledger. Check ledger.url.");
            }
            long sends = session.number("SELECT coalesce(sum(sends), 0) FROM call");
            session.update("VACUUM INTO ?", to.toString());
            return sends;
        } catch (SQLException e) {
            throw SqliteHealth.isDamage(e) ? dialect.unreadable(e) : explained(e);
        }
    }

    private static Counts stampAndCheck(Path copy, long now) {
        var config = new SQLiteConfig();
        config.setJournalMode(SQLiteConfig.JournalMode.MEMORY);
        var source = new SQLiteDataSource(config);
        source.setUrl("jdbc:sqlite:" + copy);
        try (Session session = new Session(source.getConnection())) {
            SqlRestored.stamp(session, now);
            String found = session.one("PRAGMA integrity_check(1)", row -> row.getString(1));
            if (!"ok".equals(found)) {
                throw new LedgerException("The copy is damaged: " + found, false, new IllegalStateException());
            }
            return Objects.requireNonNull(
                    session.one(COUNTS, row -> new Counts(row.getLong(1), row.getLong(2), row.getLong(3))));
        } catch (SQLException e) {
            throw explained(e);
        }
    }

    private static LedgerException explained(SQLException failure) {
        return new LedgerException("The copy cannot be written: " + failure.getMessage(), false, failure);
    }
}
