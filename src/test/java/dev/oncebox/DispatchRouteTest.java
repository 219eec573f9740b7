package dev.oncebox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.oncebox.stub.Stub;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Idempotent Receiver: what leaves for the endpoint, and how often. */
class DispatchRouteTest extends StubbedHome {

    @Test
    void the_endpoint_receives_our_headers_and_none_of_the_exchanges() {
        TestHome home = home(
                "engine.default.api-key=secret-0123456789",
                "engine.default.header.OpenAI-Organization=org-1",
                "engine.default.header.X-Project=p");
        home.drop("a.jsonl", "{\"id\":\"CamelHttpUri\",\"text\":\"one\",\"CamelHttpUri\":\"http://evil\"}\n");

        assertThat(home.runUntilIdle()).isZero();

        var call = stub.calls().get(0);
        assertThat(call.headers().keySet())
                .extracting(String::toLowerCase)
                .containsOnly(
                        "accept",
                        "accept-encoding",
                        "authorization",
                        "connection",
                        "content-length",
                        "content-type",
                        "host",
                        "idempotency-key",
                        "openai-organization",
                        "user-agent",
                        "x-project");
        assertThat(call.headers())
                .containsEntry("Authorization", "Bearer secret-0123456789")
                .containsEntry("OpenAI-Organization", "org-1")
                .containsEntry("X-Project", "p")
                .containsEntry("Accept", "application/json");
        assertThat(call.headers().get("Content-Type")).startsWith("application/json");
        assertThat(call.path()).isEqualTo("/v1/chat/completions");
        assertThat(call.key())
                .isEqualTo(home.lines("outbox/a.jsonl").get(0).path("key").asText());
        assertThat(call.text())
                .isEqualTo("{\"model\":\"test\",\"messages\":[{\"role\":\"user\",\"content\":\"one\"}]}");
    }

    @Test
    void an_empty_idempotency_header_is_not_sent_and_another_name_is_used() {
        TestHome home = home("engine.default.idempotency-header=");
        home.drop("a.md", "one");
        assertThat(home.runUntilIdle()).isZero();
        assertThat(stub.calls().get(0).key()).isNull();

        home = home("engine.default.idempotency-header=X-Once");
        home.drop("b.md", "two");
        assertThat(home.runUntilIdle()).isZero();
        assertThat(stub.calls().get(1).headers()).containsKey("X-Once").doesNotContainKey("Idempotency-Key");
    }

    @ParameterizedTest
    @ValueSource(ints = {408, 425, 429, 503, 529})
    void a_busy_endpoint_gets_one_post_for_each_attempt_in_the_journal(int status) {
        TestHome home = home();
        home.drop("a.md", "[[stub: " + status + "; " + status + "]] busy");

        assertThat(home.runUntilIdle()).isZero();

        assertThat(home.events("a.md"))
                .containsSubsequence(
                        "ATTEMPT", "SENT", "REFUSED", "ATTEMPT", "SENT", "REFUSED", "ATTEMPT", "SENT", "COMPLETE")
                .filteredOn("SENT"::equals)
                .hasSize(3);
        assertThat(stub.count()).isEqualTo(3);
        assertThat(stub.counts().keys()).as("the same key on every attempt").isEqualTo(1);
        assertThat(number(home, "SELECT attempts FROM call")).isEqualTo(1);
    }

    @Test
    void a_refusal_that_asks_to_wait_is_obeyed_and_holds_no_thread() {
        TestHome home = home();
        home.drop("later.md", "[[stub: 429 retry-after=1]] later");
        home.drop("hour.md", "[[stub: 503 retry-after=3600]] much later");
        home.drop("now.md", "now");
        Instant start = Instant.now();

        assertThat(home.runUntilIdle()).as("one call is parked").isEqualTo(4);

        assertThat(home.files("outbox")).containsExactly("later.md", "now.md");
        List<JsonNode> sent = home.journal("later.md").stream()
                .filter(event -> event.path("event").asText().equals("SENT"))
                .toList();
        assertThat(Duration.between(ts(sent.get(0)), ts(sent.get(1)))).isGreaterThanOrEqualTo(Duration.ofSeconds(1));
        assertThat(Instant.ofEpochMilli(number(home, "SELECT due FROM call WHERE state = 'READY'")))
                .isAfter(start.plusSeconds(3599));

        long before = stub.count();
        assertThat(home.runUntilIdle()).isEqualTo(4);
        assertThat(stub.count()).as("a restart does not send before its time").isEqualTo(before);
    }

    @ParameterizedTest
    @CsvSource({"hang, TIMEOUT", "delay=60s, TIMEOUT", "trickle=50ms, TIMEOUT"})
    void the_time_of_a_call_is_counted_from_its_first_byte_to_the_last(String trouble, String event) {
        TestHome home = home("engine.default.timeout=300ms");
        home.write("config/jobs/default/job.properties", "attempts=2");
        home.drop("a.md", "[[stub: " + trouble + " always]] slow");

        assertThat(home.runUntilIdle()).isEqualTo(4);

        assertThat(home.events("a.md"))
                .containsSubsequence("ATTEMPT", "SENT", event, "ATTEMPT", "SENT", event, "DEAD_LETTER");
        assertThat(stub.count()).isEqualTo(2);
        assertThat(home.json("outbox/a.md.error.json").at("/error/message").asText())
                .contains("300 ms");
    }

