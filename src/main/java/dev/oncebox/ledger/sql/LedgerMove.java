package dev.oncebox.ledger.sql;

import dev.oncebox.config.ConfigException;
import dev.oncebox.config.LedgerUrl;
import dev.oncebox.ledger.LedgerException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/**
 * Copies a ledger of SQLite's into an empty database of PostgreSQL's. Each table is copied in the order of its keys, some
 * rows in a transaction, so that a copy which was interrupted goes on after the last row that is there. Until all of it
 * is compared, the copy is marked and no node starts on it.
 */
public final class LedgerMove implements AutoCloseable {

    /** Exists in a copy as long as it is none yet. */
    static final String MARK = "moving";

    private static final int ROWS = 500;
    private static final long BYTES = 8L << 20;

    /** In the order in which they refer to each other, with their keys. What an engine is left in peace for is forgotten. */
    private static final Map<String, List<String>> TABLES = new LinkedHashMap<>();

    static {
        TABLES.put("node", List.of("id"));
        TABLES.put("job", List.of("id"));
        TABLES.put("file", List.of("id"));
        TABLES.put("batch", List.of("id"));
        TABLES.put("call", List.of("id"));
        TABLES.put("request", List.of("call"));
        TABLES.put("answer", List.of("call"));
        TABLES.put("reply", List.of("id"));
        TABLES.put("item", List.of("file", "n"));
        TABLES.put("source", List.of("file", "n"));
        TABLES.put("event", List.of("seq"));
    }

    private final String fromName;
    private final Dialect to;
    private final Connection source;
    private final Connection target;

    /**
     * Opens both.
     *
     * @param from a file that nobody works on, of this version and looked over
     * @throws ConfigException when one of them cannot be used
     */
    public LedgerMove(LedgerUrl.SqliteFile from, LedgerUrl.PostgresDatabase to) {
        this.fromName = from.name();
        this.to = Dialect.beside(to);
        Dialect sqlite = Dialect.reading(from);
        try (Session session = SqlReports.session(sqlite)) {
            if (session == null) {
                throw new ConfigException("There is no ledger " + fromName + ".");
            }
            source = sqlite.connect();
        } catch (SQLException e) {
            throw sqlite.unreadable(e);
        }
        try {
            target = this.to.connect();
        } catch (SQLException e) {
            throw this.to.unreadable(e);
        }
    }

    /**
     * What there is of a table: its rows, and for each column the sum of its numbers or of its lengths.
     *
     * @param sums by column
     */
    public record Counted(long rows, Map<String, String> sums) {}

    /** Told how many rows of a table are copied. */
    @FunctionalInterface
    public interface Progress {
        void copied(String table, long rows);
    }

    /**
     * Copies what is missing, and compares everything.
     *
     * @return what is in both, by table
     * @throws ConfigException when the database holds something else
     * @throws LedgerException when it failed, and is to be repeated; or when the two differ
     */
    public Map<String, Counted> run(Progress progress) {
        try {
            begin();
            for (Map.Entry<String, List<String>> table : TABLES.entrySet()) {
                progress.copied(table.getKey(), copy(table.getKey(), table.getValue()));
            }
            Map<String, Counted> compared = compare();
            end();
            return compared;
        } catch (SQLException e) {
            throw to.explain(e);
        }
    }

    private void begin() throws SQLException {
        if (!text("SELECT coalesce(CAST(to_regclass('" + MARK + "') AS TEXT), '')")
                .isEmpty()) {
            String source = text("SELECT source FROM " + MARK);
            if (!source.equals(fromName)) {
                throw new ConfigException("The ledger " + to.name() + " is half of a copy of " + source
                        + ". Go on with that one, or make another database.");
            }
            return;
        }
        to.migrate();
        if (!text("SELECT (SELECT count(*) FROM node) + (SELECT count(*) FROM job) + (SELECT count(*) FROM file)")
                .equals("0")) {
            throw new ConfigException("The ledger " + to.name()
                    + " was used already, and two ledgers cannot be made one." + " Make another database.");
        }
        execute("CREATE TABLE " + MARK + " AS SELECT CAST('" + fromName.replace("'", "''") + "' AS TEXT) AS source");
    }

    private void end() throws SQLException {
        for (Map.Entry<String, List<String>> table : TABLES.entrySet()) {
            String key = table.getValue().get(0);
            boolean counts = !text("SELECT coalesce(pg_get_serial_sequence('" + table.getKey() + "', '" + key
                            + "'), '')")
                    .isEmpty();
            if (counts) {
                text("SELECT setval(pg_get_serial_sequence('" + table.getKey() + "', '" + key
                        + "'), (SELECT coalesce(max(" + key + "), 0) + 1 FROM " + table.getKey() + "), false)");
            }
        }
        execute("DROP TABLE " + MARK + "; ANALYZE");
    }

    private void execute(String sql) throws SQLException {
        try (Statement statement = target.createStatement()) {
            statement.execute(sql);
        }
    }

    private String text(String query) throws SQLException {
        return text(target, query);
    }

