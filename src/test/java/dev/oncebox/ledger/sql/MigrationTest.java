package dev.oncebox.ledger.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.oncebox.config.ConfigException;
import dev.oncebox.config.LedgerUrl;
import dev.oncebox.ledger.Call;
import dev.oncebox.ledger.CallState;
import dev.oncebox.ledger.LedgerStorage;
import dev.oncebox.ledger.LedgerTck;
import dev.oncebox.ledger.Outcome;
import dev.oncebox.ledger.Policy;
import dev.oncebox.ledger.Steps;
import dev.oncebox.ledger.Verdict.Refused.Cause;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A ledger of version 1 is taken on with nothing lost; it knows what was paid. */
class MigrationTest extends LedgerTck {

    private static final List<String> TABLES =
            List.of("node", "job", "file", "call", "request", "answer", "reply", "item", "event");
    private static final Set<String> NEW_COLUMNS = Set.of(
            "earlier",
            "owner of file",
            "reopened",
            "seal",
            "unresolved",
            "cost of event",
            "recovered of node",
            "seen",
            "batch of call",
            "request_id",
            "sidecar",
            "sidecar_due");

    @Override
    protected LedgerStorage storage(Path folder) {
        return SqliteStorage.in(folder);
    }

    private Path file() {
        return folder.resolve("ledger.db");
    }

