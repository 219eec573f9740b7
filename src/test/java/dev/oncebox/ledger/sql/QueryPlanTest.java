package dev.oncebox.ledger.sql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oncebox.ledger.CallState;
import dev.oncebox.ledger.DroppedFile;
import dev.oncebox.ledger.Usage;
import dev.oncebox.ledger.Verdict;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Clock;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Nothing that is done again and again may take the longer the more the ledger holds. The ledger's test kit looks at
 * every statement of a worker, see {@link WatchedPlans}; here are those of whoever looks at a ledger from outside.
 */
class QueryPlanTest {

    @TempDir
    private Path folder;

    @Test
    void whoever_looks_from_outside_reads_through_nothing_but_the_names_of_files() throws SQLException {
        try (var ledger = new WatchedLedger(folder)) {
            ledger.drop("f.jsonl", "a", "b", null, "c");
            ledger.answer("a", "0.5");
            ledger.deliverAll();
            var plans = new WatchedPlans(new Sqlite(ledger.file, false));
            try (var reports = new SqlReports(plans, plans.session())) {
                assertThat(reports.figures(System.currentTimeMillis()).items()).isEqualTo(4);
                assertThat(reports.outcomes("f.jsonl", outcome -> {})).isTrue();
                assertThat(reports.journal(WatchedLedger.key("a"), line -> {})).isTrue();
                assertThat(reports.journal("f.jsonl", line -> {})).isTrue();
                assertThat(reports.replies(WatchedLedger.key("a"), reply -> {})).isTrue();
            }
            try (var plan = SqlPlan.open(plans, plans.session())) {
                plan.begin(new DroppedFile("g.jsonl", ledger.job, DroppedFile.Kind.LINES, WatchedLedger.sha256("g")));
                assertThat(plan.foresee(List.of(
                                WatchedLedger.asking(1, "a", WatchedLedger.sha256("a")),
                                WatchedLedger.asking(2, "d", WatchedLedger.sha256("d")))))
                        .hasSize(2);
                plan.lengths("default");
            }
            try (var ask = new SqlAsk(plans, plans.session(), 1, Clock.systemUTC())) {
                assertThat(ask.look("f.jsonl", WatchedLedger.sha256("a\nb\nnull\nc"), ledger.job))
                        .isNotNull();
                ask.pauses();
                ask.isWorkedOnBy(1);
            }
            try (var decisions = new SqlDecisions(plans, new Session(plans.connect()), Clock.systemUTC())) {
                ledger.call("b", new Verdict.Unusable("empty_answer", "Empty.", Usage.UNKNOWN));
                assertThat(decisions.list(CallState.DOUBT)).isEmpty();
                SqlDecisions.Case dead = decisions.list(CallState.DEAD).get(0);
                assertThat(decisions.resend(dead, "default")).isFalse();
                assertThat(decisions.acceptLoss(dead)).isFalse();
                assertThat(decisions.retry(dead, "default")).isTrue();
            }
            assertThat(plans.statements()).isGreaterThan(30);
            assertThat(plans.scans())
                    .allSatisfy((sql, steps) -> assertThat(sql + steps).startsWith("INSERT INTO wanted"));
        }
    }

    /** It read through all items of the file once, and 200,000 lines were not recorded in ten minutes. */
    @Test
    void an_earlier_item_of_the_same_id_is_found_by_an_index() throws SQLException {
        assertThat(plan(EarlierItems.WITH_ID, 1 + Session.TOGETHER))
                .anyMatch(step -> step.contains("COVERING INDEX item_id (file=? AND id=?)"))
                .noneMatch(step -> step.contains("SCAN") || step.endsWith("(file=?)"));
        assertThat(plan(EarlierItems.WITHOUT_ID, 1 + Session.TOGETHER))
                .noneMatch(step -> step.contains("SCAN") || step.endsWith("(file=?)"));
    }

    /** It is asked once for every 2,000 calls; sorted anew each time, 100,000 took a minute. */
    @Test
    void calls_to_purge_are_found_in_their_order() throws SQLException {
        assertThat(plan(SqlRetention.CALLS, 2))
                .anyMatch(step -> step.contains("SEARCH r USING INTEGER PRIMARY KEY (rowid>?)"))
                .noneMatch(step -> step.contains("TEMP B-TREE") || step.contains("SCAN"));
    }

    private List<String> plan(String sql, int parameters) throws SQLException {
        var sqlite = new Sqlite(folder.resolve("ledger.db"), false);
        sqlite.migrate();
        try (var session = new Session(sqlite.connect())) {
            Object[] values = new Object[parameters];
            Arrays.fill(values, 1);
            return session.list("EXPLAIN QUERY PLAN " + sql, row -> row.getString(4), values);
        }
    }
}