    private static String text(Connection connection, String query) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            return row.next() ? String.valueOf(row.getString(1)) : "";
        }
    }

    private List<String> columns(String table) throws SQLException {
        List<String> columns = new ArrayList<>();
        try (PreparedStatement select = target.prepareStatement("SELECT column_name FROM information_schema.columns"
                + " WHERE table_schema = current_schema() AND table_name = ? ORDER BY ordinal_position")) {
            select.setString(1, table);
            try (ResultSet rows = select.executeQuery()) {
                while (rows.next()) {
                    columns.add("\"" + rows.getString(1) + "\"");
                }
            }
        }
        return columns;
    }

    /** Goes on after the last row that is there; returns how many there are now. */
    private long copy(String table, List<String> keys) throws SQLException {
        List<String> columns = columns(table);
        String names = String.join(", ", columns);
        String order = String.join(", ", keys);
        List<Object> last = new ArrayList<>();
        try (Statement select = target.createStatement();
                ResultSet row = select.executeQuery("SELECT " + order + " FROM " + table + " ORDER BY "
                        + String.join(" DESC, ", keys) + " DESC LIMIT 1")) {
            boolean some = row.next();
            for (int i = 1; i <= keys.size(); i++) {
                last.add(some ? row.getLong(i) : Long.valueOf(-1));
            }
        }
        String places = String.join(", ", Collections.nCopies(keys.size(), "?"));
        target.setAutoCommit(false);
        try (PreparedStatement select = source.prepareStatement("SELECT " + names + " FROM " + table + " WHERE ("
                        + order + ") > (" + places + ") ORDER BY " + order);
                PreparedStatement insert = target.prepareStatement("INSERT INTO " + table + " (" + names
                        + ") OVERRIDING SYSTEM VALUE VALUES ("
                        + String.join(", ", Collections.nCopies(columns.size(), "?"))
                        + ")")) {
            for (int i = 0; i < last.size(); i++) {
                select.setObject(i + 1, last.get(i));
            }
            try (ResultSet rows = select.executeQuery()) {
                copy(rows, insert, columns.size());
            }
        } finally {
            target.setAutoCommit(true);
        }
        return Long.parseLong(text("SELECT count(*) FROM " + table));
    }

    private void copy(ResultSet rows, PreparedStatement insert, int columns) throws SQLException {
        int waiting = 0;
        long bytes = 0;
        while (rows.next()) {
            for (int i = 1; i <= columns; i++) {
                Object value = rows.getObject(i);
                if (value instanceof byte[] body) {
                    bytes += body.length;
                    insert.setBytes(i, body);
                } else {
                    insert.setObject(i, storable(value));
                }
            }
            insert.addBatch();
            if (++waiting == ROWS || bytes > BYTES) {
                insert.executeBatch();
                target.commit();
                waiting = 0;
                bytes = 0;
            }
        }
        insert.executeBatch();
        target.commit();
    }

    /** PostgreSQL's texts hold every character but one. */
    private static @Nullable Object storable(@Nullable Object value) {
        return value instanceof String text ? text.replace('\0', Session.NO_NUL) : value;
    }

    private Map<String, Counted> compare() throws SQLException {
        Map<String, Counted> all = new LinkedHashMap<>();
        var differences = new StringJoiner("; ");
        for (String table : TABLES.keySet()) {
            Counted there = counted(target, table);
            Counted here = counted(source, table);
            all.put(table, there);
            if (!here.equals(there)) {
                differences.add(table + ": " + here + " there, " + there + " here");
            }
        }
        if (differences.length() > 0) {
            throw new LedgerException(
                    "The copy differs (" + differences
                            + "). Nothing was switched over; make another database and begin anew.",
                    false,
                    new IllegalStateException());
        }
        return all;
    }

    private Counted counted(Connection connection, String table) throws SQLException {
        Map<String, String> sums = new LinkedHashMap<>();
        List<String> columns = columns(table);
        Map<String, String> types = types(table);
        var wanted = new StringJoiner(", ");
        wanted.add("count(*)");
        for (String column : columns) {
            boolean number = Objects.requireNonNull(types.get(column)).matches("bigint|integer");
            wanted.add("CAST(coalesce(sum(" + (number ? column : "length(" + column + ")") + "), 0) AS TEXT)");
        }
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT " + wanted + " FROM " + table)) {
            row.next();
            for (int i = 0; i < columns.size(); i++) {
                sums.put(columns.get(i), row.getString(i + 2));
            }
            return new Counted(row.getLong(1), sums);
        }
    }

    private Map<String, String> types(String table) throws SQLException {
        Map<String, String> types = new LinkedHashMap<>();
        try (PreparedStatement select = target.prepareStatement("SELECT column_name, data_type FROM"
                + " information_schema.columns WHERE table_schema = current_schema() AND table_name = ?")) {
            select.setString(1, table);
            try (ResultSet rows = select.executeQuery()) {
                while (rows.next()) {
                    types.put("\"" + rows.getString(1) + "\"", rows.getString(2));
                }
            }
        }
        return types;
    }

    @Override
    public void close() {
        try (source;
                target) {
            to.close();
        } catch (SQLException e) {
            // what was copied is durable
        }
    }
}
