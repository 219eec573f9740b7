package dev.oncebox.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.oncebox.HandTime;
import dev.oncebox.config.Retry;
import dev.oncebox.job.Acceptance;
import dev.oncebox.job.Job;
import dev.oncebox.job.Keying;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** What the kit's parts share: a ledger on the storage under test, a clock that is set by hand, and files to drop. */
public abstract class LedgerTck {

    protected static final String ENGINE = "default";
    protected static final Retry RETRY =
            new Retry(Duration.ofSeconds(1), 2, Duration.ofMinutes(10), Duration.ofHours(24));
    protected static final Policy RESEND = new Policy(3, true, false, RETRY, null);
    protected static final Policy HOLD = new Policy(3, false, false, RETRY, null);

    protected final HandTime clock = new HandTime();
    protected final Random random = new Random(20261129);
    protected Policy policy = RESEND;
    protected LedgerStorage storage;
    protected Ledger ledger;

    @TempDir
    protected Path folder;

    protected abstract LedgerStorage storage(Path folder);

    @BeforeEach
    void open() {
        storage = storage(folder);
        reopen();
    }

    @AfterEach
    void close() {
        ledger.close();
        storage.checkStatements();
        checkTotals();
    }

    /** What status shows is what there is. */
    private void checkTotals() {
        assertThat(rows(
                        "SELECT engine, state, calls, sends, charged, priced, unpriced, cost FROM call_total"
                                + " WHERE calls > 0 ORDER BY engine, state",
                        row -> columns(row, 8)))
                .as("totals of calls")
                .isEqualTo(rows(
                        "SELECT engine, state, count(*), sum(sends), count(CASE WHEN attempts > 0 THEN 1 END),"
                                + " count(cost), count(CASE WHEN cost IS NULL AND sends > 0 AND (state = 'DONE'"
                                + " OR state = 'DEAD' AND attempts > doubts) THEN 1 END), coalesce(sum(cost), 0)"
                                + " FROM call GROUP BY engine, state ORDER BY engine, state",
                        row -> columns(row, 8)));
        assertThat(rows(
                        "SELECT ending, items, fresh FROM item_total WHERE items > 0 ORDER BY ending",
                        row -> columns(row, 3)))
                .as("totals of items")
                .isEqualTo(rows(
                        "SELECT ending, count(*), sum(fresh) FROM (SELECT i.fresh, CASE WHEN c.id IS NULL THEN 'NONE'"
                                + " WHEN c.state IN ('DONE', 'DEAD') THEN c.state ELSE 'OPEN' END AS ending"
                                + " FROM item i LEFT JOIN call c ON c.id = i.call) e GROUP BY ending ORDER BY ending",
                        row -> columns(row, 3)));
        assertThat(rows("SELECT state, files FROM file_total WHERE files > 0 ORDER BY state", row -> columns(row, 2)))
                .as("totals of files")
                .isEqualTo(
                        rows("SELECT state, count(*) FROM file GROUP BY state ORDER BY state", row -> columns(row, 2)));
    }

    private static List<String> columns(ResultSet row, int count) throws SQLException {
        List<String> columns = new ArrayList<>();
        for (int i = 1; i <= count; i++) {
            columns.add(row.getString(i));
        }
        return columns;
    }

    /** Ends the worker, as a crash does as far as the ledger can tell, and starts another one. */
    protected void reopen() {
        if (ledger != null) {
            ledger.close();
        }
        ledger = storage.open((job, engine) -> policy, clock, random);
    }

    protected static Job job(String name, String engine) {
        return new Job(
                name,
                List.of(engine),
                null,
                new TreeMap<>(),
                null,
                3,
                Job.Format.TEXT,
                Acceptance.STRICT,
                null,
                "{{text}}",
                null);
    }

    protected ReceivedFile receive(String path, String content) {
        return ledger.receive(new DroppedFile(path, job("default", ENGINE), DroppedFile.Kind.LINES, sha256(content)));
    }

    /** Drops a file with an item for each text, reads it whole and puts it into the archive. */
    protected ReceivedFile drop(String path, String... texts) {
        ReceivedFile file = receive(path, String.join("\n", texts));
        if (!file.known()) {
            ledger.record(file, entries(texts));
            assertThat(ledger.taken(file)).isEqualTo(texts.length);
        }
        ledger.archived(file);
        return file;
    }

    protected static List<Entry> entries(String... texts) {
        List<Entry> entries = new ArrayList<>();
        for (String text : texts) {
            entries.add(asking(entries.size() + 1, text));
        }
        return entries;
    }

    protected static Entry asking(long n, String text) {
        return asking(n, null, text, text, Keying.WHITESPACE);
    }

    protected static Entry asking(long n, String id, String key, String text, Keying keying) {
        var request = new Request(null, text, null, null, new TreeMap<>(), null, null);
        return new Entry.Asking(n, n, 10 * n, id, sha256(key), sha256(text), keying, request);
    }

    protected static Entry invalid(long n, String id) {
        return new Entry.Invalid(n, n, 10 * n, id, "bad_json", "Not JSON.");
    }

