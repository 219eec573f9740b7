package dev.oncebox.stub;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The stub as Anthropic's batches of messages. */
@Timeout(30)
class StubMessageBatchesTest {

    private static final String PATH = "/v1/messages/batches";

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
    void a_batch_answers_each_request() throws Exception {
        JsonNode created =
                create("Letter", "[[stub: 529]]", "[[stub: expired]]", "[[stub: close]]", "[[stub: batch-polls=1]]");
        assertThat(created.path("id").asText()).startsWith("msgbatch_");
        assertThat(created.path("type").asText()).isEqualTo("message_batch");
        assertThat(created.path("processing_status").asText()).isEqualTo("in_progress");
        assertThat(created.path("results_url").isNull()).isTrue();
        assertThat(get(created).at("/request_counts/processing").asInt()).isEqualTo(5);
        assertThat(http.get(PATH + "/" + created.path("id").asText() + "/results")
                        .statusCode())
                .isEqualTo(404);

        JsonNode ended = get(created);

        assertThat(ended.path("processing_status").asText()).isEqualTo("ended");
        assertThat(ended.path("request_counts").toString())
                .isEqualTo("{\"processing\":0,\"succeeded\":2,\"errored\":2,\"canceled\":0,\"expired\":1}");
        List<JsonNode> results =
                StubHttp.lines(http.get(ended.path("results_url").asText()).body());
        assertThat(results).hasSize(5);
        assertThat(results.get(0).path("custom_id").asText()
                        + results.get(1).path("custom_id").asText())
                .isNotEqualTo("id-0id-1");
        assertThat(of("id-0", results).path("type").asText()).isEqualTo("succeeded");
        assertThat(of("id-0", results).at("/message/content/0/text").asText()).endsWith("Letter");
        assertThat(of("id-1", results).path("type").asText()).isEqualTo("errored");
        assertThat(of("id-1", results).at("/error/error/type").asText()).isEqualTo("overloaded_error");
        assertThat(of("id-2", results).path("type").asText()).isEqualTo("expired");
        assertThat(of("id-3", results).at("/error/error/type").asText()).isEqualTo("api_error");
        assertThat(stub.counts().submissions()).isEqualTo(Map.of("message_batches", 5L));
        assertThat(stub.charged()).isEqualTo(Map.of("id-0", 1, "id-4", 1));
        StubHttp.assertCounts(stub, 1, 0, 0, 1, 0);
    }

    @Test
    void batches_are_listed_and_cancelled() throws Exception {
        JsonNode first = create("[[stub: batch-polls=9]]");
        JsonNode second = create("b");

        JsonNode page = http.getJson(PATH + "?limit=1");
        assertThat(page.at("/data/0/id")).isEqualTo(second.path("id"));
        assertThat(page.path("has_more").asBoolean()).isTrue();
        assertThat(http.getJson(PATH + "?after_id=" + page.path("last_id").asText())
                        .at("/data/0/id"))
                .isEqualTo(first.path("id"));

        String path = PATH + "/" + first.path("id").asText();
        assertThat(StubHttp.json(http.post(path + "/cancel", StubHttp.object()))
                        .path("processing_status")
                        .asText())
                .isEqualTo("canceling");
        assertThat(get(first).at("/request_counts/canceled").asInt()).isEqualTo(1);
        assertThat(of("id-0", StubHttp.lines(http.get(path + "/results").body()))
                        .path("type")
                        .asText())
                .isEqualTo("canceled");
        assertThat(http.get(PATH + "/msgbatch_x").statusCode()).isEqualTo(404);
    }

    @Test
    void a_creation_may_be_lost_with_or_without_a_batch() throws Exception {
        assertThatThrownBy(() -> create("[[stub: create-reset]]")).isInstanceOf(IOException.class);
        assertThat(http.getJson(PATH).path("data")).hasSize(1);
        assertThatThrownBy(() -> create("[[stub: create-lost]]")).isInstanceOf(IOException.class);
        assertThat(http.getJson(PATH).path("data")).hasSize(1);
        assertThat(create("[[stub: batch-failed=billing_error]]")
                        .at("/error/type")
                        .asText())
                .isEqualTo("billing_error");
        assertThat(stub.counts().submitted()).isEqualTo(1);
    }

    @Test
    void what_the_vendor_would_refuse_is_refused() throws Exception {
        ObjectNode twice = request("a", "b");
        ((ObjectNode) twice.at("/requests/1")).put("custom_id", "id-0");
        ObjectNode dotted = request("a");
        ((ObjectNode) dotted.at("/requests/0")).put("custom_id", "a.b");

        for (ObjectNode bad : List.of(twice, dotted, StubHttp.object(), request())) {
            HttpResponse<String> reply = http.post(PATH, bad);
            assertThat(reply.statusCode()).isEqualTo(400);
            assertThat(StubHttp.json(reply).at("/error/type").asText()).isEqualTo("invalid_request_error");
        }
        assertThat(stub.submissions()).isEmpty();
    }

    private JsonNode create(String... prompts) throws Exception {
        return StubHttp.json(http.post(PATH, request(prompts)));
    }

    private static ObjectNode request(String... prompts) {
        ObjectNode request = StubHttp.object();
        var requests = request.putArray("requests");
        for (int i = 0; i < prompts.length; i++) {
            ObjectNode params = requests.addObject().put("custom_id", "id-" + i).putObject("params");
            params.put("model", "tiny").put("max_tokens", 9);
            params.putArray("messages").addObject().put("role", "user").put("content", prompts[i]);
        }
        return request;
    }

    private JsonNode get(JsonNode batch) throws Exception {
        return http.getJson(PATH + "/" + batch.path("id").asText());
    }

    private static JsonNode of(String customId, List<JsonNode> results) {
        return results.stream()
                .filter(line -> line.path("custom_id").asText().equals(customId))
                .findFirst()
                .orElseThrow()
                .path("result");
    }
}