    /** Fills a ledger with calls in every state and takes it back to the tables of version 1. */
    private void versionOne() throws Exception {
        drop("f.jsonl", "done", "dead", "doubt", "ready", "busy", "claimed", "sent");
        attempt(valid("answer"));
        attempt(unusable());
        policy = HOLD;
        attempt(unknown());
        policy = RESEND;
        attempt(unknown());
        attempt(refused(Cause.BUSY));
        List<Call> rest = ledger.claim(ENGINE, 2);
        assertThat(ledger.sent(rest.get(1))).isTrue();
        ledger.close();
        Path old = folder.resolve("old.db");
        Flyway.configure()
                .dataSource("jdbc:sqlite:" + old, null, null)
                .locations("classpath:db/sqlite")
                .target("1")
                .load()
                .migrate();
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file());
                Statement statement = connection.createStatement()) {
            statement.execute("ATTACH '" + old + "' AS old");
            for (String table : TABLES) {
                String columns = String.join(", ", columns(connection, table));
                statement.execute(
                        "INSERT INTO old." + table + " (" + columns + ") SELECT " + columns + " FROM main." + table);
            }
        }
        try (Connection connection = new Sqlite(old, false).connect()) {
            assertThat(rows(connection, "PRAGMA journal_mode", row -> row.getString(1)))
                    .containsExactly("wal");
        }
        Files.delete(file());
        Files.move(old, file());
    }

    private static List<String> columns(Connection connection, String table) throws SQLException {
        return rows(connection, "SELECT name FROM pragma_table_info('" + table + "', 'old')", row -> row.getString(1));
    }

    private List<String> rowsOf(Path database) throws SQLException {
        List<String> all = new ArrayList<>();
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + database)) {
            for (String table : TABLES) {
                rows(connection, "SELECT * FROM " + table, row -> {
                    var line = new StringBuilder(table);
                    for (int i = 1; i <= row.getMetaData().getColumnCount(); i++) {
                        String column = row.getMetaData().getColumnName(i);
                        if (!NEW_COLUMNS.contains(column) && !NEW_COLUMNS.contains(column + " of " + table)) {
                            line.append('|').append(column).append('=').append(row.getString(i));
                        }
                    }
                    return all.add(line.toString());
                });
            }
        }
        all.sort(null);
        return all;
    }

    @Test
    void a_ledger_of_version_1_loses_nothing_and_its_calls_go_on() throws Exception {
        versionOne();
        List<String> before = rowsOf(file());
        assertThat(before).hasSizeGreaterThan(30);

        new Sqlite(file(), false).migrate();
        assertThat(rowsOf(file())).isEqualTo(before);

        ledger = storage.open((job, engine) -> policy, clock, random);
        assertThat(ledger.recover()).isEqualTo(1);
        assertThat(call("done").state()).isEqualTo(CallState.DONE);
        assertThat(call("dead").state()).isEqualTo(CallState.DEAD);
        assertThat(call("doubt").state()).isEqualTo(CallState.DOUBT);
        assertThat(call("sent").state()).isEqualTo(CallState.READY);
        assertThat(call("sent").doubts()).isEqualTo(1);
        assertThat(ledger.spent(0).calls()).isEqualTo(5);
        clock.pass(Duration.ofHours(1));
        List<Call> due = ledger.claim(ENGINE, 10);
        assertThat(due)
                .extracting(call -> call.request().text())
                .containsExactlyInAnyOrder("ready", "busy", "claimed", "sent");
        assertThat(due).allSatisfy(call -> assertThat(call.earlier() + call.unresolved())
                .isZero());
        for (Call call : due) {
            assertThat(ledger.sent(call)).isTrue();
            ledger.settle(call, valid("new"), Steps.of(valid("new")), null);
        }
        try (SqlDecisions decisions = SqlDecisions.open(new LedgerUrl.SqliteFile(file()), clock)) {
            assertThat(decisions.acceptLoss(decisions.list(CallState.DOUBT).get(0)))
                    .isTrue();
        }
        assertThat(outcomes(settled().get(0)))
                .extracting(Outcome::answer)
                .filteredOn(answer -> answer != null)
                .hasSize(5);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void it_is_brought_up_to_date_in_one_step(int version) throws Exception {
        Path old = folder.resolve("version" + version + ".db");
        Flyway.configure()
                .dataSource("jdbc:sqlite:" + old, null, null)
                .locations("classpath:db/sqlite")
                .target(String.valueOf(version))
                .load()
                .migrate();
        new Sqlite(old, false).connect().close();
        assertThatThrownBy(() -> SqlReports.open(new LedgerUrl.SqliteFile(old)))
                .hasMessageContaining("earlier version");
        Set<String> seen = ConcurrentHashMap.newKeySet();
        var made = new AtomicBoolean();
        var reader = CompletableFuture.runAsync(() -> {
            while (!made.get()) {
                seen.add(newest(old));
            }
        });
        new Sqlite(old, false).migrate();
        made.set(true);
        reader.get(30, TimeUnit.SECONDS);
        assertThat(seen).isSubsetOf(String.valueOf(version), String.valueOf(Dialect.VERSION));
        assertThat(newest(old)).isEqualTo(String.valueOf(Dialect.VERSION));
    }

    private static String newest(Path file) {
        try (Connection connection = new Sqlite(file, true).connect();
                Statement statement = connection.createStatement();
                ResultSet row =
                        statement.executeQuery("SELECT max(CAST(version AS INTEGER)) FROM flyway_schema_history")) {
            return row.getString(1);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void looking_at_it_says_what_to_do_and_changes_nothing() throws Exception {
        versionOne();
        List<String> before = rowsOf(file());
        assertThatThrownBy(() -> SqlReports.open(new LedgerUrl.SqliteFile(file())))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("earlier version")
                .hasMessageContaining("oncebox check");
        assertThatThrownBy(() -> SqlDecisions.open(new LedgerUrl.SqliteFile(file()), Clock.systemUTC()))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("earlier version")
                .hasMessageContaining("oncebox check");
        assertThat(rowsOf(file())).isEqualTo(before);
        ledger = storage.open((job, engine) -> policy, clock, random);
        assertThat(SqlReports.open(new LedgerUrl.SqliteFile(file()))
                        .figures(clock.millis())
                        .calls(CallState.DONE))
                .isEqualTo(1);
    }

    @Test
    void a_dead_letter_that_is_retried_keeps_what_it_cost_and_begins_at_the_named_engine() {
        policy = new Policy(2, true, false, RETRY, null);
        drop("f.jsonl", "a");
        attempt(unknown());
        clock.pass(Duration.ofHours(1));
        attempt(unknown());
        assertThat(call("a").state()).isEqualTo(CallState.DEAD);
        try (SqlDecisions decisions = SqlDecisions.open(new LedgerUrl.SqliteFile(file()), clock)) {
            SqlDecisions.Case dead = decisions.list(CallState.DEAD).get(0);
            assertThat(decisions.retry(dead, "first")).isTrue();
            assertThat(decisions.retry(dead, "first")).as("dead no more").isFalse();
        }
        Row row = call("a");
        assertThat(row.state()).isEqualTo(CallState.READY);
        assertThat(row.sends()).isEqualTo(2);
        assertThat(row.attempts()).isEqualTo(2);
        assertThat(row.doubts()).isEqualTo(2);
        assertThat(ledger.claim(ENGINE, 9)).isEmpty();
        Call call = ledger.claim("first", 9).get(0);
        assertThat(call.earlier()).isEqualTo(2);
        ledger.sent(call);
        assertThat(ledger.settle(call, unknown(), Steps.of(unknown()), null).state())
                .as("all attempts again")
                .isEqualTo(CallState.READY);
        assertThat(call("a").attempts()).isEqualTo(3);
    }
}
