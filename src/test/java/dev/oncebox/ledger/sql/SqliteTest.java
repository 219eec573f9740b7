package dev.oncebox.ledger.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.oncebox.config.ConfigException;
import dev.oncebox.config.LedgerUrl;
import dev.oncebox.config.Retry;
import dev.oncebox.job.Acceptance;
import dev.oncebox.job.Job;
import dev.oncebox.ledger.Call;
import dev.oncebox.ledger.DroppedFile;
import dev.oncebox.ledger.LedgerException;
import dev.oncebox.ledger.Policy;
import dev.oncebox.ledger.ReceivedFile;
import dev.oncebox.ledger.Steps;
import dev.oncebox.ledger.Verdict;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sqlite.SQLiteErrorCode;

class SqliteTest {

    private static final Policy POLICY =
            new Policy(3, true, false, new Retry(Duration.ZERO, 1, Duration.ZERO, Duration.ofHours(1)), null);

    @TempDir
    Path folder;

    private final List<String> losses = new CopyOnWriteArrayList<>();
    private Path file;

    @BeforeEach
    void name() {
        file = folder.resolve("data/ledger.db");
    }

    private SqlLedger open() {
        return SqlLedger.open(
                new LedgerUrl.SqliteFile(file),
                new Surroundings((job, engine) -> POLICY, 1, Clock.systemUTC(), new Random(1), losses::add));
    }

    @Test
    void every_connection_has_a_write_ahead_log_and_waits_for_the_disk() throws Exception {
        var sqlite = new Sqlite(file, false);
        sqlite.migrate();
        try (Connection one = sqlite.connect();
                Connection two = sqlite.connect();
                Connection reader = new Sqlite(file, true).connect()) {
            for (Connection connection : List.of(one, two, reader)) {
                assertThat(text(connection, "PRAGMA synchronous")).isEqualTo("2");
                assertThat(text(connection, "PRAGMA journal_mode")).isEqualTo("wal");
            }
        }
        var writer = new GroupCommit(sqlite);
        try {
            assertThat(writer.<Long>write(session -> session.number("PRAGMA synchronous")))
                    .isEqualTo(2);
            assertThat(writer.<String>write(session -> session.one("PRAGMA journal_mode", row -> row.getString(1))))
                    .isEqualTo("wal");
        } finally {
            writer.close();
        }
    }

