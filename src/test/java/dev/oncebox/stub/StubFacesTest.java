package dev.oncebox.stub;

import static dev.oncebox.stub.StubHttp.assertCounts;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The stub as Anthropic and as Ollama. */
@Timeout(30)
class StubFacesTest {

    private static final String MESSAGES = "/v1/messages";
    private static final String OLLAMA = "/api/chat";
    private static final ObjectMapper JSON = new ObjectMapper();

    private final HttpClient client = HttpClient.newHttpClient();
    private Stub stub;

    @BeforeEach
    void start() throws IOException {
        stub = Stub.start(Stub.Options.defaults());
    }

    @AfterEach
    void stop() {
        stub.close();
    }

    @Test
    void anthropics_face_answers_in_blocks() throws Exception {
        ObjectNode request = request("A letter").put("system", "Be brief");

        JsonNode reply = json(post(MESSAGES, request));

        assertThat(reply.path("type").asText()).isEqualTo("message");
        assertThat(reply.path("model").asText()).isEqualTo("tiny");
        assertThat(reply.at("/content/0").toString()).isEqualTo("{\"type\":\"text\",\"text\":\"[call 1] A letter\"}");
        assertThat(reply.path("stop_reason").asText()).isEqualTo("end_turn");
        assertThat(reply.at("/usage/input_tokens").asInt()).isEqualTo(4);
        assertThat(reply.at("/usage/output_tokens").asInt()).isEqualTo(4);
    }

    @Test
    void ollamas_face_answers_in_one_piece() throws Exception {
        JsonNode reply = json(post(OLLAMA, request("A letter")));

        assertThat(reply.path("model").asText()).isEqualTo("tiny");
        assertThat(reply.at("/message/content").asText()).isEqualTo("[call 1] A letter");
        assertThat(reply.path("done").asBoolean()).isTrue();
        assertThat(reply.path("done_reason").asText()).isEqualTo("stop");
        assertThat(reply.path("prompt_eval_count").asInt()).isEqualTo(2);
        assertThat(reply.path("eval_count").asInt()).isEqualTo(4);
    }

    @Test
    void a_schema_gets_an_answer_that_fits() throws Exception {
        JsonNode schema = JSON.readTree("{\"type\":\"object\",\"properties\":{\"call\":{\"type\":\"integer\"}}}");
        ObjectNode messages = request("Rate");
        messages.putObject("output_config")
                .putObject("format")
                .put("type", "json_schema")
                .set("schema", schema);
        ObjectNode ollama = request("Rate");
        ollama.set("format", schema);

        assertThat(json(post(MESSAGES, messages)).at("/content/0/text").asText())
                .isEqualTo("{\"call\":1}");
        assertThat(json(post(OLLAMA, ollama)).at("/message/content").asText()).isEqualTo("{\"call\":2}");
        assertThat(json(post(OLLAMA, request("Rate").put("format", "json")))
                        .at("/message/content")
                        .asText())
                .isEqualTo("{\"call\":3,\"summary\":\"Rate\"}");
    }

    @ParameterizedTest
    @CsvSource({
        "429, 429, rate_limit_error",
        "529, 529, overloaded_error",
        "400 billing_error, 400, billing_error",
        "500, 500, api_error",
        "error200, 200, api_error",
        "explode, 400, invalid_request_error"
    })
    void errors_have_the_vendors_shape(String step, int status, String type) throws Exception {
        HttpResponse<String> messages = post(MESSAGES, request("[[stub: " + step + "]]"));
        HttpResponse<String> ollama = post(OLLAMA, request("[[stub: " + step + " always]]"));

        assertThat(messages.statusCode()).isEqualTo(status);
        assertThat(json(messages).path("type").asText()).isEqualTo("error");
        assertThat(json(messages).at("/error/type").asText()).isEqualTo(type);
        assertThat(json(messages).at("/error/message").asText()).isNotEmpty();
        assertThat(ollama.statusCode()).isEqualTo(status);
        assertThat(json(ollama).path("error").isTextual()).isTrue();
        assertCounts(stub, 2, 2, 0, 2, 0);
    }

    @ParameterizedTest
    @CsvSource({
        "finish=length, max_tokens, length",
        "finish=tool_calls, tool_use, tool_calls",
        "finish=pause_turn, pause_turn, pause_turn",
        "refusal, refusal, stop",
        "nochoices, '', stop"
    })
    void a_finish_is_told_in_the_vendors_words(String step, String stop, String done) throws Exception {
        assertThat(json(post(MESSAGES, request("[[stub: " + step + "]] a")))
                        .path("stop_reason")
                        .asText())
                .isEqualTo(stop);
        assertThat(json(post(OLLAMA, request("[[stub: " + step + "]] b")))
                        .path("done_reason")
                        .asText())
                .isEqualTo(done);
    }

    @ParameterizedTest
    @ValueSource(strings = {"refusal", "empty", "nochoices"})
    void without_an_answer_there_is_no_text(String step) throws Exception {
        assertThat(json(post(MESSAGES, request("[[stub: " + step + "]] a")))
                        .at("/content/0/text")
                        .asText())
                .isEmpty();
        assertThat(json(post(OLLAMA, request("[[stub: " + step + "]] b")))
                        .at("/message/content")
                        .asText())
                .isEmpty();
    }

    @Test
    void what_the_vendor_would_refuse_is_refused() throws Exception {
        ObjectNode unlimited = request("x");
        unlimited.remove("max_tokens");
        ObjectNode streaming = request("x");
        streaming.remove("stream");

        assertThat(json(post(MESSAGES, unlimited)).at("/error/message").asText())
                .contains("max_tokens");
        assertThat(json(post(OLLAMA, streaming)).path("error").asText()).contains("stream");
        assertThat(post(MESSAGES, request("x").put("stream", true)).statusCode())
                .isEqualTo(400);
        assertThat(post(OLLAMA, JSON.createObjectNode().put("stream", false)).statusCode())
                .isEqualTo(400);
    }

    private static ObjectNode request(String prompt) {
        ObjectNode request = JSON.createObjectNode()
                .put("model", "tiny")
                .put("max_tokens", 9)
                .put("stream", false);
        request.putArray("messages").addObject().put("role", "user").put("content", prompt);
        return request;
    }

    private HttpResponse<String> post(String path, JsonNode body) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(stub.uri(path))
                .POST(BodyPublishers.ofString(body.toString()))
                .build();
        return client.send(request, BodyHandlers.ofString());
    }

    private static JsonNode json(HttpResponse<String> reply) throws IOException {
        return JSON.readTree(reply.body());
    }
}
