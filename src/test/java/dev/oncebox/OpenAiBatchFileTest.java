package dev.oncebox;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A file in OpenAI's batch format is taken as it is, and answered in that format. */
class OpenAiBatchFileTest extends StubbedHome {

    private static String line(String customId, String members, String text) {
        return "{\"custom_id\":\"" + customId + "\",\"method\":\"POST\",\"url\":\"/v1/chat/completions\",\"body\":{"
                + members + "\"messages\":[{\"role\":\"user\",\"content\":\"" + text + "\"}]}}\n";
    }

    @Test
    void a_body_is_sent_as_it_is_with_the_model_of_the_job_where_it_has_none() {
        TestHome home = home();
        home.write("config/jobs/default/system.md", "never sent");
        home.write("config/jobs/default/job.properties", "temperature=0.5");
        home.drop(
                "a.jsonl",
                line("one", "\"model\":\"m-1\",\"x-new\":{\"deep\":[1.50,12345678901234567890]},", "hello")
                        + line("two", "", "world"));

        assertThat(home.runUntilIdle()).isZero();

        List<JsonNode> bodies = asked();
        assertThat(bodies)
                .containsExactlyInAnyOrder(
                        tree("{\"model\":\"m-1\",\"x-new\":{\"deep\":[1.50,12345678901234567890]},"
                                + "\"messages\":[{\"role\":\"user\",\"content\":\"hello\"}]}"),
                        tree("{\"messages\":[{\"role\":\"user\",\"content\":\"world\"}],\"model\":\"test\"}"));
        List<JsonNode> lines = home.lines("outbox/a.jsonl");
        assertThat(all(lines, "/custom_id")).containsExactly("one", "two");
        assertThat(all(lines, "/response/status_code")).containsExactly("200", "200");
        assertThat(all(lines, "/response/body/object")).containsOnly("chat.completion");
        assertThat(all(lines, "/response/body/id")).allMatch(id -> id.startsWith("chatcmpl-stub-"));
        assertThat(lines).allSatisfy(each -> {
            assertThat(each.path("id").asText()).startsWith("batch_req_");
            assertThat(each.path("error").isNull()).isTrue();
            assertThat(each.fieldNames()).toIterable().containsExactly("id", "custom_id", "response", "error");
            assertThat(each.path("response").fieldNames())
                    .toIterable()
                    .containsExactly("status_code", "request_id", "body");
        });
        assertThat(home.exists("outbox/a.errors.jsonl")).isFalse();
    }

    @Test
    void an_answer_that_is_known_brings_its_raw_reply_again_and_costs_nothing() {
        TestHome home = home();
        home.drop("a.jsonl", line("one", "", "hello"));
        home.runUntilIdle();
        home.drop("b.jsonl", line("other", "", "hello  ") + line("third", "", "hello\\n"));
        home.runUntilIdle();

        assertThat(stub.count()).isEqualTo(1);
        JsonNode first = home.lines("outbox/a.jsonl").get(0).at("/response/body");
        assertThat(home.lines("outbox/b.jsonl")).hasSize(2).allMatch(line -> line.at("/response/body")
                .equals(first));
    }