    @Test
    void only_its_owner_may_read_a_ledger() throws Exception {
        try (SqlLedger ledger = open()) {
            assertThat(ledger.unarchived()).isEmpty();
            try (var files = Files.list(file.getParent())) {
                assertThat(files.filter(each -> each.getFileName().toString().startsWith("ledger.db"))
                                .toList())
                        .hasSizeGreaterThan(1)
                        .allSatisfy(
                                each -> assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(each)))
                                        .isEqualTo("rw-------"));
            }
        }
    }

    @Test
    void a_ledger_of_a_newer_version_is_refused_and_not_touched() throws Exception {
        open().close();
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file)) {
            connection
                    .createStatement()
                    .execute(
                            "INSERT INTO flyway_schema_history (installed_rank, version,"
                                    + " description, type, script, checksum, installed_by, installed_on, execution_time, success)"
                                    + " VALUES (99, '99', 'future', 'SQL', 'V99__future.sql', 1, '', '2030-01-01 00:00:00.000', 1, 1)");
            connection.createStatement().execute("CREATE TABLE future (x)");
        }
        String before = digest();

        assertThatThrownBy(this::open)
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("newer version")
                .hasMessageContaining("ledger.db")
                .hasMessageContaining("Nothing in it was changed");

        assertThat(digest()).isEqualTo(before);
    }

    @ParameterizedTest
    @ValueSource(strings = {"no ledger at all, but a text that is long enough to look at. ", "SQLite format 3\0"})
    void a_file_that_is_no_ledger_is_refused_with_advice_and_left_as_it_is(String content) throws Exception {
        Files.createDirectories(file.getParent());
        Files.writeString(file, content.repeat(200));
        String before = digest();

        assertThatThrownBy(this::open)
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("damaged")
                .hasMessageContaining("backup");

        assertThat(digest()).isEqualTo(before);
        try (var files = Files.list(file.getParent())) {
            assertThat(files).containsExactly(file);
        }
    }

    @Test
    void a_ledger_that_lost_its_end_is_refused_and_left_as_it_is() throws Exception {
        open().close();
        byte[] whole = Files.readAllBytes(file);
        byte[] half = Arrays.copyOf(whole, 4096 + 100);
        Files.write(file, half);
        assertThatThrownBy(this::open).isInstanceOf(ConfigException.class);
        assertThat(Arrays.equals(Files.readAllBytes(file), half)).isTrue();
    }

    @Test
    void somebody_elses_database_is_refused_and_left_as_it_is() throws Exception {
        Files.createDirectories(file.getParent());
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file)) {
            connection.createStatement().execute("CREATE TABLE theirs (x)");
        }
        String before = digest();
        assertThatThrownBy(this::open).isInstanceOf(ConfigException.class).hasMessageContaining("no ledger");
        assertThat(digest()).isEqualTo(before);
    }

    @Test
    void a_ledger_that_is_deleted_while_open_is_told_and_nothing_is_sent_any_more() throws Exception {
        loses("deleted", () -> {
            try (var files = Files.list(file.getParent())) {
                for (Path each : files.toList()) {
                    Files.delete(each);
                }
            }
        });
    }

    @Test
    void a_ledger_that_is_replaced_while_open_is_told_and_nothing_is_sent_any_more() throws Exception {
        Path other = Files.write(folder.resolve("other.db"), new byte[4096]);
        loses("replaced", () -> Files.move(other, file, StandardCopyOption.REPLACE_EXISTING));
    }

    /** Does something to the files of a ledger. */
    private interface Harm {
        void happen() throws IOException;
    }

    private void loses(String what, Harm harm) throws Exception {
        try (SqlLedger ledger = open()) {
            ReceivedFile received = ledger.receive(new DroppedFile(
                    "f.jsonl",
                    new Job(
                            "default",
                            List.of("default"),
                            null,
                            new TreeMap<>(),
                            null,
                            3,
                            Job.Format.TEXT,
                            Acceptance.STRICT,
                            null,
                            "{{text}}",
                            null),
                    DroppedFile.Kind.LINES,
                    WatchedLedger.sha256("f")));
            ledger.record(received, List.of(WatchedLedger.asking(1, "a", WatchedLedger.sha256("a"))));
            Call call = ledger.claim("default", 1).get(0);

            harm.happen();

            // at once, whenever somebody looks: nothing is acknowledged that stands in a file which nobody finds again
            assertThatThrownBy(() -> ledger.sent(call)).isInstanceOf(LedgerException.class);
            await().until(() -> !losses.isEmpty());
            assertThat(losses).singleElement().asString().contains(what).contains("Nothing more is sent");
            assertThatThrownBy(() -> ledger.sent(call)).isInstanceOf(LedgerException.class);
            assertThatThrownBy(() -> ledger.claim("default", 1)).isInstanceOf(LedgerException.class);
            assertThatThrownBy(() -> ledger.settle(
                            call, new Verdict.Unsent("x", "X."), Steps.of(new Verdict.Unsent("x", "X.")), null))
                    .isInstanceOfSatisfying(LedgerException.class, e -> assertThat(e.isPassing())
                            .isFalse());
        }
    }

    /** Closing copied the log into the database, flushed or not, and deleted it. */
    @Test
    void after_the_disk_failed_the_log_is_left_for_the_next_start_which_knows_its_checksums() throws SQLException {
        var writer = new GroupCommit(new Sqlite(folder.resolve("x.db"), false));
        writer.write(session -> session.update("CREATE TABLE t (n INTEGER PRIMARY KEY)"));
        assertThatThrownBy(() -> writer.write(session -> {
                    throw new SQLException("disk I/O error", null, SQLiteErrorCode.SQLITE_IOERR_FSYNC.code);
                }))
                .isInstanceOf(LedgerException.class);
        assertThat(writer.refusal()).isNotNull();
        writer.close();
        assertThat(folder.resolve("x.db-wal")).isNotEmptyFile();
    }

    private String digest() throws IOException {
        return WatchedLedger.key(new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1));
    }

    private static String text(Connection connection, String sql) throws SQLException {
        try (var statement = connection.createStatement();
                var rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getString(1);
        }
    }
}
