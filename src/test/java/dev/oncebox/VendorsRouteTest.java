package dev.oncebox;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpServer;
import dev.oncebox.stub.Call;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The vendors' own protocols through the whole runtime, over HTTP. */
class VendorsRouteTest extends StubbedHome {

    private static final String SCHEMA =
            "{\"type\":\"object\",\"required\":[\"call\"],\"properties\":{" + "\"call\":{\"type\":\"integer\"}}}";

    private TestHome anthropic(String... more) {
        return vendor("anthropic", more);
    }

    private TestHome vendor(String protocol, String... more) {
        var properties = new ArrayList<>(List.of(
                "engine.default.protocol=" + protocol,
                "engine.default.url=" + stub.uri(),
                "engine.default.price.input=1000000",
                "engine.default.price.output=1000000"));
        properties.addAll(List.of(more));
        return home(properties.toArray(String[]::new));
    }

    @Test
    void anthropic_is_asked_in_its_words_and_its_answers_are_delivered() {
        TestHome home = anthropic("engine.default.api-key=secret-0123456789");
        home.write("config/jobs/rate/answer.schema.json", SCHEMA);
        home.write("config/jobs/rate/system.md", "Be brief.");
        home.write("config/jobs/rate/job.properties", "max-tokens=99\n");
        home.drop("rate/a.jsonl", """
                {"id":1,"text":"one"}
                {"id":2,"messages":[{"role":"system","content":"Be long."},{"role":"user","content":"two"}]}
                """);

        assertThat(home.runUntilIdle()).isZero();

        List<JsonNode> lines = home.lines("outbox/rate/a.jsonl");
        assertThat(all(lines, "/id")).containsExactly("1", "2");
        assertThat(lines).allSatisfy(line -> {
            assertThat(line.at("/answer/call").isInt()).isTrue();
            assertThat(line.at("/usage/input_tokens").isInt()).isTrue();
            assertThat(line.path("model").asText()).isEqualTo("test");
        });
        assertThat(home.json("outbox/rate/a.jsonl.receipt.json").path("cost").asInt())
                .isEqualTo(3 + 3 + 1 + 1);
        assertThat(stub.calls()).allSatisfy(call -> {
            assertThat(call.path()).isEqualTo("/v1/messages");
            assertThat(call.headers())
                    .containsEntry("x-api-key", "secret-0123456789")
                    .containsEntry("anthropic-version", "2023-06-01")
                    .containsKey("Idempotency-Key")
                    .doesNotContainKey("Authorization");
        });
        String rest = ",\"output_config\":{\"format\":{\"type\":\"json_schema\",\"schema\":" + SCHEMA + "}}}";
        assertThat(stub.calls())
                .extracting(Call::text)
                .containsExactlyInAnyOrder(
                        "{\"model\":\"test\",\"max_tokens\":99,\"system\":\"Be brief.\","
                                + "\"messages\":[{\"role\":\"user\",\"content\":\"one\"}]" + rest,
                        "{\"model\":\"test\",\"max_tokens\":99,\"system\":\"Be long.\","
                                + "\"messages\":[{\"role\":\"user\",\"content\":\"two\"}]" + rest);
    }

    @Test
    void a_version_of_ones_own_wins_in_any_spelling() {
        TestHome home = anthropic("engine.default.header.Anthropic-Version=2030-01-01");
        home.drop("a.md", "one");

        assertThat(home.runUntilIdle()).isZero();

        assertThat(home.read("outbox/a.md")).isEqualTo("[call 1] one");
        assertThat(stub.calls().get(0).headers())
                .containsEntry("anthropic-version", "2030-01-01")
                .doesNotContainKey("x-api-key");
    }

    @Test
    void ollama_is_asked_in_its_words_and_its_answers_are_delivered() {
        TestHome home = vendor("ollama");
        home.write("config/jobs/rate/answer.schema.json", SCHEMA);
        home.write("config/jobs/rate/system.md", "Be brief.");
        home.write("config/jobs/rate/job.properties", "max-tokens=99\nparam.keep_alive=5m\nparam.top_k=3\n");
        home.drop("rate/a.md", "one");

        assertThat(home.runUntilIdle()).isZero();

        assertThat(home.json("outbox/rate/a.md.json").toString()).isEqualTo("{\"call\":1}");
        var call = stub.calls().get(0);
        assertThat(call.path()).isEqualTo("/api/chat");
        assertThat(call.headers()).doesNotContainKey("Authorization").doesNotContainKey("x-api-key");
        assertThat(call.text())
                .isEqualTo("{\"model\":\"test\",\"messages\":[{\"role\":\"system\",\"content\":\"Be brief.\"},"
                        + "{\"role\":\"user\",\"content\":\"one\"}],\"stream\":false,\"keep_alive\":\"5m\","
                        + "\"format\":" + SCHEMA + ",\"options\":{\"num_predict\":99,\"top_k\":3}}");
        assertThat(home.status().path("cost").asInt()).isEqualTo(3 + 1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"anthropic", "ollama"})
    void trouble_is_judged_as_with_any_other_engine(String protocol) {
        TestHome home = vendor(protocol);
        home.drop("busy.md", "[[stub: 429; 529; error200]] busy");
        home.drop("cut.md", "[[stub: cut; nochoices]] cut");
        home.drop("long.md", "[[stub: finish=length]] too long");
        home.drop("none.md", "[[stub: refusal]] no");
        home.drop("misfit.md", "[[stub: 404]] who?");

        assertThat(home.runUntilIdle()).isEqualTo(4);

        assertThat(home.read("outbox/busy.md")).endsWith("busy");
        assertThat(home.events("busy.md")).filteredOn("REFUSED"::equals).hasSize(3);
        assertThat(home.read("outbox/cut.md")).endsWith("cut");
        assertThat(home.events("cut.md")).filteredOn("INCOMPLETE"::equals).hasSize(2);
        assertThat(home.json("outbox/long.md.error.json").toString()).contains("cut_off");
        assertThat(home.exists("outbox/none.md.error.json")).isTrue();
        assertThat(home.events("misfit.md")).endsWith("SENT", "REFUSED", "DEAD_LETTER", "DELIVERED");
        assertThat(stub.counts().chat()).isEqualTo(4 + 3 + 1 + 1 + 1);
    }

