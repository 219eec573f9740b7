package dev.oncebox.ledger.sql;

import dev.oncebox.config.ConfigException;
import dev.oncebox.ledger.Charged;
import dev.oncebox.ledger.EventKind;
import dev.oncebox.ledger.JournalLine;
import java.io.File;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The events of one call or of one dropped file in the order of time, with those that are not stored because other rows
 * imply them.
 *
 * <p>A reader may pause for hours ({@code | less}), and a read transaction that is open so long keeps the write-ahead
 * log growing. So the order is first made in a temporary table of this connection, and then shown page by page, with no
 * transaction open while a line is handed out.
 */
final class SqlJournal {

    private static final int PAGE = 1000;
    private static final Pattern KEY = Pattern.compile("[0-9a-fA-F]{8,64}");
    private static final int DIGITS = 64;
    private static final HexFormat HEX = HexFormat.of();

    /** Ways to mean a file, the surest first. The first that finds any is meant. */
    private static final List<String> MATCHES = List.of(
            "path = asked.name",
            "output = asked.name",
            endsWithIt("path"),
            endsWithIt("output"),
            isEndOfIt("path"),
            isEndOfIt("output"));

    private static final String PAGE_OF_LINES =
            "SELECT l.place, l.at, coalesce(c.key, ic.key), e.kind, e.attempt, e.engine, e.detail, e.charged,"
                    + " f.path, l.n, e.cost, e.request_id FROM shown l LEFT JOIN event e ON e.seq = l.seq"
                    + " LEFT JOIN call c ON c.id = e.call LEFT JOIN file f ON f.id = coalesce(l.file, e.file)"
                    + " LEFT JOIN item i ON i.file = l.file AND i.n = l.n LEFT JOIN call ic ON ic.id = i.call"
                    + " WHERE l.place > ? ORDER BY l.place LIMIT " + PAGE;

    private final Session session;

    SqlJournal(Session session) {
        this.session = session;
    }

    private static String endsWithIt(String column) {
        return "substr('/' || " + column + ", length(" + column + ") + 1 - length(asked.name)) = '/' || asked.name";
    }

    /** An absolute path, or one from somewhere else, ends with the path below the inbox or the outbox. */
    private static String isEndOfIt(String column) {
        String ends = "substr('/' || asked.name, length(asked.name) + 1 - length(" + column + ")) = '/' || " + column;
        return ends + " AND length(" + column + ") = (SELECT max(length(" + column + ")) FROM file WHERE " + ends + ")";
    }

    private record Shown(long row, @Nullable JournalLine line) {}

    boolean show(String keyOrFile, Consumer<JournalLine> each) throws SQLException {
        wantNothing();
        session.run("CREATE TEMP TABLE IF NOT EXISTS shown (place BIGINT PRIMARY KEY, at BIGINT, seq BIGINT,"
                + " file BIGINT, n BIGINT)");
        session.run("DELETE FROM shown");
        session.run("BEGIN");
        try {
            if (!arrange(keyOrFile)) {
                return false;
            }
        } finally {
            session.run("COMMIT");
        }
        long last = 0;
        while (true) {
            List<Shown> page = session.list(PAGE_OF_LINES, SqlJournal::line, last);
            if (page.isEmpty()) {
                return true;
            }
            for (Shown shown : page) {
                last = shown.row();
                if (shown.line() != null) {
                    each.accept(shown.line());
                }
            }
        }
    }

    private boolean arrange(String keyOrFile) throws SQLException {
        Long call = call(keyOrFile);
        if (call != null) {
            arrange("e.call = ?", "i.call = ?", "SELECT file FROM item WHERE call = ?", call, call, call);
            return true;
        }
        if (!findFiles(keyOrFile)) {
            return false;
        }
        String files = "SELECT id FROM wanted";
        arrange(
                "e.call IN (SELECT call FROM item WHERE call IS NOT NULL AND file IN (" + files + "))",
                "i.call IS NOT NULL AND i.file IN (" + files + ")",
                files);
        return true;
    }

