package dev.oncebox.ledger.sql;

import dev.oncebox.ledger.CallState;
import dev.oncebox.ledger.DroppedFile;
import dev.oncebox.ledger.Outcome;
import dev.oncebox.ledger.SettledFile;
import java.math.BigDecimal;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Files whose items all have their end, and these ends in the items' order. */
final class SqlDeliveries {

    /** Rows of one read transaction: long ones keep the write-ahead log from being folded back. */
    private static final int PAGE = 2000;

    private static final HexFormat HEX = HexFormat.of();

    private static final String OUTCOMES = "SELECT i.n, i.line, i.offset, coalesce(i.id, i.n), i.variant, i.fresh,"
            + " i.code, i.message, c.id, c.key, c.state, c.attempts, c.doubts, c.engine, c.model, c.usage,"
            + " c.input_tokens, c.output_tokens, c.cost, c.sent, c.ended, c.code, c.reason, a.json, a.body"
            + " FROM item i LEFT JOIN call c ON c.id = i.call LEFT JOIN answer a ON a.call = c.id"
            + " WHERE i.file = ? AND i.n > ? ORDER BY i.n LIMIT " + PAGE;

    List<SettledFile> settled(Session session, int limit) throws SQLException {
        return session.list(
                "SELECT f.id, f.path, j.name, f.kind, f.sha256, f.received, f.output FROM file f"
                        + " JOIN job j ON j.id = f.job WHERE f.state = 'TAKEN' AND f.pending = 0 ORDER BY f.id LIMIT ?",
                row -> new SettledFile(
                        row.getLong(1),
                        row.getString(2),
                        row.getString(3),
                        DroppedFile.Kind.valueOf(row.getString(4)),
                        row.getBytes(5),
                        row.getLong(6),
                        row.getString(7)),
                limit);
    }

    boolean outcomes(Session session, SettledFile file, Consumer<Outcome> each) throws SQLException {
        var page = new Page(each);
        do {
            page.rows = 0;
            session.each(OUTCOMES, page::take, file.id(), page.last);
        } while (page.rows == PAGE && page.settled);
        return page.settled;
    }

    private static final class Page {
        private final Consumer<Outcome> each;
        private int rows;
        private long last;
        private boolean settled = true;

        Page(Consumer<Outcome> each) {
            this.each = each;
        }

        boolean take(ResultSet row) throws SQLException {
            String state = row.getString(11);
            if (state != null && !CallState.valueOf(state).isEnd()) {
                settled = false;
                return false;
            }
            rows++;
            last = row.getLong(1);
            each.accept(outcome(row));
            return true;
        }
    }

    private static Outcome outcome(ResultSet row) throws SQLException {
        Outcome.CallRecord call = row.getObject(9) == null ? null : call(row);
        byte[] body = row.getBytes(25);
        Outcome.StoredAnswer answer =
                body == null ? null : new Outcome.StoredAnswer(Packed.text(body), row.getBoolean(24));
        String itemCode = row.getString(7);
        String code = itemCode != null ? itemCode : answer == null ? row.getString(22) : null;
        String message = itemCode != null ? row.getString(8) : answer == null ? row.getString(23) : null;
        return new Outcome(
                row.getLong(1),
                row.getLong(2),
                row.getLong(3),
                row.getString(4),
                row.getBoolean(5),
                row.getBoolean(6),
                call,
                code,
                message,
                answer);
    }

    private static Outcome.CallRecord call(ResultSet row) throws SQLException {
        return new Outcome.CallRecord(
                row.getLong(9),
                HEX.formatHex(row.getBytes(10)),
                row.getInt(12),
                row.getInt(13),
                row.getString(14),
                row.getString(15),
                row.getString(16),
                number(row, 17),
                number(row, 18),
                cost(number(row, 19)),
                row.getLong(20),
                row.getLong(21));
    }

    static @Nullable Long number(ResultSet row, int column) throws SQLException {
        long value = row.getLong(column);
        return row.wasNull() ? null : value;
    }

    static @Nullable BigDecimal cost(@Nullable Long billionths) {
        return billionths == null ? null : BigDecimal.valueOf(billionths, 9).stripTrailingZeros();
    }
}
