package dev.oncebox.ledger.sql;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One connection with its prepared statements. Belongs to one thread at a time. */
class Session implements AutoCloseable {

    private final Connection connection;
    private final Sharing sharing;
    private final Map<String, PreparedStatement> prepared = new HashMap<>();

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
        for (int i = 0; i < values.length; i++) {
            Object value = values[i];
            if (value instanceof byte[] bytes) {
                statement.setBytes(i + 1, bytes);
            } else if (value instanceof Enum<?> constant) {
                statement.setString(i + 1, constant.name());
            } else if (value instanceof Boolean flag) {
                statement.setInt(i + 1, flag ? 1 : 0);
            } else {
                statement.setObject(i + 1, value);
            }
        }
        return statement;
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
