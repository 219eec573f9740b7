package dev.oncebox.ledger.sql;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Rows for one statement, gathered and then written together. Until then nobody sees them, not even their session. */
final class Rows {

    private final Session session;
    private final String sql;
    private final List<@Nullable Object[]> waiting = new ArrayList<>();

    Rows(Session session, String sql) {
        this.session = session;
        this.sql = sql;
    }

    void add(@Nullable Object... values) {
        waiting.add(values);
    }

    /** Returns how many rows of the database each changed, in the order in which they were added. */
    int[] write() throws SQLException {
        if (waiting.isEmpty()) {
            return new int[0];
        }
        int[] changed = session.batch(sql, waiting);
        waiting.clear();
        return changed;
    }
}
