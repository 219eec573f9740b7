package dev.oncebox.ledger.sql;

import dev.oncebox.config.ConfigException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteDataSource;
import org.sqlite.SQLiteErrorCode;

/**
 * Looks a ledger over before anything is written to it, also by the way: a connection that may write brings the log into
 * the file when it is closed. A damaged index would say of a call that was paid that nobody knows it.
 */
final class SqliteHealth {

    private static final int BUSY_MILLIS = 30_000;
    private static final int PAGE = 4096;
    /** A larger one takes too long to be read through at each start: some two seconds for half a gigabyte. */
    private static final long LARGEST = 512L << 20;

    private static final Set<Integer> DAMAGE =
            Set.of(SQLiteErrorCode.SQLITE_NOTADB.code, SQLiteErrorCode.SQLITE_CORRUPT.code);

    private final Path file;

    SqliteHealth(Path file) {
        this.file = file;
    }

    static boolean isDamage(SQLException failure) {
        return DAMAGE.contains(failure.getErrorCode() & 0xff);
    }

    static String damaged(@Nullable String what) {
        return "is damaged or no ledger (" + what
                + "). Put a backup in its place; move the damaged file aside rather"
                + " than deleting it, since it says what was paid.";
    }

    /** @throws ConfigException when it cannot be trusted; nothing was changed */
    void require() throws IOException, SQLException {
        if (Files.size(file) == 0) {
            throw refusal("it " + damaged("it is empty, which no ledger ever is"));
        }
        Path wal = file.resolveSibling(file.getFileName() + "-wal");
        String log = WalCheck.problem(wal);
        if (log != null) {
            throw refusal("it " + damaged(log));
        }
        if ((!Files.exists(wal) || Files.size(wal) == 0) && Files.size(file) % PAGE != 0) {
            throw refusal("it " + damaged("its last page is not whole"));
        }
        var config = new SQLiteConfig();
        config.setBusyTimeout(BUSY_MILLIS);
        config.setReadOnly(true);
        var source = new SQLiteDataSource(config);
        source.setUrl("jdbc:sqlite:" + file);
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            refuseOthers(statement);
            if (Files.size(file) > LARGEST) {
                return;
            }
            try (ResultSet found = statement.executeQuery("PRAGMA integrity_check(1)")) {
                String first = found.next() ? found.getString(1) : "nothing to check";
                if (!first.equals("ok")) {
                    throw refusal("it " + damaged(first.lines().findFirst().orElse(first)));
                }
            }
        }
    }

    private void refuseOthers(Statement statement) throws SQLException {
        try (ResultSet tables =
                statement.executeQuery("SELECT count(*), coalesce(sum(name = 'flyway_schema_history'), 0)"
                        + " FROM sqlite_master WHERE type = 'table'")) {
            if (tables.getLong(1) > 0 && tables.getLong(2) == 0) {
                throw new ConfigException("The ledger " + file
                        + " is a database, but no ledger. Check ledger.url. Nothing in it was changed.");
            }
        }
    }

    private ConfigException refusal(String why) {
        return new ConfigException("The ledger " + file + " cannot be opened: " + why + " Nothing in it was changed.");
    }
}