    /** Puts the stored events of calls and files and the implied ones of items in order. */
    private void arrange(String ofCalls, String ofItems, String files, Object... values) throws SQLException {
        session.update(
                "INSERT INTO shown (place, at, seq, file, n) SELECT row_number() OVER (ORDER BY at, seq NULLS FIRST, file, n),"
                        + " at, seq, file, n FROM (SELECT e.at AS at, e.seq AS seq, CAST(NULL AS BIGINT) AS file,"
                        + " CAST(NULL AS BIGINT) AS n FROM event e WHERE " + ofCalls
                        + " UNION ALL SELECT e.at, e.seq, NULL, NULL FROM event e WHERE e.file IN (" + files + ")"
                        + " UNION ALL SELECT f.received, NULL, i.file, i.n FROM item i JOIN file f ON f.id = i.file"
                        + " WHERE i.fresh = 0 AND " + ofItems + ") lines",
                values);
    }

    /** The call that a key, or the beginning of one, means. */
    @Nullable
    Long call(String key) throws SQLException {
        if (!KEY.matcher(key).matches()) {
            return null;
        }
        String digits = key.toLowerCase(Locale.ROOT);
        byte[] least = HEX.parseHex(digits + "0".repeat(DIGITS - digits.length()));
        byte[] most = HEX.parseHex(digits + "f".repeat(DIGITS - digits.length()));
        List<Long> calls = session.list(
                "SELECT id FROM call WHERE key BETWEEN ? AND ? LIMIT 2", row -> row.getLong(1), least, most);
        if (calls.size() > 1) {
            throw new ConfigException("Several keys begin with " + digits + ". Give more of the digits.");
        }
        return calls.isEmpty() ? null : calls.get(0);
    }

    /** The file that a name means; of several, the one that was dropped last. */
    @Nullable
    Long file(String name) throws SQLException {
        wantNothing();
        return findFiles(name)
                ? session.one(
                        "SELECT id FROM file WHERE id IN (SELECT id FROM wanted) ORDER BY received DESC, id DESC",
                        row -> row.getLong(1))
                : null;
    }

    private void wantNothing() throws SQLException {
        session.run("CREATE TEMP TABLE IF NOT EXISTS wanted (id BIGINT PRIMARY KEY)");
        session.run("DELETE FROM wanted");
    }

    private boolean findFiles(String asked) throws SQLException {
        Path path;
        try {
            path = Path.of(asked).normalize();
        } catch (InvalidPathException e) {
            return false;
        }
        Path name = path.getFileName();
        if (name == null || name.toString().isEmpty()) {
            return false;
        }
        String whole = path.toString().replace(File.separatorChar, '/');
        for (String match : MATCHES) {
            if (want(match, whole)) {
                return true;
            }
        }
        return want(endsWithIt("path"), name.toString());
    }

    private boolean want(String match, String name) throws SQLException {
        return session.update(
                        "INSERT INTO wanted SELECT file.id FROM file, (SELECT CAST(? AS TEXT) AS name) asked WHERE "
                                + match,
                        name)
                > 0;
    }

    /** A line is null when its event was removed since: a file that was not what it seemed is forgotten. */
    private static Shown line(ResultSet row) throws SQLException {
        byte[] keyBytes = row.getBytes(3);
        String key = keyBytes == null ? null : HEX.formatHex(keyBytes);
        long id = row.getLong(1);
        long at = row.getLong(2);
        String file = row.getString(9);
        Long n = SqlDeliveries.number(row, 10);
        if (n != null) {
            return new Shown(
                    id,
                    key == null
                            ? null
                            : new JournalLine(
                                    at,
                                    key,
                                    EventKind.CACHE_HIT,
                                    null,
                                    null,
                                    file + " item " + n,
                                    null,
                                    null,
                                    file,
                                    null));
        }
        String kind = row.getString(4);
        if (kind == null) {
            return new Shown(id, null);
        }
        Long attempt = SqlDeliveries.number(row, 5);
        String charged = row.getString(8);
        return new Shown(
                id,
                new JournalLine(
                        at,
                        key,
                        EventKind.valueOf(kind),
                        attempt == null ? null : attempt.intValue(),
                        row.getString(6),
                        row.getString(7),
                        charged == null ? null : Charged.valueOf(charged),
                        SqlDeliveries.cost(SqlDeliveries.number(row, 11)),
                        file,
                        row.getString(12)));
    }
}
