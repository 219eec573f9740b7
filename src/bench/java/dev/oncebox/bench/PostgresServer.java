package dev.oncebox.bench;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;

/** A PostgreSQL server of its own that waits for the disk at every commit, as one in service does. */
final class PostgresServer implements AutoCloseable {

    /** Of a second, as the kernel counts the time on the processors. */
    private static final double MILLIS_A_TICK = 10;

    private static final int ROUND_TRIPS = 500;

    private final Path data;
    private final EmbeddedPostgres postgres;
    private int databases;

    PostgresServer(Path folder) throws IOException {
        data = folder.resolve("data");
        postgres = EmbeddedPostgres.builder()
                .setDataDirectory(data)
                .setCleanDataDirectory(false)
                .setServerConfig("max_connections", "200")
                .setServerConfig("fsync", "on")
                .setServerConfig("synchronous_commit", "on")
                .setServerConfig("full_page_writes", "on")
                .setServerConfig("shared_preload_libraries", "pg_stat_statements")
                .setPGStartupWait(Duration.ofSeconds(60))
                .start();
        run("CREATE EXTENSION pg_stat_statements");
        if (number("SELECT count(*) FROM pg_settings WHERE name IN ('fsync', 'synchronous_commit', 'full_page_writes')"
                        + " AND setting = 'on'")
                != 3) {
            throw new IllegalStateException("The server would not be durable");
        }
    }

    /** What a server was asked and did until some moment. */
    record Work(double cpuMillis, long walBytes, long statements, long transactions, long deadlocks) {

        Work since(Work before) {
            return new Work(
                    cpuMillis - before.cpuMillis(),
                    walBytes - before.walBytes(),
                    statements - before.statements(),
                    transactions - before.transactions(),
                    deadlocks - before.deadlocks());
        }
    }

    Work work() throws IOException {
        return new Work(
                cpuMillis(),
                number("SELECT pg_current_wal_insert_lsn() - '0/0'"),
                number("SELECT sum(calls) FROM pg_stat_statements"),
                number("SELECT sum(xact_commit) FROM pg_stat_database"),
                number("SELECT sum(deadlocks) FROM pg_stat_database"));
    }

    private double cpuMillis() throws IOException {
        long server = Long.parseLong(
                Files.readAllLines(data.resolve("postmaster.pid")).get(0).strip());
        double ticks = ticks(server, 4);
        List<ProcessHandle> children =
                ProcessHandle.of(server).orElseThrow().children().toList();
        for (ProcessHandle child : children) {
            ticks += ticks(child.pid(), 2);
        }
        return ticks * MILLIS_A_TICK;
    }

    /** @param numbers two: a process itself, of user and system; four: those too that it waited for */
    private static double ticks(long pid, int numbers) throws IOException {
        String stat = Files.readString(Path.of("/proc", "" + pid, "stat"));
        String[] words = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
        double sum = 0;
        for (int i = 11; i < 11 + numbers; i++) {
            sum += Long.parseLong(words[i]);
        }
        return sum;
    }

    /** Makes an empty database; returns its address. */
    String newDatabase() {
        String name = "ledger" + ++databases;
        run("CREATE DATABASE " + name);
        return postgres.getJdbcUrl("postgres", name);
    }

    /** The same through a line. */
    String newDatabase(Distance line) {
        return newDatabase().replace(":" + postgres.getPort() + "/", ":" + line.port() + "/");
    }

    /** A line to the server of so much there and back. */
    Distance away(Duration roundTrip) throws IOException {
        return new Distance(postgres.getPort(), roundTrip.dividedBy(2));
    }

    /** How long one that waits for nothing is under way there and back, in milliseconds. */
    double roundTripMillis(Distance line) {
        try (Connection connection = DriverManager.getConnection(newDatabase(line));
                PreparedStatement nothing = connection.prepareStatement("SELECT 1")) {
            long begun = System.nanoTime();
            for (int i = 0; i < ROUND_TRIPS; i++) {
                nothing.executeQuery().close();
            }
            return (System.nanoTime() - begun) / 1e6 / ROUND_TRIPS;
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private void run(String sql) {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }

    private long number(String sql) {
        try (Connection connection = connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getLong(1);
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }

    private Connection connect() throws SQLException {
        return DriverManager.getConnection(postgres.getJdbcUrl("postgres", "postgres"));
    }

    @Override
    public void close() throws IOException {
        postgres.close();
    }
}
