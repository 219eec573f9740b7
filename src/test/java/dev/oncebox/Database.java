package dev.oncebox;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicInteger;

/** A database of its own on the one PostgreSQL server of this test process, which starts in seconds and ends with it. */
public final class Database {

    private static final AtomicInteger MADE = new AtomicInteger();

    private final String name;

    private Database(String name) {
        this.name = name;
    }

    private static final class Server {
        private static final EmbeddedPostgres POSTGRES = start();

        private static EmbeddedPostgres start() {
            try {
                return EmbeddedPostgres.builder()
                        .setServerConfig("fsync", "off")
                        .setServerConfig("full_page_writes", "off")
                        .setServerConfig("max_connections", "300")
                        .start();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** Makes an empty database. */
    public static Database make() {
        return make("");
    }

    /**
     * @param options of CREATE DATABASE
     */
    public static Database make(String options) {
        var database = new Database("ledger" + MADE.incrementAndGet());
        on("postgres", "CREATE DATABASE " + database.name + " " + options);
        return database;
    }

    private static String url(String database) {
        return Server.POSTGRES.getJdbcUrl("postgres", database);
    }

    public static int port() {
        return Server.POSTGRES.getPort();
    }

    public String name() {
        return name;
    }

    /** Its address, for its owner. */
    public String url() {
        return url(name);
    }

    public Connection connect() throws SQLException {
        return DriverManager.getConnection(url());
    }

    public void run(String statement) {
        on(name, statement);
    }

    private static void on(String database, String sql) {
        try (Connection connection = DriverManager.getConnection(url(database));
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }

    public long number(String query) {
        try (Connection connection = connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(query)) {
            return rows.next() ? rows.getLong(1) : 0;
        } catch (SQLException e) {
            throw new IllegalStateException(query, e);
        }
    }
}