    @Test
    void what_openai_would_refuse_has_openais_code_and_its_line_and_the_rest_goes_on() {
        TestHome home = home();
        String good = line("good", "", "hello");
        home.drop(
                "a.jsonl",
                good + "{\"custom_id\":\n"
                        + line("good", "", "again")
                        + good.replace("good", "elsewhere").replace("chat/completions", "embeddings")
                        + good.replace("good", "get").replace("POST", "GET")
                        + "{\"custom_id\":\"bare\",\"method\":\"POST\",\"url\":\"/v1/chat/completions\"}\n"
                        + line("streamed", "\"stream\":true,", "hello")
                        + "{\"text\":\"of the other format\"}\n"
                        + "\n\"a string\"\n"
                        + good.replace("\"good\"", "7"));

        home.runUntilIdle();

        assertThat(stub.count()).isEqualTo(1);
        assertThat(all(home.lines("outbox/a.jsonl"), "/custom_id")).containsExactly("good");
        List<JsonNode> errors = home.lines("outbox/a.errors.jsonl");
        assertThat(errors)
                .extracting(error -> error.at("/error/line").asText() + " "
                        + error.path("custom_id").asText() + " "
                        + error.at("/error/code").asText())
                .containsExactly(
                        "2 null invalid_json_line",
                        "3 good duplicate_custom_id",
                        "4 elsewhere url_mismatch",
                        "5 get invalid_method",
                        "6 bare missing_required_parameter",
                        "7 streamed unsupported_value",
                        "8 null missing_required_parameter",
                        "10 null invalid_json_line",
                        "11 null invalid_type");
        assertThat(all(errors, "/response")).containsOnly("null");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a.txt", "a.json", "a.md", "a.ndjson"})
    void the_content_tells_the_format_under_another_name(String name) {
        TestHome home = home();
        home.drop(name, line("one", "", "hello") + line("two", "", "world"));

        home.runUntilIdle();

        assertThat(all(home.lines("outbox/" + name), "/custom_id")).containsExactly("one", "two");
    }

    @Test
    void a_broken_first_line_does_not_hide_the_format() {
        TestHome home = home();
        home.drop("a.jsonl", "{\"custom_id\":\n" + line("two", "", "world"));

        home.runUntilIdle();

        assertThat(all(home.lines("outbox/a.jsonl"), "/custom_id")).containsExactly("two");
        assertThat(all(home.lines("outbox/a.errors.jsonl"), "/error/code")).containsExactly("invalid_json_line");
    }

    @Test
    void a_refused_request_has_the_refusal_as_its_response() {
        TestHome home = home();
        home.drop("a.jsonl", line("one", "", "[[stub: 400]] no"));

        home.runUntilIdle();

        JsonNode error = home.lines("outbox/a.errors.jsonl").get(0);
        assertThat(error.at("/response/status_code").asInt()).isEqualTo(400);
        assertThat(error.at("/response/body/error").isObject()).isTrue();
        assertThat(error.path("error").isNull()).isTrue();
    }

    @Test
    void another_endpoint_of_the_engine_is_asked_at_its_own_address() {
        TestHome home = home();
        home.drop(
                "a.jsonl",
                "{\"custom_id\":\"r\",\"method\":\"POST\",\"url\":\"/v1/responses\","
                        + "\"body\":{\"input\":\"hello\",\"instructions\":\"be short\"}}\n");

        assertThat(home.runUntilIdle()).isZero();

        assertThat(stub.calls()).extracting(call -> call.path()).containsExactly("/v1/responses");
        assertThat(asked())
                .containsExactly(tree("{\"input\":\"hello\",\"instructions\":\"be short\",\"model\":\"test\"}"));
        assertThat(home.lines("outbox/a.jsonl")
                        .get(0)
                        .at("/response/body/object")
                        .asText())
                .isEqualTo("response");
    }

    @Test
    void an_engine_of_another_kind_is_asked_a_chat_in_its_own_terms_and_nothing_else() {
        TestHome home = home("engine.default.protocol=anthropic");
        home.drop("a.jsonl", line("one", "\"max_completion_tokens\":9,", "hello"));
        home.drop(
                "b.jsonl",
                "{\"custom_id\":\"e\",\"method\":\"POST\",\"url\":\"/v1/embeddings\",\"body\":{\"input\":\"x\"}}\n");

        home.runUntilIdle();

        assertThat(stub.count()).isEqualTo(1);
        assertThat(asked().get(0).path("max_tokens").asInt()).isEqualTo(9);
        JsonNode line = home.lines("outbox/a.jsonl").get(0);
        assertThat(line.at("/response/body/object").asText()).isEqualTo("chat.completion");
        assertThat(line.at("/response/body/choices/0/message/content").asText()).isNotEmpty();
        JsonNode error = home.lines("outbox/b.errors.jsonl").get(0);
        assertThat(error.at("/error/code").asText()).isEqualTo("url_mismatch");
    }

    private static String[] batches(String vendor) {
        return new String[] {
            "engine.default.protocol=" + vendor + "-batch",
            "engine.default.poll=50ms",
            "engine.default.lost-after=10s",
            "engine.default.batch.wait=300ms"
        };
    }

    private static String response(String customId, String text) {
        return "{\"custom_id\":\"" + customId
                + "\",\"method\":\"POST\",\"url\":\"/v1/responses\",\"body\":{\"input\":\"" + text + "\"}}\n";
    }

    @Test
    void a_batch_engine_is_given_a_batch_for_each_url_with_the_bodies_as_they_are() {
        TestHome home = home(batches("openai"));
        home.drop("a.jsonl", line("one", "\"seed\":5,", "hello") + line("two", "", "world"));
        home.drop("b.jsonl", response("r1", "foo") + response("r2", "bar"));

        assertThat(home.runUntilIdle()).isZero();

        assertThat(all(home.lines("outbox/a.jsonl"), "/custom_id")).containsExactly("one", "two");
        assertThat(all(home.lines("outbox/a.jsonl"), "/response/body/object")).containsOnly("chat.completion");
        assertThat(all(home.lines("outbox/b.jsonl"), "/custom_id")).containsExactly("r1", "r2");
        assertThat(all(home.lines("outbox/b.jsonl"), "/response/body/object")).containsOnly("response");
    }

    @Test
    void what_does_not_fit_a_batch_engine_does_not_hold_back_what_does() {
        TestHome home = home(batches("anthropic"));
        home.drop("a.jsonl", response("r1", "foo") + response("r2", "bar"));
        home.drop("b.jsonl", line("one", "", "hello"));
        home.drop("c.md", "plain");

        home.runUntilIdle();

        assertThat(all(home.lines("outbox/a.errors.jsonl"), "/error/code")).containsOnly("url_mismatch");
        assertThat(all(home.lines("outbox/b.jsonl"), "/response/body/object")).containsExactly("chat.completion");
        assertThat(home.exists("outbox/c.md")).isTrue();
        assertThat(stub.submissions()).hasSize(2);
    }
}
