package dev.oncebox.ledger.sql;

import static dev.oncebox.ledger.sql.WatchedLedger.usage;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.oncebox.config.ConfigException;
import dev.oncebox.config.LedgerUrl;
import dev.oncebox.ledger.CallState;
import dev.oncebox.ledger.Figures;
import dev.oncebox.ledger.ReceivedFile;
import dev.oncebox.ledger.Verdict;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What another process sees of a ledger while its worker is at work. */
class SqlReportsTest {

    private final WatchedLedger ledger;

    SqlReportsTest(@TempDir Path folder) {
        ledger = new WatchedLedger(folder);
    }

    @AfterEach
    void close() {
        ledger.close();
    }

    @Test
    void a_ledger_that_does_not_exist_is_empty_and_stays_so() throws IOException {
        Path folder = Files.createDirectory(ledger.file.resolveSibling("empty"));
        try (SqlReports none = SqlReports.open(new LedgerUrl.SqliteFile(folder.resolve("ledger.db")))) {
            assertThat(none.figures(0)).isEqualTo(Figures.NONE);
            assertThat(none.journal("a.md", line -> {})).isFalse();
        }
        try (Stream<Path> made = Files.list(folder)) {
            assertThat(made).isEmpty();
        }
    }

    @Test
    void a_new_ledger_has_a_worker_and_nothing_else() {
        Figures figures = ledger.figures();

        assertThat(figures.cost()).isEqualByComparingTo("0");
        assertThat(figures.nodes()).singleElement().satisfies(node -> {
            assertThat(node.pid()).isEqualTo(ProcessHandle.current().pid());
            assertThat(node.lease()).isGreaterThan(node.started());
        });
        assertThat(ledger.reports.figures(Long.MAX_VALUE).nodes()).isEmpty();
        ledger.worker.close();
        assertThat(ledger.figures().nodes()).isEmpty();
    }

    @Test
    void a_ledger_that_is_damaged_or_none_is_said_to_be_so() throws Exception {
        Path damaged = Files.writeString(ledger.file.resolveSibling("damaged.db"), "no ledger at all ".repeat(100));
        assertThatThrownBy(() -> SqlReports.open(new LedgerUrl.SqliteFile(damaged)))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("damaged.db is damaged or no ledger");

        Path other = ledger.file.resolveSibling("other.db");
        try (var connection = DriverManager.getConnection("jdbc:sqlite:" + other);
                var statement = connection.createStatement()) {
            statement.execute("PRAGMA journal_mode = WAL");
            statement.execute("CREATE TABLE x (y)");
        }
        assertThatThrownBy(() -> SqlReports.open(new LedgerUrl.SqliteFile(other)))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("no ledger of Oncebox");

        assertThatThrownBy(() -> SqlReports.open(new LedgerUrl.SqliteFile(ledger.file.resolveSibling("."))))
                .isInstanceOf(ConfigException.class);
    }

    @Test
    void a_ledger_that_is_only_being_made_is_empty() throws SQLException {
        Path begun = ledger.file.resolveSibling("begun.db");
        try (Connection connection = new Sqlite(begun, false).connect();
                Statement statement = connection.createStatement()) {
            statement.execute("VACUUM");
        }
        try (SqlReports none = SqlReports.open(new LedgerUrl.SqliteFile(begun))) {
            assertThat(none.figures(0)).isEqualTo(Figures.NONE);
        }
    }

    @Test
    void items_and_calls_are_counted_by_what_became_of_them() {
        ReceivedFile first = ledger.drop("a.jsonl", "one", "two", "three", "four", "one", null);
        ledger.drop("b.jsonl", "one", "two");
        ledger.answer("one", "0.25");
        ledger.call("two", new Verdict.Unusable("empty_answer", "Empty.", usage("0.5")));
        ledger.worker.sent(ledger.claim());

        Figures figures = ledger.figures();

        assertThat(figures.taken()).isEqualTo(2);
        assertThat(figures.delivered()).isZero();
        assertThat(figures.items()).isEqualTo(8);
        assertThat(figures.answered()).isEqualTo(3);
        assertThat(figures.fresh()).isEqualTo(1);
        assertThat(figures.reused()).isEqualTo(2);
        assertThat(figures.failed()).isEqualTo(3);
        assertThat(figures.pending()).isEqualTo(2);
        assertThat(figures.sends()).isEqualTo(3);
        assertThat(figures.calls(CallState.DONE)).isEqualTo(1);
        assertThat(figures.calls(CallState.DEAD)).isEqualTo(1);
        assertThat(figures.calls(CallState.SENT)).isEqualTo(1);
        assertThat(figures.calls(CallState.READY)).isEqualTo(1);
        assertThat(figures.inFlight()).containsExactly(Map.entry("default", 1L));
        assertThat(figures.cost()).isEqualByComparingTo("0.75");
        assertThat(first.id()).isPositive();

        ledger.deliverAll();
        assertThat(ledger.figures().delivered()).isEqualTo(1);
    }

    @Test
    void a_cost_that_is_not_known_is_not_zero() {
        ledger.drop("a.jsonl", "one", "two", "three", "four");
        ledger.call("one", new Verdict.Refused("busy", "Busy.", Verdict.Refused.Cause.REQUEST, null));
        assertThat(ledger.figures().cost()).isEqualByComparingTo("0");

        ledger.call("two", new Verdict.Unknown("lost", "Lost.", true));
        assertThat(ledger.figures().calls(CallState.DOUBT)).isEqualTo(1);
        assertThat(ledger.figures().cost()).isNull();

        ledger.answer("three", "12.50");
        assertThat(ledger.figures().cost()).isEqualByComparingTo("12.5");

        ledger.answer("four", null);
        assertThat(ledger.figures().cost()).isNull();
    }
}
