package dev.oncebox.stub;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** OpenAI's responses, at once and in the background. */
@Timeout(30)
class StubResponsesTest {

    private static final String PATH = "/v1/responses";

    private Stub stub;
    private StubHttp http;

    @BeforeEach
    void start() throws IOException {
        stub = Stub.start(Stub.Options.defaults());
        http = StubHttp.of(stub);
    }

    @AfterEach
    void stop() {
        stub.close();
    }

    @Test
    void a_response_is_there_at_once() throws Exception {
        ObjectNode request = StubHttp.object().put("model", "tiny");
        request.putArray("input").addObject().put("role", "user").put("content", "A letter");

        JsonNode reply = StubHttp.json(http.post(PATH, request));

        assertThat(reply.path("id").asText()).startsWith("resp_");
        assertThat(reply.path("object").asText()).isEqualTo("response");
        assertThat(reply.path("status").asText()).isEqualTo("completed");
        assertThat(reply.path("model").asText()).isEqualTo("tiny");
        assertThat(reply.at("/output/0/type").asText()).isEqualTo("message");
        assertThat(reply.at("/output/0/role").asText()).isEqualTo("assistant");
        assertThat(text(reply)).isEqualTo("[call 1] A letter");
        assertThat(reply.at("/output/0/content/0/annotations").isArray()).isTrue();
        assertThat(reply.at("/usage/total_tokens").asInt()).isEqualTo(2 + 4);
        assertThat(http.getJson(PATH + "/" + reply.path("id").asText())).isEqualTo(reply);
        assertThat(stub.submissions()).isEmpty();
    }

    @Test
    void in_the_background_it_is_asked_for() throws Exception {
        JsonNode queued = background("[[stub: polls=2]] A letter");
        String path = PATH + "/" + queued.path("id").asText();

        assertThat(queued.path("status").asText()).isEqualTo("queued");
        assertThat(queued.path("output")).isEmpty();
        assertThat(queued.path("usage").isNull()).isTrue();
        assertThat(http.getJson(path).path("status").asText()).isEqualTo("queued");
        assertThat(http.getJson(path).path("status").asText()).isEqualTo("in_progress");
        JsonNode done = http.getJson(path);
        assertThat(done.path("status").asText()).isEqualTo("completed");
        assertThat(done.path("id")).isEqualTo(queued.path("id"));
        assertThat(text(done)).isEqualTo("[call 1] A letter");
        assertThat(stub.counts().submissions()).containsEntry("responses", 1L);
        assertThat(stub.counts().faces())
                .containsEntry("POST /v1/responses", 1L)
                .containsEntry("GET /v1/responses/{id}", 3L);
    }

    @ParameterizedTest
    @CsvSource({
        "failed, failed, /error/code, server_error",
        "finish=length, incomplete, /incomplete_details/reason, max_output_tokens",
        "finish=content_filter, incomplete, /incomplete_details/reason, content_filter",
        "refusal, completed, /output/0/content/0/type, refusal"
    })
    void it_may_end_badly(String word, String status, String where, String what) throws Exception {
        JsonNode queued = background("[[stub: " + word + "]] A letter");

        JsonNode done = http.getJson(PATH + "/" + queued.path("id").asText());

        assertThat(done.path("status").asText()).isEqualTo(status);
        assertThat(done.at(where).asText()).isEqualTo(what);
    }

    @Test
    void it_is_cancelled_as_long_as_it_is_not_finished() throws Exception {
        String running = background("[[stub: polls=9]] a").path("id").asText();
        String done = background("b").path("id").asText();
        http.get(PATH + "/" + done);

        assertThat(cancel(running).path("status").asText()).isEqualTo("cancelled");
        assertThat(http.getJson(PATH + "/" + running).path("status").asText()).isEqualTo("cancelled");
        assertThat(cancel(done).path("status").asText()).isEqualTo("completed");
        assertThat(http.get(PATH + "/resp_none").statusCode()).isEqualTo(404);
        assertThat(stub.count()).isEqualTo(2);
    }

    @Test
    void the_same_trouble_as_with_a_job() throws Exception {
        String id = background("[[stub: poll=503,404 lag=3]] a").path("id").asText();

        assertThat(http.get(PATH + "/" + id).statusCode()).isEqualTo(503);
        assertThat(http.get(PATH + "/" + id).statusCode()).isEqualTo(404);
        assertThat(http.getJson(PATH + "/" + id).at("/error/message").asText()).contains(id);
        assertThat(http.get(PATH + "/" + id).statusCode()).isEqualTo(200);
        assertThat(background("[[stub: inline]] b").path("status").asText()).isEqualTo("completed");
        assertThat(background("[[stub: 429]] c").at("/error/code").asText()).isEqualTo("rate_limit_exceeded");
        assertThat(stub.counts().submitted()).isEqualTo(2);
    }

    @Test
    void what_the_vendor_would_refuse_is_refused() throws Exception {
        assertThat(http.post(PATH, StubHttp.object()).statusCode()).isEqualTo(400);
        assertThat(http.post(PATH, StubHttp.object().put("input", "a").put("stream", true))
                        .statusCode())
                .isEqualTo(400);
    }

    private JsonNode background(String input) throws Exception {
        return StubHttp.json(http.post(
                PATH, StubHttp.object().put("model", "tiny").put("input", input).put("background", true)));
    }

    private JsonNode cancel(String id) throws Exception {
        return StubHttp.json(http.post(PATH + "/" + id + "/cancel", StubHttp.object()));
    }

    private static String text(JsonNode response) {
        return response.at("/output/0/content/0/text").asText();
    }
}
