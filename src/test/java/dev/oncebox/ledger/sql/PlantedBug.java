package dev.oncebox.ledger.sql;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** Mistakes that a ledger could make, planted to see whether the simulation would notice. */
enum PlantedBug {
    FENCE_IGNORED,
    SENT_AFTER_SEND,
    DOUBT_TREATED_AS_READY,
    DONE_BEFORE_STORED,
    ATTEMPTS_NOT_COUNTED,
    HOLD_IGNORED,
    ACCEPTED_SENT_AGAIN;

    /** The process ends here. */
    static final class Crash extends RuntimeException {
        private static final long serialVersionUID = 1;

        Crash() {
            super("crash", null, false, false);
        }
    }

    /** A session that makes the mistake. */
    static Session session(Connection connection, @Nullable PlantedBug bug, Random dice) {
        return new Session(connection) {
            @Override
            int update(String sql, @Nullable Object... values) throws SQLException {
                if (bug == null) {
                    return super.update(sql, values);
                }
                return switch (bug) {
                    case FENCE_IGNORED ->
                        super.update(
                                sql.replace(
                                                "fence = ? AND state IN ('POLLING', ?, ?, ?)",
                                                "? IS NOT NULL AND ? <> '' AND ? <> '' AND ? <> ''")
                                        .replace(
                                                "AND fence = ? AND state = 'CLAIMED' AND owner = ?",
                                                "AND ? IS NOT NULL AND ? IS NOT NULL"),
                                values);
                    case DOUBT_TREATED_AS_READY ->
                        super.update(
                                sql.endsWith("WHERE state = 'CLAIMED'")
                                        ? sql.replace("= 'CLAIMED'", "IN ('CLAIMED', 'SENT')")
                                        : sql,
                                values);
                    case ACCEPTED_SENT_AGAIN ->
                        super.update(
                                sql.endsWith("WHERE state = 'CLAIMED'")
                                        ? sql.replace("= 'CLAIMED'", "IN ('CLAIMED', 'POLLING')")
                                        : sql,
                                values);
                    case DONE_BEFORE_STORED -> {
                        int changed = super.update(sql, values);
                        if (sql.startsWith("UPDATE call SET state = ?, engine") && dice.nextInt(8) == 0) {
                            run("COMMIT");
                            throw new Crash();
                        }
                        yield changed;
                    }
                    case ATTEMPTS_NOT_COUNTED -> {
                        if (sql.startsWith("UPDATE call SET state = ?, engine")) {
                            values[3] = 0;
                        }
                        yield super.update(sql, values);
                    }
                    case HOLD_IGNORED, SENT_AFTER_SEND -> super.update(sql, values);
                };
            }
        };
    }
}