    protected Call claim() {
        List<Call> calls = ledger.claim(ENGINE, 1);
        assertThat(calls).as("due calls").hasSize(1);
        return calls.get(0);
    }

    protected Call send() {
        Call call = claim();
        assertThat(ledger.sent(call)).isTrue();
        return call;
    }

    /** Claims the next due call, sends it, and settles it. */
    protected Transition attempt(Verdict verdict) {
        return ledger.settle(send(), verdict, Steps.of(verdict), null);
    }

    protected void answerAll() {
        for (Call call : ledger.claim(ENGINE, 1000)) {
            assertThat(ledger.sent(call)).isTrue();
            ledger.settle(
                    call,
                    valid("answer to " + call.request().text()),
                    Steps.of(valid("answer to " + call.request().text())),
                    null);
        }
    }

    protected List<SettledFile> settled() {
        return ledger.settled(1000);
    }

    protected List<Outcome> outcomes(SettledFile file) {
        List<Outcome> outcomes = new ArrayList<>();
        assertThat(ledger.outcomes(file, outcomes::add)).isTrue();
        return outcomes;
    }

    protected void deliverAll() {
        settled().forEach(file -> ledger.delivered(file, Output.unsealed(file.path())));
    }

    protected static Verdict valid(String answer) {
        var usage = new Usage(JsonNodeFactory.instance.objectNode().put("n", 7), 3L, 4L, new BigDecimal("0.25"));
        return new Verdict.Valid(new Answer(TextNode.valueOf(answer), "stop", "m-1", usage));
    }

    protected static Verdict incomplete(Charged charged) {
        return new Verdict.Incomplete("cut_short", "Cut.", charged, Usage.UNKNOWN);
    }

    protected static Verdict unusable() {
        return new Verdict.Unusable("empty_answer", "Empty.", Usage.UNKNOWN);
    }

    protected static Verdict refused(Verdict.Refused.Cause cause) {
        return new Verdict.Refused("no", "No.", cause, null);
    }

    protected static Verdict unknown() {
        return new Verdict.Unknown("connection_lost", "Lost.", false);
    }

    protected static final Verdict UNSENT = new Verdict.Unsent("connection_refused", "Refused.");
    protected static final Verdict TIMEOUT = new Verdict.Unknown("timeout", "Late.", true);

    /** A call as it stands in the table. */
    protected record Row(
            CallState state, long due, long fence, int sends, int attempts, int doubts, int failures, String code) {}

    protected Row call(String key) {
        List<Row> rows = rows(
                "SELECT state, due, fence, sends, attempts, doubts, failures, code FROM call WHERE key = ?",
                row -> new Row(
                        CallState.valueOf(row.getString(1)),
                        row.getLong(2),
                        row.getLong(3),
                        row.getInt(4),
                        row.getInt(5),
                        row.getInt(6),
                        row.getInt(7),
                        row.getString(8)),
                (Object) sha256(key));
        assertThat(rows).as("calls of " + key).hasSize(1);
        return rows.get(0);
    }

    protected List<EventKind> events(String key) {
        return rows(
                "SELECT e.kind FROM event e JOIN call c ON c.id = e.call WHERE c.key = ? ORDER BY e.seq",
                row -> EventKind.valueOf(row.getString(1)),
                (Object) sha256(key));
    }

    protected long pending(ReceivedFile file) {
        return number("SELECT pending FROM file WHERE id = ?", file.id());
    }

    protected long number(String sql, Object... values) {
        return rows(sql, row -> row.getLong(1), values).get(0);
    }

    /** Every row of every table, to compare. */
    protected List<String> everything() {
        List<String> all = new ArrayList<>();
        for (String table : List.of("job", "file", "call", "request", "answer", "reply", "item", "event")) {
            rows("SELECT * FROM " + table, row -> {
                var line = new StringBuilder(table);
                for (int i = 1; i <= row.getMetaData().getColumnCount(); i++) {
                    Object value = row.getObject(i);
                    line.append('|').append(value instanceof byte[] bytes ? List.of(bytes.length, sum(bytes)) : value);
                }
                return all.add(line.toString());
            });
        }
        all.sort(null);
        return all;
    }

    private static int sum(byte[] bytes) {
        return Arrays.hashCode(bytes);
    }

    /** Reads one row. */
    protected interface Reader<T> {
        T read(ResultSet row) throws SQLException;
    }

    protected <T> List<T> rows(String sql, Reader<T> reader, Object... values) {
        try (Connection connection = storage.look()) {
            return rows(connection, sql, reader, values);
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }

    protected static <T> List<T> rows(Connection connection, String sql, Reader<T> reader, Object... values)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < values.length; i++) {
                statement.setObject(i + 1, values[i]);
            }
            List<T> rows = new ArrayList<>();
            try (ResultSet result = statement.executeQuery()) {
                while (result.next()) {
                    rows.add(reader.read(result));
                }
            }
            return rows;
        }
    }

    protected static byte[] sha256(String text) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
