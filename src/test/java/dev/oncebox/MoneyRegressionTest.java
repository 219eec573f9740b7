package dev.oncebox;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.oncebox.config.Home;
import dev.oncebox.config.Settings;
import dev.oncebox.runtime.Worker;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Each was once a way to pay twice, to lose an answer or to hang; the story stands above the test. */
@Timeout(value = 25, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class MoneyRegressionTest extends StubbedHome {

    /** JSON Lines saved as .json: paid, never delivered, never idle. */
    @Test
    void two_values_in_a_json_file_end() {
        TestHome home = home();
        home.drop("x.json", "{\"text\":\"a\"}\n{\"text\":\"b\"}\n");
        home.runUntilIdle();
        assertThat(home.files("rejected")).containsExactly("x.json", "x.json.error.json");
        assertThat(home.files("outbox")).isEmpty();
        assertThat(stub.count()).isZero();
    }

    /** two engines at one address share the endpoint: the last one's timeout counts for both. */
    @Test
    void two_engines_at_one_address_keep_their_own_timeouts() {
        TestHome home = patientHome(
                "engine.default.timeout=30s",
                "engine.zquick.url=" + stub.uri("/v1"),
                "engine.zquick.model=other",
                "engine.zquick.timeout=500ms");
        home.drop("a.md", "[[stub: delay=1500ms]] slow");
        assertThat(home.runUntilIdle()).isZero();
        assertThat(stub.count()).isEqualTo(1);
    }

    /** a member name over 50,000 characters is recorded and cannot be read back: its whole batch of claims hangs. */
    @Test
    void a_long_member_name_does_not_strand_others() {
        TestHome home = home();
        String name = "n".repeat(60_000);
        home.drop(
                "x.jsonl",
                "{\"id\":\"bad\",\"messages\":[{\"role\":\"user\",\"content\":\"hi\",\"" + name
                        + "\":1}]}\n{\"id\":\"good\",\"text\":\"innocent\"}\n");
        home.runUntilIdle();
        assertThat(home.read("outbox/x.jsonl")).contains("\"id\":\"good\"");
        assertThat(stub.count()).isEqualTo(2);
    }

    /** a header's value is cut out of paid answers. */
    @Test
    void an_answer_is_delivered_as_it_was_paid_for() throws Exception {
        HttpServer server = server(
                200,
                "{\"choices\":[{\"message\":{\"content\":\"It happened on 2023-06-01.\"},\"finish_reason\":\"stop\"}]}",
                new AtomicInteger());
        try {
            TestHome home = home(
                    "engine.default.url=http://127.0.0.1:" + server.getAddress().getPort() + "/v1",
                    "engine.default.header.anthropic-version=2023-06-01");
            home.drop("a.md", "when?");
            home.runUntilIdle();
            assertThat(home.read("outbox/a.md")).isEqualTo("It happened on 2023-06-01.");
        } finally {
            server.stop(0);
        }
    }

    /** an answer beside an error member is thrown away and bought again without limit. */
    @Test
    void an_answer_beside_an_error_member_is_not_bought_without_limit() throws Exception {
        var count = new AtomicInteger();
        HttpServer server = server(200, "{\"summary\":\"good\",\"error\":{}}", count);
        try {
            TestHome home = home(
                    "engine.default.protocol=json",
                    "engine.default.answer=/summary",
                    "retry.delay=10ms",
                    "retry.max-delay=10ms",
                    "retry.give-up=3s",
                    "engine.default.url=http://127.0.0.1:" + server.getAddress().getPort() + "/s");
            home.drop("a.md", "when?");
            int exit = home.runUntilIdle();
            assertThat(count.get()).isEqualTo(1);
        } finally {
            server.stop(0);
        }
    }

    /** a name that is not UTF-8. */
    @Test
    void a_name_in_latin1_does_not_hang_for_ever() throws Exception {
        TestHome home = home();
        home.drop("b.md", "fine");
        var p = new ProcessBuilder(
                        "sh",
                        "-c",
                        "printf hello > \"$1/$(printf '\\334bung.md')\"",
                        "sh",
                        home.path("inbox").toString())
                .inheritIO()
                .start();
        assertThat(p.waitFor()).isZero();

        assertThat(home.runUntilIdle()).isEqualTo(4);

        assertThat(home.files("outbox")).containsExactly("b.md");
        assertThat(home.path("inbox").toFile().list())
                .hasSize(2); // the job's folder, and the file that nobody can name
        assertThat(stub.count()).isEqualTo(1);
    }

    @Test
    void a_camel_lock_name_does_not_hang_for_ever() {
        TestHome home = home();
        home.drop("b.camelLock", "fine");

        assertThat(home.runUntilIdle()).isZero();

        assertThat(home.files("inbox")).containsExactly("b.camelLock");
        assertThat(stub.count()).isZero();
    }

    /** recording a chunk fails inside the split. */
    @Test
    void a_failing_chunk_loses_no_item() {
        TestHome home = home();
        home.runUntilIdle();
        execute(
                home,
                "CREATE TRIGGER boom BEFORE INSERT ON item WHEN NEW.n = 700 BEGIN SELECT RAISE(ABORT, 'boom'); END");
        var lines = new StringBuilder();
        for (int i = 0; i < 1200; i++) {
            lines.append("{\"text\":\"t" + i + "\"}\n");
        }
        home.drop("x.jsonl", lines.toString());

        assertThat(home.runUntilIdle()).isEqualTo(4);
        assertThat(home.files("inbox")).contains("x.jsonl");
        assertThat(home.exists("outbox/x.jsonl")).isFalse();

        execute(home, "DROP TRIGGER boom");
        assertThat(home.runUntilIdle()).isZero();
        assertThat(home.lines("outbox/x.jsonl")).hasSize(1200);
        assertThat(stub.count()).isEqualTo(1200);
    }

    @Test
    void alarms_do_not_pile_up() throws Exception {
        TestHome home = home();
        var lines = new StringBuilder();
        for (int i = 0; i < 300; i++) {
            lines.append("{\"text\":\"t" + i + "\"}\n");
        }
        home.drop("x.jsonl", lines.toString());
        home.runUntilIdle();
        var field = Class.forName("dev.oncebox.engine.SingleSend").getDeclaredField("ALARMS");
        field.setAccessible(true);
        Object alarms = field.get(null);
        String text = alarms.toString();
        if (alarms instanceof ScheduledThreadPoolExecutor pool) {
            assertThat(pool.getQueue().size()).isLessThan(50);
        } else {
            assertThat(text).isEqualTo("unknown");
        }
    }

    @Test
    void a_linked_ledger_has_one_worker() throws Exception {
        TestHome one = home();
        Path other = Files.createDirectories(folder.resolve("other"));
        TestHome two = new TestHome(other, stub);
        one.runUntilIdle();
        Files.createDirectories(other.resolve("data"));
        Files.createSymbolicLink(other.resolve("data/ledger.db"), one.path("data/ledger.db"));
        try (Worker first = Worker.prepare(
                Settings.read(new Home(one.root(), Path.of("").toAbsolutePath()), Map.of()), null, l -> {})) {
            try (Worker second = Worker.prepare(
                    Settings.read(new Home(two.root(), Path.of("").toAbsolutePath()), Map.of()), null, l -> {})) {
                assertThat(second).isNull();
            } catch (Worker.BusyException e) {
            }
        }
    }

    /** half read under one job definition, then the job changes: a partial answer file appears. */
    @Test
    void a_half_read_file_of_an_older_job_is_not_delivered() {
        TestHome home = home();
        home.runUntilIdle();
        execute(
                home,
                "CREATE TRIGGER boom BEFORE INSERT ON item WHEN NEW.n = 700 BEGIN SELECT RAISE(ABORT, 'boom'); END");
        var lines = new StringBuilder();
        for (int i = 0; i < 800; i++) {
            lines.append("{\"text\":\"t" + i + "\"}\n");
        }
        home.drop("x.jsonl", lines.toString());
        home.runUntilIdle();
        execute(home, "DROP TRIGGER boom");
        home.write("config/jobs/default/system.md", "Be brief.");
        int second = home.runUntilIdle();
        int third = home.runUntilIdle();
        assertThat(home.files("outbox")).doesNotContain("x~2.jsonl");
    }

    @Test
    void a_secret_in_the_query_is_not_recorded() throws Exception {
        HttpServer server =
                server(400, "{\"error\":{\"message\":\"API key not valid: topsecretvalue\"}}", new AtomicInteger());
        try {
            TestHome home = home(
                    "engine.default.url=http://127.0.0.1:" + server.getAddress().getPort() + "/v1?key=topsecretvalue");
            home.drop("a.md", "when?");
            home.runUntilIdle();
            assertThat(home.read("outbox/a.md.error.json")).doesNotContain("topsecretvalue");
        } finally {
            server.stop(0);
        }
    }

    @Test
    void auto_startup_cannot_be_forced() {
        TestHome home = home("camel.main.auto-startup=true");
        home.drop("a.md", "when?");
        CommandOutput check = CommandOutput.of(home, "check");
        assertThat(stub.count()).isZero();
        assertThat(home.files("inbox")).contains("a.md");
    }

    /** A stored request that cannot be read costs its own call, unsent, and no other. */
    @Test
    void a_damaged_row_costs_only_itself() throws Exception {
        TestHome home = home();
        home.drop("x.jsonl", "{\"text\":\"[[stub: 429 retry-after=900]] one\"}\n{\"text\":\"two\"}\n");
        home.runUntilIdle("--max-wait", "1s");
        assertThat(stub.count()).isEqualTo(2);
        execute(home, "UPDATE request SET body = x'007b' WHERE call = (SELECT id FROM call WHERE state = 'READY')");
        execute(home, "UPDATE call SET due = 0 WHERE state = 'READY'");

        assertThat(home.runUntilIdle()).isEqualTo(4);

        assertThat(stub.count()).isEqualTo(2);
        assertThat(home.lines("outbox/x.jsonl")).hasSize(1);
        assertThat(home.lines("outbox/x.errors.jsonl").get(0).at("/error/code").asText())
                .isEqualTo("damaged");
    }

    /** The same for a call that was in flight when the process ended: once, no start came past it. */
    @Test
    void a_damaged_row_that_was_in_flight_does_not_stop_the_start() throws Exception {
        TestHome home = home();
        home.drop("x.jsonl", "{\"text\":\"[[stub: 429 retry-after=900]] one\"}\n{\"text\":\"two\"}\n");
        home.runUntilIdle("--max-wait", "1s");
        execute(home, "UPDATE request SET body = x'007b' WHERE call = (SELECT id FROM call WHERE state = 'READY')");
        execute(home, "UPDATE call SET state = 'SENT' WHERE state = 'READY'");

        assertThat(home.runUntilIdle()).isEqualTo(4);

        assertThat(stub.count()).isEqualTo(2);
        assertThat(home.lines("outbox/x.errors.jsonl").get(0).at("/error/code").asText())
                .isEqualTo("damaged");
    }

    static HttpServer server(int status, String body, AtomicInteger count) throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            count.incrementAndGet();
            exchange.getRequestBody().readAllBytes();
            byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().add("Content-Type", "application/json");
            exchange.sendResponseHeaders(status, bytes.length);
            exchange.getResponseBody().write(bytes);
            exchange.close();
        });
        server.start();
        return server;
    }
}
