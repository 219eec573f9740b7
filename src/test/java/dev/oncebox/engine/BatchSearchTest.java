package dev.oncebox.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import dev.oncebox.config.AsyncSettings;
import dev.oncebox.config.EngineSettings;
import dev.oncebox.ledger.Batch;
import dev.oncebox.ledger.CallFailed;
import dev.oncebox.ledger.Gathering;
import dev.oncebox.ledger.LedgerStorage;
import dev.oncebox.ledger.LedgerTck;
import dev.oncebox.ledger.NextStep;
import dev.oncebox.ledger.Verdict;
import dev.oncebox.ledger.sql.SqliteStorage;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Looks for a batch of which no reply came, at a provider that keeps no handle of ours, in lists as they may be written. */
class BatchSearchTest extends LedgerTck {

    private final Map<String, String> results = new ConcurrentHashMap<>();
    private final List<String> fetched = new CopyOnWriteArrayList<>();
    private final Set<String> strangers = new HashSet<>();
    private final Set<String> missed = new HashSet<>();
    private String list = "";
    private HttpServer server;
    private Engine engine;
    private Wire wire;
    private Batch batch;

    @Override
    protected LedgerStorage storage(Path folder) {
        return SqliteStorage.in(folder);
    }

    @BeforeEach
    void loseTheReply() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            String path = exchange.getRequestURI().getPath();
            boolean isList = path.equals("/v1/messages/batches");
            if (!isList) {
                fetched.add(path.substring(1));
            }
            byte[] body = (isList ? list : results.get(path.substring(1))).getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
        EngineSettings settings = settings();
        engine = new Engine(settings, new Gate(settings, RETRY, Clock.systemUTC(), System::nanoTime));
        wire = new Wire(settings);
        drop("f.jsonl", "a", "b");
        Batch gathered = ledger.batches().gather(ENGINE, new Gathering(2, Duration.ZERO, 1 << 20));
        assertThat(ledger.batches().sent(gathered)).isTrue();
        ledger.batches().settle(gathered, unknown(), NextStep.IN_DOUBT, null);
        batch = ledger.batches().due(ENGINE, Duration.ZERO, 1).get(0);
    }

    @AfterEach
    void stop() throws IOException {
        wire.close();
        server.stop(0);
    }

    private EngineSettings settings() {
        return new EngineSettings(
                ENGINE,
                EngineSettings.Protocol.ANTHROPIC_BATCH,
                URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/v1/messages/batches"),
                null,
                null,
                Map.of(),
                Duration.ofSeconds(5),
                Duration.ofSeconds(1),
                4,
                null,
                null,
                null,
                null,
                "",
                false,
                EngineSettings.OnDoubt.RESEND,
                Set.of(),
                "",
                null,
                AsyncSettings.USUAL);
    }

    /** A batch of two calls that has ended, so long after ours was sent. */
    private String listed(String id, Duration after) {
        String created = Instant.ofEpochMilli(batch.sentAt()).plus(after).toString();
        return ("{'id':'%s','created_at':'%s','processing_status':'ended','request_counts':{'succeeded':2},"
                        + "'results_url':'/%s'}")
                .formatted(id, created, id)
                .replace('\'', '"');
    }

    private void lists(String... batches) {
        list = "{\"has_more\":false,\"data\":[" + String.join(",", batches) + "]}";
    }

    private static String line(String key) {
        return "{\"custom_id\":\"" + key + "\",\"result\":{\"type\":\"succeeded\",\"message\":{}}}\n";
    }

    private static String ours(String text) {
        return line(HexFormat.of().formatHex(sha256(text)));
    }

    private Verdict look() throws CallFailed {
        return new BatchSearch(engine, wire, ledger.batches(), strangers, missed, clock).look(batch);
    }

    private void isFound(Verdict verdict, String id) {
        assertThat(verdict).isInstanceOfSatisfying(Verdict.Accepted.class, accepted -> assertThat(accepted.address())
                .endsWith("/v1/messages/batches/" + id));
    }

    /** It was taken for somebody else's by its first line alone, so that its calls would have been sent again. */
    @Test
    void an_odd_line_before_ours_hides_nothing() throws CallFailed {
        results.put("x", line("odd") + "garbage\n" + ours("b") + ours("a"));
        lists(listed("x", Duration.ofSeconds(1)));
        isFound(look(), "x");
    }

    /** The search ended at the first batch that was older than ours, wherever the list went on. */
    @Test
    void a_list_that_begins_with_the_oldest_is_read_to_its_end() throws CallFailed {
        results.put("x", ours("a") + ours("b"));
        lists(
                listed("old", Duration.ofDays(-2)),
                listed("older", Duration.ofDays(-1)),
                listed("x", Duration.ofSeconds(1)));
        isFound(look(), "x");
    }

    @Test
    void somebody_elses_batch_of_the_same_size_is_fetched_once() throws CallFailed {
        results.put("other", line("odd") + line("even"));
        lists(listed("other", Duration.ofSeconds(1)));
        for (int i = 0; i < 3; i++) {
            assertThat(look()).isInstanceOf(Verdict.Running.class);
        }
        assertThat(fetched).containsExactly("other");
    }

    /** It was taken for somebody else's for good. */
    @Test
    void an_ended_batch_that_does_not_say_yet_where_its_results_are_is_looked_at_again() throws CallFailed {
        String listed = listed("x", Duration.ofSeconds(1));
        results.put("x", ours("a") + ours("b"));
        lists(listed.replace("\"/x\"", "null"));
        assertThat(look()).isInstanceOf(Verdict.Running.class);
        lists(listed);
        isFound(look(), "x");
    }

    @Test
    void what_the_whole_list_does_not_show_for_long_is_a_doubt() throws CallFailed {
        lists(listed("old", Duration.ofDays(-1)));
        assertThat(look()).isInstanceOf(Verdict.Running.class);
        clock.pass(Duration.ofMinutes(11));
        assertThatThrownBy(this::look).isInstanceOfSatisfying(CallFailed.class, failed -> assertThat(failed.verdict())
                .isInstanceOf(Verdict.Unknown.class));
    }

    /** A process that had been down for longer believed the first list that it saw. */
    @Test
    void a_first_look_is_not_believed_however_late_it_is() throws CallFailed {
        lists(listed("old", Duration.ofDays(-1)));
        clock.pass(Duration.ofMinutes(11));
        assertThat(look()).isInstanceOf(Verdict.Running.class);
        results.put("x", ours("a") + ours("b"));
        lists(listed("x", Duration.ofSeconds(1)));
        isFound(look(), "x");
    }
}
