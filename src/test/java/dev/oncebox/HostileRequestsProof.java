package dev.oncebox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.oncebox.proof.Figures;
import dev.oncebox.stub.Stub;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Ten thousand requests that mean ill, while a batch is asked: they change nothing, and hold up nothing. */
class HostileRequestsProof {

    private static final int REQUESTS = Integer.getInteger("oncebox.proof.requests", 10_000);
    private static final int THREADS = 4;
    private static final int SLOW = 120;
    private static final int ITEMS = 400;
    private static final Pattern ADDRESS = Pattern.compile("The page is at http://127\\.0\\.0\\.1:(\\d+)/");

    @TempDir
    private Path folder;

    private Stub stub;

    @BeforeEach
    void start() throws IOException {
        stub = Stub.start(Stub.Options.defaults().withDelay(Duration.ofMillis(50)));
    }

    @AfterEach
    void stop() {
        stub.close();
    }

    @Test
    void ten_thousand_hostile_requests_change_nothing_and_the_runtime_goes_on() throws Exception {
        var home = new TestHome(
                folder, stub, "http.port=0", "http.token=" + PageHome.TOKEN, "engine.default.on-doubt=hold");
        home.drop("doubt.md", "[[stub: reset]] held");
        try (Launched runtime = Launched.quickly(home, "-Xmx256m", "run")) {
            int port = port(home);
            var http = new RawHttp(port);
            await().until(() -> doubts(http).contains("connection_lost"));
            String doubts = doubts(http);
            String key = TestHome.parse(doubts).path(0).path("key").asText();
            List<JsonNode> journal = home.journal(key);
            home.drop("x.jsonl", Evidence.batch(ITEMS));

            List<Socket> slow = new ArrayList<>();
            for (int i = 0; i < SLOW; i++) {
                Socket socket = http.connect();
                socket.getOutputStream().write("GET /api/sta".getBytes());
                slow.add(socket);
            }
            Map<Integer, Long> statuses = attack(http, key);

            assertThat(statuses.keySet()).as("%s", statuses).isSubsetOf(0, 400, 401, 403, 404, 405, 413, 414, 421, 431);
            assertThat(doubts(http)).as("seed " + Figures.SEED).isEqualTo(doubts);
            assertThat(home.journal(key)).isEqualTo(journal);
            await().until(() -> home.exists("outbox/x.jsonl"));
            assertThat(stub.count()).isEqualTo(ITEMS + 1);
            for (Socket socket : slow) {
                assertThat(socket.getInputStream().readAllBytes())
                        .as("whoever is slow is left in the end")
                        .isNotNull();
                socket.close();
            }
            assertThat(http.ask("GET", "/observe/health", Map.of()).text()).contains("\"status\":\"UP\"");
            assertThat(home.read("run.log")).doesNotContain("ERROR", PageHome.TOKEN, "\tat ");
            Figures.say("HostileRequestsProof: %d requests and %d slow ones: %s", REQUESTS, SLOW, statuses);
            runtime.signal("TERM");
            assertThat(runtime.exit()).isZero();
        }
    }

    private static int port(TestHome home) {
        var found = new int[1];
        await().until(() -> {
            Matcher address = ADDRESS.matcher(home.exists("run.log") ? home.read("run.log") : "");
            found[0] = address.find() ? Integer.parseInt(address.group(1)) : 0;
            return found[0] > 0;
        });
        return found[0];
    }

    private static String doubts(RawHttp http) {
        String text = http.ask("GET", "/api/doubts", Map.of()).text();
        int start = text.indexOf('[');
        return start < 0 ? "" : text.substring(start, text.lastIndexOf(']') + 1);
    }

    private static Map<Integer, Long> attack(RawHttp http, String key) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try {
            List<Callable<Map<Integer, Long>>> attackers = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                var random = new Random(Figures.SEED + i);
                attackers.add(() -> {
                    Map<Integer, Long> statuses = new TreeMap<>();
                    for (int n = 0; n < REQUESTS / THREADS; n++) {
                        statuses.merge(
                                HostileRequest.draw(random, key).send(http).status(), 1L, Long::sum);
                    }
                    return statuses;
                });
            }
            Map<Integer, Long> all = new TreeMap<>();
            for (Future<Map<Integer, Long>> each : threads.invokeAll(attackers)) {
                each.get().forEach((status, count) -> all.merge(status, count, Long::sum));
            }
            return all;
        } finally {
            threads.shutdownNow();
        }
    }
}
