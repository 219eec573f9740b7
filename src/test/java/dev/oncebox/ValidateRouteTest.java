package dev.oncebox;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Message Filter: an answer that the job does not accept was paid, so it is kept and its call is dead at once. */
class ValidateRouteTest extends StubbedHome {

    private static final String SCHEMA = """
            {"type": "object", "required": ["tags"], "additionalProperties": false,
             "properties": {"tags": {"type": "array", "items": {"type": "string", "maxLength": 3}}}}
            """;

    @Test
    void what_the_job_does_not_accept_is_dead_with_its_reason_and_is_not_bought_again() {
        TestHome home = home();
        home.drop("x.jsonl", """
                "[[stub: finish=length always]] a long story"
                "[[stub: empty always]] nothing"
                "[[stub: refusal always]] no"
                "[[stub: finish=content_filter always]] withheld"
                "good"
                """);

        assertThat(home.runUntilIdle()).isEqualTo(4);

        List<JsonNode> errors = home.lines("outbox/x.errors.jsonl");
        assertThat(all(errors, "/error/code"))
                .containsExactly("cut_off", "empty_answer", "refused_by_model", "refused_by_model");
        assertThat(errors.get(0).at("/error/message").asText()).contains("max-tokens", "on-length=accept");
        assertThat(errors.get(1).at("/error/message").asText()).contains("empty-answer=accept");
        assertThat(all(home.lines("outbox/x.jsonl"), "/id")).containsExactly("5");
        assertThat(home.events(errors.get(0).path("key").asText()))
                .containsSubsequence("ATTEMPT", "SENT", "INCOMPLETE", "DEAD_LETTER", "DELIVERED");
        assertThat(number(home, "SELECT count(*) FROM reply"))
                .as("paid bytes are kept")
                .isEqualTo(5);
        JsonNode receipt = home.json("outbox/x.jsonl.receipt.json");
        assertThat(receipt.path("failed").asInt()).isEqualTo(4);
        assertThat(receipt.at("/calls/new").asInt()).isEqualTo(5);

        home.drop("x.jsonl", home.read("archive/x.jsonl"));
        assertThat(home.runUntilIdle()).isEqualTo(4);
        assertThat(stub.count())
                .as("dropping it again buys nothing that was paid")
                .isEqualTo(5);
    }

    @Test
    void a_job_may_accept_cut_off_and_empty_answers() {
        TestHome home = home();
        home.write("config/jobs/default/job.properties", "on-length=accept\nempty-answer=accept\n");
        home.drop("cut.md", "[[stub: finish=length]] a long story about many things");
        home.drop("empty.md", "[[stub: empty]]");

        assertThat(home.runUntilIdle()).isZero();

        assertThat(home.read("outbox/cut.md")).startsWith("[call ").doesNotContain("things");
        assertThat(home.read("outbox/empty.md")).isEmpty();
        assertThat(stub.count()).isEqualTo(2);
    }

    @Test
    void a_job_that_wants_json_gets_json_or_a_reason_that_names_the_habit_of_code_fences() {
        TestHome home = home();
        home.write("config/jobs/tags/job.properties", "answer=json");
        home.drop("tags/fence.md", "[[stub: echo always]]\n```json\n{\"a\": 1}\n```");
        home.drop("tags/prose.md", "just words");
        home.drop("tags/good.md", "{\"note\": \"[[stub: echo]]\", \"n\": 1.10}");

        assertThat(home.runUntilIdle()).isEqualTo(4);

        assertThat(home.files("outbox/tags"))
                .containsExactly("fence.md.error.json", "good.md.json", "prose.md.error.json");
        assertThat(home.read("outbox/tags/good.md.json")).contains("1.10");
        assertThat(home.json("outbox/tags/prose.md.error.json")
                        .at("/error/code")
                        .asText())
                .isEqualTo("not_json");
    }