    @Test
    void never_more_calls_are_in_flight_than_the_engine_takes() {
        TestHome home = home("engine.default.concurrency=3");
        var batch = new StringBuilder();
        for (int i = 0; i < 9; i++) {
            batch.append("\"[[stub: delay=60s]] ").append(i).append("\"\n");
        }
        home.drop("x.jsonl", batch.toString());
        CompletableFuture<Integer> run = CompletableFuture.supplyAsync(home::runUntilIdle);
        await().until(() -> stub.count() >= 3);
        await().during(Duration.ofMillis(500)).until(() -> stub.count() == 3);
        stub.release();
        long[] most = {0};

        await().pollInterval(Duration.ofMillis(5)).until(() -> {
            // what was answered meanwhile only makes the difference smaller
            long answered = stub.counts().answered();
            long accepted = stub.counts().accepted();
            if (stub.counts().answered() == answered) {
                most[0] = Math.max(most[0], accepted - answered);
            }
            return run.isDone();
        });

        assertThat(run.join()).isZero();
        assertThat(most[0]).isLessThanOrEqualTo(3);
        assertThat(stub.count()).isEqualTo(9);
    }

    @Test
    void two_engines_are_asked_side_by_side_each_by_its_own_jobs() throws Exception {
        try (Stub other = Stub.start(Stub.Options.defaults().withBodies())) {
            TestHome home = home("engine.other.url=" + other.uri("/v1"), "engine.other.model=large");
            home.write("config/jobs/hard/job.properties", "engines=other");
            home.drop("hard/a.jsonl", "\"one\"\n");
            home.drop("b.jsonl", "\"two\"\n");

            assertThat(home.runUntilIdle()).isZero();

            assertThat(other.calls().get(0).text()).contains("\"large\"", "one");
            assertThat(stub.calls().get(0).text()).contains("\"test\"", "two");
            assertThat(all(home.lines("outbox/hard/a.jsonl"), "/engine")).containsExactly("other");
            assertThat(all(home.lines("outbox/hard/a.jsonl"), "/model")).containsExactly("large");
            assertThat(home.json("outbox/b.jsonl.receipt.json").path("engines").toString())
                    .isEqualTo("[\"default\"]");
        }
    }

    @Test
    void a_reply_that_trickles_beyond_its_time_is_in_doubt_and_what_came_of_it_is_kept() {
        TestHome home = home("engine.default.timeout=300ms", "engine.default.on-doubt=hold");
        home.drop("a.md", "[[stub: trickle=50ms]] slow");

        assertThat(home.runUntilIdle()).isEqualTo(4);

        assertThat(home.events("a.md")).endsWith("ATTEMPT", "SENT", "TIMEOUT");
        assertThat(home.status().at("/calls/doubt").asInt()).isEqualTo(1);
        assertThat(number(home, "SELECT count(*) FROM reply WHERE status = 200 AND length(body) > 0"))
                .isEqualTo(1);
        assertThat(stub.count()).as("a person has not decided").isEqualTo(1);
    }

    @Test
    void a_send_whose_claim_is_stale_is_skipped() {
        TestHome home = home();
        copyRoutes(home);
        String dispatch = home.read("routes/3-dispatch.camel.yaml");
        home.write(
                "routes/3-dispatch.camel.yaml",
                dispatch.replace(
                        "        - idempotentConsumer:",
                        "        - bean:\n            beanType: " + Rival.class.getName()
                                + "\n            method: takeOver\n        - idempotentConsumer:"));
        assertThat(home.read("routes/3-dispatch.camel.yaml")).contains("takeOver");
        Rival.ledger = "jdbc:sqlite:" + home.path("data/ledger.db");
        home.drop("a.md", "sent by nobody");

        assertThat(home.runUntilIdle()).as("the rival left it in doubt").isEqualTo(4);

        assertThat(home.events("a.md")).contains("ATTEMPT").doesNotContain("SENT");
        assertThat(stub.count()).isZero();
    }

    /** Another process that takes a call over between its claim and its send, as after a long pause. */
    public static final class Rival {
        static volatile String ledger = "";

        private Rival() {}

        public static void takeOver() throws SQLException {
            try (var connection = DriverManager.getConnection(ledger);
                    var statement = connection.createStatement()) {
                statement.execute("PRAGMA busy_timeout = 5000");
                statement.execute("UPDATE call SET fence = fence + 1, state = 'DOUBT'");
            }
        }
    }

    private static Instant ts(JsonNode event) {
        return Instant.parse(event.path("ts").asText());
    }
}
