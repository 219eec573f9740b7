package dev.oncebox.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.StringJoiner;

/**
 * Oncebox with a ledger in which there are many answered calls, of one file: a few were made, the others are copies of
 * them with keys of their own.
 */
final class FullLedger implements Contestant {

    private static final int MADE = 10_000;

    private final OnceboxHome home;
    private int drops;

    FullLedger(Lab lab, Path folder, int calls, int concurrency) throws IOException, InterruptedException {
        home = new OnceboxHome(lab, folder, concurrency);
        lab.reset(0);
        home.drop(new Prompts(-1).lines(folder.resolve("made.jsonl"), MADE), "made.jsonl");
        Plan run = home.run(List.of(), "run", "--until-idle");
        try (Watched process = Watched.start(run.command(), run.environment(), folder.resolve("log"))) {
            process.finish(Duration.ofMinutes(10));
        }
        try {
            multiply(calls);
        } catch (SQLException e) {
            throw new IOException(e);
        }
    }

    private void multiply(int calls) throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + home.ledger());
                Statement statement = connection.createStatement()) {
            statement.execute("PRAGMA synchronous = OFF");
            statement.execute("PRAGMA cache_size = -200000");
            connection.setAutoCommit(false);
            String columns = columns(statement, "call", "id", "key");
            for (int base = MADE; base < calls; base += MADE) {
                for (String sql : List.of(
                        "INSERT INTO call (id, key, " + columns + ") SELECT id + %d, randomblob(32), " + columns
                                + " FROM call WHERE id <= " + MADE,
                        "INSERT INTO request SELECT call + %d, body FROM request WHERE call <= " + MADE,
                        "INSERT INTO answer SELECT call + %d, json, body FROM answer WHERE call <= " + MADE,
                        "INSERT INTO reply (call, send, at, status, body)"
                                + " SELECT call + %d, send, at, status, body FROM reply WHERE call <= " + MADE,
                        "INSERT INTO item (file, n, line, offset, id, call, fresh)"
                                + " SELECT file, n + %1$d, line + %1$d, offset, id, call + %1$d, fresh FROM item WHERE n <= "
                                + MADE,
                        "INSERT INTO event (at, node, call, fence, attempt, kind, engine, charged, cost, request_id)"
                                + " SELECT at, node, call + %d, fence, attempt, kind, engine, charged, cost, request_id"
                                + " FROM event WHERE call <= " + MADE)) {
                    statement.executeUpdate(String.format(sql, base));
                }
                connection.commit();
            }
            connection.setAutoCommit(true);
            statement.execute("PRAGMA wal_checkpoint(TRUNCATE)");
        }
    }

    private static String columns(Statement statement, String table, String... without) throws SQLException {
        var names = new StringJoiner(", ");
        try (var rows = statement.executeQuery("SELECT name FROM pragma_table_info('" + table + "')")) {
            while (rows.next()) {
                if (!List.of(without).contains(rows.getString(1))) {
                    names.add(rows.getString(1));
                }
            }
        }
        return names.toString();
    }

    @Override
    public String name() {
        return "d: Oncebox, full ledger";
    }

    /** The same home again and again: what a round adds is little beside what is there. */
    @Override
    public Plan plan(Load load, Path folder, List<String> javaOptions) throws IOException {
        String name = "x" + ++drops + ".jsonl";
        home.drop(load.prompts(), name);
        Plan plan = home.run(javaOptions, "run", "--until-idle");
        Files.createDirectories(home.outbox());
        return new Plan(plan.command(), plan.environment(), home.outbox().resolve(name));
    }
}