    @Test
    void a_fence_around_json_is_named_and_not_repaired() throws IOException {
        HttpServer server =
                HttpServer.create(new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), 0), 0);
        server.createContext("/", exchange -> {
            try (exchange) {
                exchange.getRequestBody().readAllBytes();
                byte[] body = "{\"summary\": \"```json\\n{\\\"a\\\": 1}\\n```\"}".getBytes();
                exchange.sendResponseHeaders(200, body.length);
                exchange.getResponseBody().write(body);
            }
        });
        server.start();
        try {
            TestHome home = home(
                    "engine.default.protocol=json",
                    "engine.default.answer=/summary",
                    "engine.default.url=http://127.0.0.1:" + server.getAddress().getPort() + "/");
            home.write("config/jobs/tags/job.properties", "answer=json");
            home.drop("tags/fence.md", "fence it");

            assertThat(home.runUntilIdle()).isEqualTo(4);

            JsonNode error = home.json("outbox/tags/fence.md.error.json");
            assertThat(error.at("/error/code").asText()).isEqualTo("not_json");
            assertThat(error.at("/error/message").asText()).containsIgnoringCase("fence");
        } finally {
            server.stop(0);
        }
    }

    @Test
    void a_schema_is_sent_and_an_answer_that_breaks_it_fails_with_the_path() {
        TestHome home = home();
        home.write("config/jobs/tags/answer.schema.json", SCHEMA);
        home.drop("tags/good.md", "ab");
        home.drop("tags/bad.md", "{\"tags\": [\"abc\", \"[[stub: echo always]] long\"]}");
        home.drop("tags/none.md", "{\"note\": \"[[stub: echo always]]\"}");

        assertThat(home.runUntilIdle()).isEqualTo(4);

        assertThat(home.json("outbox/tags/good.md.json").toString()).isEqualTo("{\"tags\":[\"ab\"]}");
        JsonNode bad = home.json("outbox/tags/bad.md.error.json").path("error");
        assertThat(bad.path("code").asText()).isEqualTo("schema_mismatch");
        assertThat(bad.path("message").asText()).contains("/tags/1");
        assertThat(home.json("outbox/tags/none.md.error.json")
                        .at("/error/message")
                        .asText())
                .contains("tags");
        assertThat(asked()).allSatisfy(body -> assertThat(body.at("/response_format/json_schema/schema"))
                .isEqualTo(tree(SCHEMA)));
        assertThat(stub.count())
                .as("an invalid answer is asked again within the attempts")
                .isEqualTo(1 + 3 + 3);
        assertThat(home.status().path("sent").asInt()).isEqualTo(7);
    }

    @Test
    void replies_that_are_no_answer_are_asked_again_within_the_attempts_and_kept() {
        TestHome home = home();
        home.drop("x.jsonl", """
                "[[stub: html]] one"
                "[[stub: notjson]] two"
                "[[stub: nobody]] three"
                "[[stub: nochoices]] four"
                "[[stub: cut]] five"
                "[[stub: reset-mid]] six"
                "[[stub: html always]] seven"
                """);

        assertThat(home.runUntilIdle()).isEqualTo(4);

        assertThat(all(home.lines("outbox/x.jsonl"), "/id")).containsExactly("1", "2", "3", "4", "5", "6");
        assertThat(all(home.lines("outbox/x.jsonl"), "/charged")).containsOnly("unknown");
        JsonNode error = home.lines("outbox/x.errors.jsonl").get(0);
        assertThat(error.at("/error/code").asText()).isEqualTo("not_json_reply");
        assertThat(home.events(error.path("key").asText()))
                .filteredOn("INCOMPLETE"::equals)
                .hasSize(3);
        assertThat(stub.count()).isEqualTo(6 * 2 + 3);
        assertThat(number(home, "SELECT count(*) FROM reply")).isEqualTo(6 * 2 + 3);
        assertThat(home.json("outbox/x.jsonl.receipt.json").at("/calls/inDoubt").asInt())
                .isEqualTo(7);
    }
}
