package dev.oncebox.ledger.sql;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** One connection with its prepared statements. Belongs to one thread at a time. */
class Session implements AutoCloseable {

    /** Stands for the one character that PostgreSQL's texts cannot hold; what is delivered is in no text. */
    static final char NO_NUL = '\uFFFD';

    /** Few enough for a look at each, in an index, to be cheaper than one at the whole table. */
    static final int TOGETHER = 32;

    /** Follows {@code IN} in a statement for {@link #among}. */
    static final String AMONG = " (" + String.join(", ", Collections.nCopies(TOGETHER, "?")) + ")";

    private final Connection connection;
    private final Sharing sharing;
    private final Map<String, PreparedStatement> prepared = new HashMap<>();
    private final SortedMap<Long, Counts> counts = new TreeMap<>();

    /** On a ledger that nobody else writes to. */
    Session(Connection connection) {
        this(connection, Sharing.ALONE);
    }

    Session(Connection connection, Sharing sharing) {
        this.connection = connection;
        this.sharing = sharing;
    }

    Sharing sharing() {
        return sharing;
    }

    /** Whether the connection is lost, so that nothing can be done with it any more. */
    boolean isLost() {
        try {
            return connection.isClosed();
        } catch (SQLException e) {
            return true;
        }
    }

    /** Reads one row. */
    @FunctionalInterface
    interface Row<T> {
        T read(ResultSet row) throws SQLException;
    }

    /** Takes one row; false: enough. */
    @FunctionalInterface
    interface RowSink {
        boolean take(ResultSet row) throws SQLException;
    }

    /**
     * What a file has more, or less, of.
     *
     * @param pending items that wait for the end of their call
     */
    record Counts(long items, long invalid, long pending) {

        static Counts noLongerPending(long items) {
            return new Counts(0, 0, -items);
        }

        Counts and(Counts more) {
            return new Counts(items + more.items(), invalid + more.invalid(), pending + more.pending());
        }
    }

    /**
     * Counts for a file that is not delivered. Added when the transaction is committed, the files in one order: those who
     * record items and settle calls of the same files at the same time would else wait for each other in a circle, or
     * for every commit of the others.
     */
    void count(long file, Counts more) {
        counts.merge(file, more, Counts::and);
    }

    /** Adds to the files' counts now, before they are read or counted anew. */
    void writeCounts() throws SQLException {
        var files = new Rows(
                this,
                "UPDATE file SET items = items + ?, invalid = invalid + ?, pending = pending + ?"
                        + " WHERE id = ? AND state <> 'DELIVERED'");
        counts.forEach((file, more) -> files.add(more.items(), more.invalid(), more.pending(), file));
        counts.clear();
        files.write();
    }

    void commit() throws SQLException {
        writeCounts();
        run("COMMIT");
    }

    void rollBack() throws SQLException {
        counts.clear();
        run("ROLLBACK");
    }

    void run(String sql) throws SQLException {
        try {
            statement(sql).execute();
        } catch (SQLException e) {
            throw forgotten(sql, e);
        }
    }

    int update(String sql, @Nullable Object... values) throws SQLException {
        try {
            return bound(sql, values).executeUpdate();
        } catch (SQLException e) {
            throw forgotten(sql, e);
        }
    }

    /**
     * A statement for many rows in their order, on a server without waiting for it after each.
     *
     * @return how many rows of the database each of them changed
     */
    int[] batch(String sql, List<@Nullable Object[]> rows) throws SQLException {
        if (sharing == Sharing.ALONE || rows.size() == 1) {
            // SQLite is no server, and what its driver says of a failed batch does not tell a full disk from a bad row
            int[] changed = new int[rows.size()];
            for (int i = 0; i < changed.length; i++) {
                changed[i] = update(sql, rows.get(i));
            }
            return changed;
        }
        try {
            PreparedStatement statement = statement(sql);
            // whatever was thrown while an earlier batch was gathered, none of its rows is written with this one
            statement.clearBatch();
            for (@Nullable Object[] row : rows) {
                bind(statement, row);
                statement.addBatch();
            }
            return statement.executeBatch();
        } catch (SQLException e) {
            throw forgotten(sql, e);
        }
    }

    /**
     * Reads what belongs to any of these values, some at a time.
     *
     * @param sql its last parameters are {@link #AMONG}
     * @param first those before
     */
    void among(String sql, RowSink sink, List<?> values, @Nullable Object... first) throws SQLException {
        for (int start = 0; start < values.size(); start += TOGETHER) {
            @Nullable Object[] some = Arrays.copyOf(first, first.length + TOGETHER);
            for (int i = 0; i < TOGETHER; i++) {
                some[first.length + i] = values.get(Math.min(start + i, values.size() - 1));
            }
            each(sql, sink, some);
        }
    }

    <T> List<T> list(String sql, Row<T> reader, @Nullable Object... values) throws SQLException {
        List<T> rows = new ArrayList<>();
        each(sql, row -> rows.add(reader.read(row)), values);
        return rows;
    }

    <T> @Nullable T one(String sql, Row<T> reader, @Nullable Object... values) throws SQLException {
        try (ResultSet rows = bound(sql, values).executeQuery()) {
            return rows.next() ? reader.read(rows) : null;
        } catch (SQLException e) {
            throw forgotten(sql, e);
        }
    }

    long number(String sql, @Nullable Object... values) throws SQLException {
        Long number = one(sql, row -> row.getLong(1), values);
        return number == null ? 0 : number;
    }

    /** Whether a condition holds. */
    boolean is(String condition, @Nullable Object... values) throws SQLException {
        return Boolean.TRUE.equals(one("SELECT " + condition, row -> row.getBoolean(1), values));
    }

    void each(String sql, RowSink sink, @Nullable Object... values) throws SQLException {
        try (ResultSet rows = bound(sql, values).executeQuery()) {
            while (rows.next() && sink.take(rows)) {
                // the sink does the work
            }
        } catch (SQLException e) {
            throw forgotten(sql, e);
        }
    }

    private PreparedStatement bound(String sql, @Nullable Object... values) throws SQLException {
        PreparedStatement statement = statement(sql);
        bind(statement, values);
        return statement;
    }

    /** A text as the database can hold it. */
    String asStored(String text) {
        return sharing == Sharing.SHARED ? text.replace('\0', NO_NUL) : text;
    }

    private void bind(PreparedStatement statement, @Nullable Object... values) throws SQLException {
        for (int i = 0; i < values.length; i++) {
            Object value = values[i];
            if (value instanceof byte[] bytes) {
                statement.setBytes(i + 1, bytes);
            } else if (value instanceof Enum<?> constant) {
                statement.setString(i + 1, constant.name());
            } else if (value instanceof String text) {
                statement.setString(i + 1, asStored(text));
            } else if (value instanceof Boolean flag) {
                statement.setInt(i + 1, flag ? 1 : 0);
            } else {
                statement.setObject(i + 1, value);
            }
        }
    }

    /** A statement that failed once is not used again: SQLite's driver lets it fail for ever. */
    private SQLException forgotten(String sql, SQLException failure) {
        try (PreparedStatement failed = prepared.remove(sql)) {
            return failure;
        } catch (SQLException e) {
            return failure;
        }
    }

    private PreparedStatement statement(String sql) throws SQLException {
        PreparedStatement statement = prepared.get(sql);
        if (statement == null) {
            statement = connection.prepareStatement(sql);
            prepared.put(sql, statement);
        }
        return statement;
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
