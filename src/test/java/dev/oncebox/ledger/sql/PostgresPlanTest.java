package dev.oncebox.ledger.sql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oncebox.ledger.Call;
import dev.oncebox.ledger.Gathering;
import dev.oncebox.ledger.Ledger;
import dev.oncebox.ledger.LedgerStorage;
import dev.oncebox.ledger.LedgerTck;
import dev.oncebox.ledger.Output;
import dev.oncebox.ledger.Reply;
import dev.oncebox.ledger.SettledFile;
import dev.oncebox.ledger.Steps;
import dev.oncebox.ledger.Verdict;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What the server would do for every statement of a node on a ledger of 20,000 answered calls, by its own statistics. */
class PostgresPlanTest extends LedgerTck {

    private static final Pattern PLANNED = Pattern.compile("(?s)\\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\\b.*");
    private static final Pattern READS_THROUGH =
            Pattern.compile("Seq Scan on (call|item|event|request|answer|reply|source|file)\\b");

    private static final List<String> FILLED = List.of(
            "INSERT INTO job (name, fingerprint, definition) VALUES ('filled', '\\x00', '{}')",
            "INSERT INTO file (path, job, kind, sha256, state, archived, items, received, delivered)"
                    + " SELECT 'f' || n, 1, 'LINES', sha256(n::text::bytea), 'DELIVERED', 1, 10, n, n FROM"
                    + " generate_series(1, 2000) n",
            "INSERT INTO call (key, key_version, content, job, engine, state, due, created, sends, attempts, ended)"
                    + " SELECT sha256(n::text::bytea), 1, sha256(n::text::bytea), 1, 'default', 'DONE', n, n, 1, 1, n"
                    + " FROM generate_series(1, 20000) n",
            "INSERT INTO request SELECT id, '\\x00' FROM call",
            "INSERT INTO answer SELECT id, 0, '\\x00' FROM call",
            "INSERT INTO reply (call, send, at, status, body) SELECT id, 1, 1, 200, '\\x00' FROM call",
            "INSERT INTO item (file, n, line, \"offset\", call, fresh) SELECT (id - 1) / 10 + 1, (id - 1) % 10 + 1, 1, 0,"
                    + " id, 1 FROM call",
            "INSERT INTO source (file, n, body) SELECT file, n, '\\x00' FROM item",
            "INSERT INTO event (at, call, fence, attempt, kind, engine, charged) SELECT 1, id, 1, 1, 'COMPLETE',"
                    + " 'default', 'YES' FROM call",
            "ANALYZE");

    private final Set<String> statements = new ConcurrentSkipListSet<>();

    @Override
    protected LedgerStorage storage(Path folder) {
        return PostgresStorage.emptied(dialect -> new Watching(dialect, statements));
    }

    /** Takes down every statement that is prepared. */
    private static final class Watching extends PassingDialect {

        private final Set<String> statements;

        Watching(Dialect dialect, Set<String> statements) {
            super(dialect);
            this.statements = statements;
        }

        @Override
        public Connection connect() throws SQLException {
            Connection connection = super.connect();
            return (Connection) Proxy.newProxyInstance(
                    Watching.class.getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, values) -> {
                        if (method.getName().equals("prepareStatement")) {
                            statements.add((String) values[0]);
                        }
                        try {
                            return method.invoke(connection, values);
                        } catch (InvocationTargetException e) {
                            throw e.getCause();
                        }
                    });
        }
    }

    @Test
    void no_statement_of_a_node_reads_through_what_grows() throws SQLException {
        // the driver would count the parameters of what is only explained
        try (Connection connection = DriverManager.getConnection(PostgresStorage.url() + "&preferQueryMode=simple");
                Statement fill = connection.createStatement()) {
            for (String statement : FILLED) {
                fill.execute(statement);
            }
            work();
            assertThat(statements).hasSizeGreaterThan(60);
            Map<String, String> bad = new TreeMap<>();
            for (String statement : statements) {
                String plan = PLANNED.matcher(statement).matches() ? plan(fill, statement) : "";
                if (READS_THROUGH.matcher(plan).find()) {
                    bad.put(statement, plan);
                }
            }
            assertThat(bad).isEmpty();
        }
    }

    private static String plan(Statement on, String statement) throws SQLException {
        var numbered = new StringBuilder();
        int n = 0;
        for (char c : statement.toCharArray()) {
            numbered.append(c == '?' ? "$" + ++n : c);
        }
        var plan = new StringBuilder();
        try (ResultSet rows = on.executeQuery("EXPLAIN (GENERIC_PLAN) " + numbered)) {
            while (rows.next()) {
                plan.append(rows.getString(1)).append('\n');
            }
        }
        return plan.toString();
    }

    /** All that a node does, but for what counts everything for people. */
    private void work() {
        var reach = new Ledger.Reach(List.of(ENGINE));
        ledger.reserve("g.jsonl");
        drop("g.jsonl", "a", "b", "c", "d", "e", "f");
        ledger.release("g.jsonl");
        drop("g.jsonl", "a", "b", "c", "d", "e", "f");
        ledger.recover();
        ledger.isBusy(Duration.ZERO, reach);
        ledger.untilDue(List.of(ENGINE));
        attempt(unknown());
        Call call = send();
        ledger.isOpen(call);
        ledger.inFlight(call.key(), call.fence());
        ledger.settle(call, valid("1"), Steps.of(valid("1")), new Reply(200, new byte[] {1}));
        ledger.settle(call, valid("1"), Steps.of(valid("1")), new Reply(200, new byte[] {1}));
        var accepted = new Verdict.Accepted("http://engine/1", "queued", Duration.ZERO);
        ledger.settle(send(), accepted, Steps.of(accepted), null);
        ledger.polling(ENGINE, Duration.ZERO, 9);
        ledger.untilPolling(List.of(ENGINE));
        ledger.queued(9);
        ledger.fallBack(new Ledger.Move(ENGINE, "second", List.of("default"), true, "down"), 1);
        ledger.reassign(List.of(ENGINE), Map.of("default", ENGINE));
        ledger.releaseClaims();
        ledger.batches().due(ENGINE, Duration.ZERO, 9);
        ledger.batches().gather(ENGINE, new Gathering(1, Duration.ZERO, 1000));
        ledger.unarchived();
        ledger.isKnown("g.jsonl", sha256("x"));
        ledger.pauses(Map.of());
        ledger.spent(Long.MAX_VALUE);
        answerAll();
        List<SettledFile> settled = new ArrayList<>(settled());
        settled.forEach(file -> ledger.delivered(file, Output.unsealed("x")));
        drop("h.jsonl", "z");
        answerAll();
        deliverAll();
        drop("h.jsonl", "z");
    }
}
