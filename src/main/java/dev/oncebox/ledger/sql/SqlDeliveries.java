package dev.oncebox.ledger.sql;

import dev.oncebox.ledger.CallState;
import dev.oncebox.ledger.Charged;
import dev.oncebox.ledger.DroppedFile;
import dev.oncebox.ledger.EventKind;
import dev.oncebox.ledger.Note;
import dev.oncebox.ledger.Outcome;
import dev.oncebox.ledger.Output;
import dev.oncebox.ledger.SettledFile;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Clock;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Files whose items all have their end, and these ends in the items' order. */
final class SqlDeliveries {

    /** Rows of one read transaction: long ones keep the write-ahead log from being folded back. */
    private static final int PAGE = 2000;

    private static final int SHORT_PAGE = 100;

    private static final HexFormat HEX = HexFormat.of();

    private static final String OUTCOMES = outcomes("NULL");

    private static final String WITH_REQUEST_IDS =
            outcomes("CASE WHEN c.sends > 0 THEN (SELECT e.request_id FROM event e"
                    + " WHERE e.call = c.id AND e.request_id IS NOT NULL ORDER BY e.seq DESC LIMIT 1) END");

    private static String outcomes(String requestId) {
        return "SELECT i.n, i.line, i.\"offset\", coalesce(i.id, CAST(i.n AS TEXT)), i.variant, i.fresh,"
                + " i.code, i.message, c.id, c.key, c.state, c.attempts, c.doubts, c.engine, c.model, c.usage,"
                + " c.input_tokens, c.output_tokens, c.cost, c.sent, c.ended, c.code, c.reason, a.json, a.body, c.sends, "
                + requestId + " FROM item i LEFT JOIN call c ON c.id = i.call LEFT JOIN answer a ON a.call = c.id"
                + " WHERE i.file = ? AND i.n > ? ORDER BY i.n LIMIT ?";
    }

    private static final String HISTORY =
            "SELECT attempt, engine, kind, charged, cost, request_id FROM event e WHERE call = ?"
                    + " AND seq = (SELECT max(seq) FROM event l WHERE l.call = e.call AND l.attempt = e.attempt"
                    + " AND l.charged IS NOT NULL) ORDER BY seq";

    /** What came of the last send, a submission before its result. */
    private static final String RAW =
            "SELECT status, body FROM reply WHERE call = ? AND send = ? ORDER BY id DESC LIMIT 1";

    private final Clock clock;
    private final Scope scope;

    SqlDeliveries(Clock clock, Scope scope) {
        this.clock = clock;
        this.scope = scope;
    }

    /** Takes files for a node, so that none is delivered by two at once; true: it has some that it had not. */
    boolean take(Session session, long node, int limit) throws SQLException {
        return session.update(
                        "WITH pick AS (SELECT id FROM file WHERE state = 'TAKEN' AND pending = 0 AND owner IS NULL"
                                + scope.files() + Nodes.alive(session, node) + " ORDER BY id LIMIT ?"
                                + session.sharing().skipLocked()
                                + ") UPDATE file SET owner = ? WHERE id IN (SELECT id FROM pick)",
                        limit,
                        node)
                > 0;
    }

    /** Whether there are files to {@link #take}. */
    boolean hasFree(Session session) throws SQLException {
        return session.is("EXISTS (SELECT 1 FROM file WHERE state = 'TAKEN' AND pending = 0 AND owner IS NULL"
                + scope.files() + ")");
    }

    /** Those that can be delivered; where nodes share a ledger, those that this one has taken. */
    List<SettledFile> settled(Session session, long node, int limit) throws SQLException {
        String own = session.sharing() == Sharing.ALONE ? "" : " AND owner = " + node;
        return session.list(
                "SELECT f.id, f.path, j.name, f.kind, f.sha256, f.received, f.items, f.invalid, f.sidecar, f.output, f.seal,"
                        + " (SELECT body FROM source s WHERE s.file = f.id AND s.n = 0), f.reopened FROM (SELECT * FROM file"
                        + " WHERE state = 'TAKEN' AND pending = 0" + own + scope.files() + ") f"
                        + " JOIN job j ON j.id = f.job ORDER BY f.id LIMIT ?",
                row -> new SettledFile(
                        row.getLong(1),
                        row.getString(2),
                        row.getString(3),
                        DroppedFile.Kind.valueOf(row.getString(4)),
                        row.getBytes(5),
                        row.getLong(6),
                        row.getLong(7),
                        row.getLong(8),
                        row.getString(9),
                        row.getString(10) == null ? null : new Output(row.getString(10), row.getString(11)),
                        row.getBytes(12) == null ? null : Packed.text(row.getBytes(12)),
                        row.getLong(13)),
                limit);
    }

    boolean outcomes(Session session, SettledFile file, Consumer<Outcome> each) throws SQLException {
        var page = new Page(session, file, each);
        String outcomes = file.kind() == DroppedFile.Kind.OPENAI ? WITH_REQUEST_IDS : OUTCOMES;
        do {
            page.rows = 0;
            session.each(outcomes, page::take, file.id(), page.last, PAGE);
        } while (page.rows == PAGE && page.settled);
        return page.settled;
    }

