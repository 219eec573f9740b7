package dev.oncebox.ledger.sql;

import dev.oncebox.config.ConfigException;
import dev.oncebox.ledger.LedgerException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Objects;
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

    /** The version of the schema: that of the last migration. */
    static final int VERSION = 4;

    static final String MADE_LATER = "was made by a newer version of Oncebox. Start that version.";

    /** How many migrations this version does not know; to be asked of a ledger that is up to date or ahead. */
    static final String NEWER =
            "SELECT count(*) FROM flyway_schema_history WHERE CAST(version AS INTEGER) > " + VERSION;

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
        try {
            if (Files.exists(file)) {
                new SqliteHealth(file).require();
            } else {
                create();
            }
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

    /** It appears as a database without tables, so that a ledger of no bytes is known to have lost what was in it. */
    private void create() throws IOException, SQLException {
        Path folder = Objects.requireNonNull(file.toAbsolutePath().getParent());
        Files.createDirectories(folder);
        Path begun = file.resolveSibling(file.getFileName() + ".new");
        Files.deleteIfExists(begun);
        Files.createFile(begun, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        var empty = new SQLiteDataSource(source.getConfig());
        empty.setUrl("jdbc:sqlite:" + begun);
        try (Connection connection = empty.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("PRAGMA application_id = 0");
            statement.execute("VACUUM");
        }
        Files.move(begun, file, StandardCopyOption.ATOMIC_MOVE);
    }

    private static String advice(Exception failure) {
        String text = String.valueOf(failure.getMessage());
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLException sql && SqliteHealth.isDamage(sql)) {
                return "it " + SqliteHealth.damaged(sql.getMessage());
            }
        }
        if (text.contains("not resolved locally")) {
            return "it " + MADE_LATER;
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