    @Test
    void a_paused_turn_is_paid_and_not_delivered() {
        TestHome home = anthropic();
        home.drop("a.md", "[[stub: finish=pause_turn]] search");

        assertThat(home.runUntilIdle()).isEqualTo(4);

        assertThat(home.json("outbox/a.md.error.json").toString()).contains("paused");
        assertThat(home.exists("outbox/a.md")).isFalse();
        assertThat(stub.count()).isEqualTo(1);
    }

    @Test
    void a_status_declared_unpaid_is_no_doubt() {
        TestHome home = home("engine.default.on-doubt=hold", "engine.default.unpaid-statuses=502,520-527");
        home.drop("a.md", "[[stub: 502; 521; 524; 502]] gateway");
        home.drop("b.md", "[[stub: 504]] other");

        assertThat(home.runUntilIdle()).isEqualTo(4);

        assertThat(home.read("outbox/a.md")).endsWith("gateway");
        assertThat(home.events("a.md")).filteredOn("REFUSED"::equals).hasSize(4);
        assertThat(home.events("b.md")).endsWith("SENT", "IN_DOUBT");
        assertThat(number(home, "SELECT sum(attempts) FROM call")).isEqualTo(2);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "openai | {'choices':[{'message':{'content':'fine'}}]} | 'usage':%s | 'prompt_tokens':%1$s,'completion_tokens':%1$s",
                "anthropic | {'content':[{'type':'text','text':'fine'}]} | 'usage':%s | 'input_tokens':%1$s,'cache_read_input_tokens':%1$s,'output_tokens':%1$s",
                "ollama | {'message':{'content':'fine'},'done':true} | 'x':%s | 'prompt_eval_count':%1$s,'eval_count':%1$s"
            })
    void odd_usage_leaves_the_answer_and_makes_the_cost_unknown(
            String protocol, String reply, String usage, String counts) throws IOException {
        List<String> odd = List.of(
                "null", "\"3\"", "[1]", "{}", "1.5", "-1", "1e400", "-1e400", "9223372036854775807", "1e-400", "true");
        List<String> bodies = new ArrayList<>(List.of(reply));
        for (String value : odd) {
            String start = reply.substring(0, reply.length() - 1) + ",";
            String tokens = counts.formatted(value);
            bodies.add(start + usage.formatted(value) + "}");
            bodies.add(start + (protocol.equals("ollama") ? tokens : usage.formatted("{" + tokens + "}")) + "}");
        }
        HttpServer server = serve(bodies);
        try {
            TestHome home = vendor(
                    protocol,
                    "engine.default.url=http://127.0.0.1:" + server.getAddress().getPort());
            var lines = new StringBuilder();
            for (int i = 0; i < bodies.size(); i++) {
                lines.append("\"ask ").append(i).append("\"\n");
            }
            home.drop("a.jsonl", lines.toString());

            assertThat(home.runUntilIdle()).isZero();

            List<JsonNode> answers = home.lines("outbox/a.jsonl");
            assertThat(answers)
                    .hasSameSizeAs(bodies)
                    .allSatisfy(line -> assertThat(line.path("answer").asText()).isEqualTo("fine"));
            JsonNode receipt = home.json("outbox/a.jsonl.receipt.json");
            assertThat(receipt.path("cost").isNull()).as(receipt.toString()).isTrue();
            assertThat(home.status().path("cost").isNull()).isTrue();
            assertThat(home.status().at("/calls/done").asInt()).isEqualTo(bodies.size());
        } finally {
            server.stop(0);
        }
    }

    /** Answers each request with the next of these bodies. */
    private static HttpServer serve(List<String> bodies) throws IOException {
        var next = new AtomicInteger();
        HttpServer server =
                HttpServer.create(new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), 0), 0);
        server.createContext("/", exchange -> {
            exchange.getRequestBody().readAllBytes();
            byte[] body = bodies.get(next.getAndIncrement() % bodies.size())
                    .replace('\'', '"')
                    .getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
        return server;
    }
}
