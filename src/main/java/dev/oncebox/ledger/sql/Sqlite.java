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
import java.util.List;
import java.util.Objects;
import javax.sql.DataSource;
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
        // nobody asks for them, and the driver would look after every statement
        config.setGetGeneratedKeys(false);
        if (readOnly) {
            config.setReadOnly(true);
        } else {
            config.setJournalMode(SQLiteConfig.JournalMode.WAL);
        }
        source = new SQLiteDataSource(config);
        source.setUrl("jdbc:sqlite:" + file);
    }

    DataSource source() {
        return source;
    }

    @Override
    public String name() {
        return file.toString();
    }

    @Override
    public boolean exists() {
        try {
            if (Files.exists(file) && Files.size(file) == 0) {
                throw new ConfigException(
                        "The ledger " + file + " " + SqliteHealth.damaged("it is empty, which no ledger ever is"));
            }
            return Files.exists(file);
        } catch (IOException e) {
            throw new ConfigException("The ledger " + file + " cannot be read: " + e.getMessage() + ".");
        }
    }

    @Override
    public Sharing sharing() {
        return Sharing.ALONE;
    }

    @Override
    public long version(Session session) throws SQLException {
        if (session.number("SELECT count(*) FROM sqlite_master WHERE name = 'flyway_schema_history'") > 0) {
            return session.number("SELECT coalesce(max(CAST(version AS INTEGER)), 0) FROM flyway_schema_history");
        }
        if (session.number("SELECT count(*) FROM sqlite_master WHERE type = 'table'") > 0) {
            throw new ConfigException(
                    "The ledger " + file + " is a database, but no ledger of Oncebox. Check ledger.url.");
        }
        return 0;
    }

    @Override
    public Connection connect() throws SQLException {
        requireSame();
        Connection connection = source.getConnection();
        // left open when another file came to its place: closing it would bring the log into that file, and remove it
        requireSame();
        return connection;
    }

    /** The log belongs to the file that was opened, and is named after its place. */
    private void requireSame() throws SQLException {
        String loss = identity == null ? null : lost();
        if (loss != null) {
            throw new SQLException(loss, null, SQLiteErrorCode.SQLITE_CANTOPEN.code);
        }
    }

    @Override
    public void migrate() {
        try {
            if (Files.exists(file)) {
                new SqliteHealth(file).require();
                finishDrafts();
            } else {
                create();
            }
            migrate(source);
            identity = identityNow();
        } catch (IOException e) {
            throw new ConfigException("The ledger " + file + " cannot be created: " + e + ".");
        } catch (FlywayException | SQLException e) {
            throw new ConfigException(
                    "The ledger " + file + " cannot be opened: " + advice(e) + " Nothing in it was changed.");
        }
    }

    private void finishDrafts() throws SQLException {
        try (Session session = new Session(source.getConnection())) {
            if (version(session) > 0) {
                DraftMigrations.finish(session);
            }
        }
    }

    /**
     * It appears whole, with every table: what finds a ledger half made would not know it from one that lost its rows,
     * or from an earlier version's.
     */
    private void create() throws IOException {
        Path folder = Objects.requireNonNull(file.toAbsolutePath().getParent());
        Files.createDirectories(folder);
        Path begun = file.resolveSibling(file.getFileName() + ".new");
        for (String part : List.of("", "-wal", "-shm")) {
            Files.deleteIfExists(begun.resolveSibling(begun.getFileName() + part));
        }
        Files.createFile(begun, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        var empty = new SQLiteDataSource(source.getConfig());
        empty.setUrl("jdbc:sqlite:" + begun);
        migrate(empty);
        Files.move(begun, file, StandardCopyOption.ATOMIC_MOVE);
    }

    /** All that is missing in one transaction: a process killed in the middle leaves the version that it found. */
    private static void migrate(SQLiteDataSource source) {
        Flyway.configure()
                .dataSource(source)
                .locations("classpath:db/sqlite")
                .group(true)
                .ignoreMigrationPatterns(new String[0])
                .baselineOnMigrate(false)
                .validateMigrationNaming(true)
                .load()
                .migrate();
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
    public String beginReading() {
        return "BEGIN";
    }

    @Override
    public ConfigException unreadable(SQLException failure) {
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
    public boolean isWrong(SQLException failure) {
        return SqliteHealth.isDamage(failure);
    }

    /** Nobody else writes: a lock that another program holds is waited for. */
    @Override
    public boolean isCollision(SQLException failure) {
        return false;
    }

    @Override
    public Space space(Session session) throws SQLException {
        long page = session.number("SELECT page_size FROM pragma_page_size");
        long free = session.number("SELECT freelist_count FROM pragma_freelist_count");
        long pages = session.number("SELECT page_count FROM pragma_page_count");
        try {
            Path log = file.resolveSibling(file.getFileName() + "-wal");
            long size = Files.size(file) + (Files.exists(log) ? Files.size(log) : 0);
            return new Space(size, (pages - free) * page, free * page);
        } catch (IOException e) {
            throw new ConfigException("The ledger " + file + " cannot be read: " + e + ".");
        }
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
    public boolean marksCopies() {
        return true;
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