    boolean delivered(Session session, long node, SettledFile file, Output output) throws SQLException {
        long now = clock.millis();
        int changed = session.update(
                "UPDATE file SET state = 'DELIVERED', delivered = ?, output = ?, seal = ?, sidecar = NULL,"
                        + " sidecar_due = 0, owner = NULL WHERE id = ? AND state = 'TAKEN' AND pending = 0"
                        + " AND reopened = ?",
                now,
                output.name(),
                output.seal(),
                file.id(),
                file.reopened());
        if (changed == 1) {
            session.update(
                    "INSERT INTO event (at, node, file, kind, detail) VALUES (?, ?, ?, ?, ?)",
                    now,
                    node,
                    file.id(),
                    EventKind.DELIVERED,
                    output.name());
        }
        return changed == 1;
    }

    /**
     * The ends that there are, of a file that may still wait for others. A reader may pause for hours, so no row is
     * read while an outcome is handed out.
     */
    static void ended(Session session, long file, Consumer<Outcome> each) throws SQLException {
        long last = -1;
        while (true) {
            List<Row> rows = session.list(WITH_REQUEST_IDS, row -> row(session, row, null), file, last, SHORT_PAGE);
            if (rows.isEmpty()) {
                return;
            }
            for (Row row : rows) {
                last = row.n();
                if (row.outcome() != null) {
                    each.accept(row.outcome());
                }
            }
        }
    }

    /**
     * @param outcome null: it has no end
     */
    private record Row(long n, @Nullable Outcome outcome) {}

    private static Row row(Session session, ResultSet row, @Nullable SettledFile of) throws SQLException {
        String state = row.getString(11);
        boolean ended = state == null || CallState.valueOf(state).isEnd();
        return new Row(row.getLong(1), ended ? outcome(session, row, of) : null);
    }

    private static final class Page {
        private final Session session;
        private final SettledFile file;
        private final Consumer<Outcome> each;
        private int rows;
        private long last;
        private boolean settled = true;

        Page(Session session, SettledFile file, Consumer<Outcome> each) {
            this.session = session;
            this.file = file;
            this.each = each;
        }

        boolean take(ResultSet row) throws SQLException {
            Row read = row(session, row, file);
            if (read.outcome() == null) {
                settled = false;
                return false;
            }
            rows++;
            last = read.n();
            each.accept(read.outcome());
            return true;
        }
    }

    private static Outcome outcome(Session session, ResultSet row, @Nullable SettledFile of) throws SQLException {
        Outcome.CallRecord call = row.getObject(9) == null ? null : call(session, row);
        byte[] body = row.getBytes(25);
        Outcome.StoredAnswer answer = body == null
                ? null
                : new Outcome.StoredAnswer(Packed.text(body), row.getBoolean(24), Note.codes(row.getString(22)));
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
                answer,
                call == null || of == null || of.kind() != DroppedFile.Kind.OPENAI ? null : raw(session, call),
                of == null || of.kind() != DroppedFile.Kind.TABLE ? null : written(session, of, row.getLong(1)));
    }

    private static @Nullable String written(Session session, SettledFile of, long n) throws SQLException {
        return session.one(
                "SELECT body FROM source WHERE file = ? AND n = ?", row -> Packed.text(row.getBytes(1)), of.id(), n);
    }

    private static Outcome.@Nullable Raw raw(Session session, Outcome.CallRecord call) throws SQLException {
        return session.one(
                RAW,
                row -> new Outcome.Raw(
                        row.getInt(1), new String(Packed.unpack(row.getBytes(2)), StandardCharsets.UTF_8)),
                call.id(),
                call.sends());
    }

    private static Outcome.CallRecord call(Session session, ResultSet row) throws SQLException {
        long id = row.getLong(9);
        int sends = row.getInt(26);
        return new Outcome.CallRecord(
                id,
                HEX.formatHex(row.getBytes(10)),
                sends,
                row.getInt(12),
                row.getInt(13),
                row.getString(14),
                row.getString(15),
                row.getString(16),
                number(row, 17),
                number(row, 18),
                cost(number(row, 19)),
                row.getLong(20),
                row.getLong(21),
                sends < 2 ? List.of() : session.list(HISTORY, SqlDeliveries::attempt, id),
                row.getString(27));
    }

    private static Outcome.Attempt attempt(ResultSet row) throws SQLException {
        return new Outcome.Attempt(
                row.getInt(1),
                row.getString(2),
                EventKind.valueOf(row.getString(3)),
                Charged.valueOf(row.getString(4)),
                cost(number(row, 5)),
                row.getString(6));
    }

    static @Nullable Long number(ResultSet row, int column) throws SQLException {
        long value = row.getLong(column);
        return row.wasNull() ? null : value;
    }

    static @Nullable BigDecimal cost(@Nullable Long billionths) {
        return billionths == null ? null : BigDecimal.valueOf(billionths, 9).stripTrailingZeros();
    }
}
