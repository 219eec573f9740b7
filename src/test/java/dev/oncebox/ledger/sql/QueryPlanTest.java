package dev.oncebox.ledger.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What is asked once an item must not read through all items of its file. It did once: SQLite took the primary key's
 * first column rather than the index of ids, and 200,000 lines were not recorded in ten minutes.
 */
class QueryPlanTest {

    @TempDir
    private Path folder;

    @Test
    void an_earlier_item_of_the_same_id_is_found_by_an_index() throws SQLException {
        assertThat(plan(SqlIntake.WITH_ID, 3))
                .anyMatch(step -> step.contains("item_id (file=? AND id=?)"))
                .anyMatch(step -> step.contains("PRIMARY KEY (file=? AND n=?)"))
                .noneMatch(step -> step.contains("SCAN") || step.endsWith("(file=?)"));
        assertThat(plan(SqlIntake.WITHOUT_ID, 2)).noneMatch(step -> step.contains("SCAN") || step.endsWith("(file=?)"));
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
