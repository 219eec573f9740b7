package dev.oncebox.ledger.sql;

import dev.oncebox.config.ConfigException;
import dev.oncebox.ledger.LedgerException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Objects;
import java.util.Set;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.jspecify.annotations.Nullable;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteDataSource;
import org.sqlite.SQLiteErrorCode;

/**
 * A ledger in one file: write-ahead log, every commit on the disk before it counts ({@code synchronous=FULL};
 * {@code NORMAL} loses acknowledged commits when the power fails).
 *
 * <p>Transactions are begun with an explicit {@code BEGIN IMMEDIATE}: deferred ones fail when two writers meet, and
 * the driver's own immediate mode opens the next transaction at commit, which locks out every other writer.
 */
final class Sqlite implements Dialect {

    private static final int BUSY_MILLIS = 30_000;

    private final Path file;
    private final SQLiteDataSource source;
    private @Nullable Object identity;

    Sqlite(Path file, boolean readOnly) {
        this.file = file;
        var config = new SQLiteConfig();
        config.setSynchronous(SQLiteConfig.SynchronousMode.FULL);
        config.setBusyTimeout(BUSY_MILLIS);
        config.setCacheSize(-32_000);
        if (readOnly) {
            config.setReadOnly(true);
        } else {
            config.setJournalMode(SQLiteConfig.JournalMode.WAL);
        }
        source = new SQLiteDataSource(config);
        source.setUrl("jdbc:sqlite:" + file);
    }

    @Override
    public Connection connect() throws SQLException {
        return source.getConnection();
    }

    @Override
    public void migrate() {
        boolean created = !Files.exists(file);
        try {
            Path folder = Objects.requireNonNull(file.toAbsolutePath().getParent());
            Files.createDirectories(folder);
            if (created) {
                Files.createFile(
                        file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            }
            refuseOthers();
            Flyway.configure()
                    .dataSource(source)
                    .locations("classpath:db/sqlite")
                    .ignoreMigrationPatterns(new String[0])
                    .baselineOnMigrate(false)
                    .validateMigrationNaming(true)
                    .load()
                    .migrate();
            identity = identityNow();
        } catch (IOException e) {
            throw new ConfigException("The ledger " + file + " cannot be created: " + e + ".");
        } catch (FlywayException | SQLException e) {
            throw new ConfigException(
                    "The ledger " + file + " cannot be opened: " + advice(e) + " Nothing in it was changed.");
        }
    }

    /** Our connections turn a database into one with a write-ahead log, so somebody else's is known before. */
    private void refuseOthers() throws SQLException {
        try (Connection plain = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = plain.createStatement();
                ResultSet tables = statement.executeQuery(
                        "SELECT count(*), coalesce(sum(name = 'flyway_schema_history'), 0) FROM sqlite_master"
                                + " WHERE type = 'table'")) {
            if (tables.getLong(1) > 0 && tables.getLong(2) == 0) {
                throw new ConfigException("The ledger " + file
                        + " is a database, but no ledger. Check ledger.url. Nothing in it was changed.");
            }
        }
    }

    private static String advice(Exception failure) {
        String text = String.valueOf(failure.getMessage());
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLException sql
                    && Set.of(SQLiteErrorCode.SQLITE_NOTADB.code, SQLiteErrorCode.SQLITE_CORRUPT.code)
                            .contains(sql.getErrorCode() & 0xff)) {
                return "it is damaged or no ledger (" + sql.getMessage()
                        + "). Put a backup in its place; move the damaged file aside rather than deleting it,"
                        + " since it says what was paid.";
            }
        }
        if (text.contains("not resolved locally")) {
            return "it was made by a newer version of Oncebox. Start that version.";
        }
        return text.lines().findFirst().orElse("unknown cause");
    }

    @Override
    public String begin() {
        return "BEGIN IMMEDIATE";
    }

    @Override
    public String skipLocked() {
        return "";
    }

    @Override
    public LedgerException explain(SQLException failure) {
        int primary = failure.getErrorCode() & 0xff;
        boolean passing = primary == SQLiteErrorCode.SQLITE_FULL.code
                || primary == SQLiteErrorCode.SQLITE_BUSY.code
                || primary == SQLiteErrorCode.SQLITE_LOCKED.code;
        return new LedgerException("The ledger " + file + " cannot be used: " + failure.getMessage(), passing, failure);
    }

    @Override
    public boolean isFatal(SQLException failure) {
        int primary = failure.getErrorCode() & 0xff;
        return primary == SQLiteErrorCode.SQLITE_IOERR.code
                || primary == SQLiteErrorCode.SQLITE_CORRUPT.code
                || primary == SQLiteErrorCode.SQLITE_NOTADB.code
                || primary == SQLiteErrorCode.SQLITE_READONLY.code
                || primary == SQLiteErrorCode.SQLITE_CANTOPEN.code;
    }

    @Override
    public @Nullable String lost() {
        Object now = identityNow();
        if (now == null) {
            return "The ledger " + file + " was deleted while Oncebox was running.";
        }
        if (identity != null && !identity.equals(now)) {
            return "The ledger " + file + " was replaced by another file while Oncebox was running.";
        }
        return null;
    }

    private @Nullable Object identityNow() {
        try {
            return Files.readAttributes(file, BasicFileAttributes.class).fileKey();
        } catch (IOException e) {
            return null;
        }
    }

    @Override
    public void close() {
        // every connection is closed by its owner
    }
}
