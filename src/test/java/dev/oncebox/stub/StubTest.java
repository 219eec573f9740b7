package dev.oncebox.stub;

import static dev.oncebox.stub.StubHttp.assertCounts;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(30)
class StubTest {

    private static final ObjectMapper JSON = new ObjectMapper();

    private final HttpClient client = HttpClient.newHttpClient();
    private Stub stub;

    @BeforeEach
    void start() throws IOException {
        stub = Stub.start(Stub.Options.defaults().withBodies());
    }

    @AfterEach
    void stop() {
        stub.close();
    }

    @Test
    void a_chat_answer_has_every_field_and_confesses_its_call() throws Exception {
        chat("Hello");
        JsonNode answer = JSON.readTree(chat("A letter about the dam").body());

        assertThat(answer.path("object").asText()).isEqualTo("chat.completion");
        assertThat(answer.path("model").asText()).isEqualTo("tiny");
        assertThat(answer.path("id").asText()).isNotEmpty();
        assertThat(answer.path("created").asLong()).isPositive();
        assertThat(content(answer)).isEqualTo("[call 2] A letter about the dam");
        assertThat(answer.at("/choices/0/finish_reason").asText()).isEqualTo("stop");
        assertThat(answer.at("/usage/prompt_tokens").asInt()).isEqualTo(5);
        assertThat(answer.at("/usage/total_tokens").asInt()).isEqualTo(12);
    }

    @Test
    void a_schema_gets_an_answer_that_fits() throws Exception {
        ObjectNode request = request("Rate the letter");
        request.set("response_format", JSON.readTree("""
                {"type": "json_schema", "json_schema": {"name": "x", "schema": {"type": "object", "properties": {
                  "call": {"type": "integer"}, "mood": {"enum": ["glad", "sad"]}, "stars": {"type": "integer",
                  "minimum": 3}, "tags": {"type": "array", "items": {"$ref": "#/$defs/tag"}},
                  "sure": {"type": ["null", "boolean"]}},
                  "$defs": {"tag": {"type": "string", "maxLength": 4}}}}}"""));

        JsonNode answer = JSON.readTree(
                content(JSON.readTree(post("/v1/chat/completions", request).body())));

        assertThat(answer).isEqualTo(JSON.readTree("""
                {"call": 1, "mood": "glad", "stars": 3, "tags": ["Rate"], "sure": true}"""));
    }

    @Test
    void a_json_object_is_given_when_asked_for() throws Exception {
        ObjectNode request = request("Hello");
        request.putObject("response_format").put("type", "json_object");

        assertThat(content(JSON.readTree(post("/chat/completions", request).body())))
                .isEqualTo("{\"call\":1,\"summary\":\"Hello\"}");
    }

    @Test
    void summarize_answers_and_refuses_a_body_without_text() throws Exception {
        assertThat(JSON.readTree(summarize("Über den Damm").body()))
                .isEqualTo(JSON.readTree("{\"summary\": \"[call 1] Über den Damm\", \"chars\": 13, \"call\": 1}"));

        HttpResponse<String> refused = post("/summarize", JSON.createObjectNode());
        assertThat(refused.statusCode()).isEqualTo(400);
        assertThat(JSON.readTree(refused.body()).path("error").asText()).contains("no text");
    }

    @Test
    void everything_is_counted_and_logged_until_a_reset() throws Exception {
        chat("one");
        chat("one");
        summarize("two");
        post("/nowhere", JSON.createObjectNode());

        assertThat(JSON.readTree(get("/count").body())).isEqualTo(JSON.readTree("""
                        {"accepted": 4, "chat": 2, "summarize": 1, "answered": 4, "keys": 2, "submissions": {},
                        "charged": {}, "faces": {"POST /v1/chat/completions": 2, "POST /summarize": 1}}"""));
        List<String> log = get("/log").body().lines().toList();
        assertThat(log).hasSize(4);
        assertThat(JSON.readTree(log.get(0)).path("key").asText()).isEqualTo("key of one");
        assertThat(JSON.readTree(log.get(3)).path("outcome").asText()).isEqualTo("404");
        assertThat(log.get(0)).contains("Authorization").doesNotContain("Bearer secret");
        Call call = stub.calls().get(2);
        assertThat(call.text()).isEqualTo("{\"text\":\"two\"}");
        assertThat(call.headers()).containsEntry("authorization", "Bearer secret");
        assertThat(call.sha256()).isEqualTo("d039f9902822fcdcc6f5c05a7b694296f03ff409e2c30aa401d8eb2f2f55db5f");

        post("/reset-count", JSON.createObjectNode());
        assertCounts(stub, 0, 0, 0, 0, 0);
    }

    @Test
    void unknown_paths_and_wrong_methods_are_refused() throws Exception {
        assertThat(get("/v2").statusCode()).isEqualTo(404);
        assertThat(error(get("/v2")).path("type").asText()).isEqualTo("invalid_request_error");
        assertThat(get("/v1/chat/completions").statusCode()).isEqualTo(405);
        assertThat(post("/count", JSON.createObjectNode()).statusCode()).isEqualTo(405);
    }

    @Test
    void a_sequence_ends_in_good_answers() throws Exception {
        String prompt = "[[stub: 429 retry-after=7; 500 header=x-should-retry:true; 429 insufficient_quota]] Hi";

        HttpResponse<String> first = chat(prompt);
        assertThat(first.statusCode()).isEqualTo(429);
        assertThat(first.headers().firstValue("Retry-After")).contains("7");
        assertThat(error(first).path("code").asText()).isEqualTo("rate_limit_exceeded");
        HttpResponse<String> second = chat(prompt);
        assertThat(second.statusCode()).isEqualTo(500);
        assertThat(second.headers().firstValue("x-should-retry")).contains("true");
        assertThat(error(chat(prompt)).path("code").asText()).isEqualTo("insufficient_quota");
        assertThat(content(JSON.readTree(chat(prompt).body()))).isEqualTo("[call 4] Hi");
        assertThat(chat(prompt + "!").statusCode()).isEqualTo(429);
    }

    @ParameterizedTest
    @ValueSource(strings = {"always", "…"})
    void a_step_may_repeat_for_ever(String word) throws Exception {
        for (int i = 0; i < 3; i++) {
            assertThat(summarize("[[stub: 503 " + word + "]]").statusCode()).isEqualTo(503);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"cut", "reset", "reset-mid", "close"})
    void a_broken_reply_is_counted_all_the_same(String word) throws Exception {
        String prompt = "Hello [[stub: " + word + "]]";

        assertThatThrownBy(() -> chat(prompt)).isInstanceOf(IOException.class);

        assertCounts(stub, 1, 1, 0, 0, 1);
        assertThat(stub.calls().get(0).outcome()).isEqualTo(word);
        assertThat(chat(prompt).statusCode()).isEqualTo(200);
    }

    @Test
    void a_hanging_call_is_counted_before_it_hangs() {
        HttpRequest request = request("/summarize", "{\"text\": \"[[stub: hang]]\"}")
                .timeout(Duration.ofMillis(300))
                .build();

        assertThatThrownBy(() -> client.send(request, BodyHandlers.ofString()))
                .isInstanceOf(HttpTimeoutException.class);
        assertCounts(stub, 1, 0, 1, 0, 0);
    }

    @Test
    void a_delay_is_waited_for_and_a_trickle_takes_its_time() throws Exception {
        long start = System.nanoTime();
        assertThat(summarize("[[stub: delay=200ms]]").statusCode()).isEqualTo(200);
        assertThat(since(start)).isGreaterThan(Duration.ofMillis(199));

        start = System.nanoTime();
        String body = summarize("[[stub: trickle=2ms]] slowly").body();
        assertThat(JSON.readTree(body).path("summary").asText()).endsWith("slowly");
        assertThat(since(start)).isGreaterThan(Duration.ofMillis(2L * body.length() - 1));
        assertThat(stub.counts().answered()).isEqualTo(2);
    }

    @Test
    void odd_replies_come_under_200() throws Exception {
        assertThat(chat("[[stub: html]]").body()).startsWith("<!doctype html>");
        assertThat(content(JSON.readTree(chat("[[stub: empty]]").body()))).isEmpty();
        assertThat(chat("[[stub: nobody]]").body()).isEmpty();
        assertThat(JSON.readTree(chat("[[stub: nochoices]]").body()).path("choices"))
                .isEmpty();
        assertThat(error(chat("[[stub: error200]]")).path("message").asText()).isNotEmpty();
        assertThatThrownBy(() -> JSON.readTree(chat("[[stub: notjson]]").body()))
                .isInstanceOf(IOException.class);
        JsonNode refusal = JSON.readTree(chat("[[stub: refusal]]").body()).at("/choices/0/message");
        assertThat(refusal.path("content").isNull()).isTrue();
        assertThat(refusal.path("refusal").asText()).isNotEmpty();
        JsonNode cut = JSON.readTree(chat("[[stub: finish=length]] abcdefghi").body());
        assertThat(cut.at("/choices/0/finish_reason").asText()).isEqualTo("length");
        assertThat(content(cut)).isEqualTo("[call 8] ");
        assertThat(content(JSON.readTree(chat("all  [[stub: echo]]").body()))).isEqualTo("all  [[stub: echo]]");
        assertThat(stub.calls()).extracting(Call::outcome).containsOnly("200");
    }

    @Test
    void an_unknown_word_is_refused_with_the_known_ones() throws Exception {
        HttpResponse<String> refused = chat("[[stub: explode]]");

        assertThat(refused.statusCode()).isEqualTo(400);
        assertThat(error(refused).path("message").asText()).contains("explode").contains("reset-mid");
    }

    @Test
    void every_so_manieth_call_fails_or_is_cut_and_all_wait() throws Exception {
        try (Stub bad = Stub.start(
                Stub.Options.defaults().withFailEvery(2).withCutEvery(3).withDelay(Duration.ofMillis(50)))) {
            stub.close();
            stub = bad;
            long start = System.nanoTime();
            assertThat(chat("a").statusCode()).isEqualTo(200);
            assertThat(since(start)).isGreaterThan(Duration.ofMillis(49));
            assertThat(chat("a").statusCode()).isEqualTo(503);
            assertThatThrownBy(() -> chat("a")).isInstanceOf(IOException.class);
            assertThat(bad.calls()).extracting(Call::outcome).containsExactly("200", "503", "cut");
            assertThat(bad.calls().get(0).body()).isEmpty();
        }
    }

    @Test
    void parallel_calls_get_a_number_each() {
        List<CompletableFuture<String>> replies = IntStream.range(0, 200)
                .mapToObj(i -> client.sendAsync(
                                request("/summarize", "{\"text\": \"x\"}").build(), BodyHandlers.ofString())
                        .thenApply(HttpResponse::body))
                .toList();

        assertThat(replies.stream().map(CompletableFuture::join).distinct()).hasSize(200);
        assertThat(stub.counts().answered()).isEqualTo(200);
    }

    @Test
    void a_taken_port_is_named() {
        assertThatThrownBy(() -> Stub.start(Stub.Options.defaults().withPort(stub.port())))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("127.0.0.1:" + stub.port())
                .hasMessageContaining("another port");
    }

    private static ObjectNode request(String prompt) {
        ObjectNode request = JSON.createObjectNode().put("model", "tiny");
        request.putArray("messages").addObject().put("role", "user").put("content", prompt);
        return request;
    }

    private HttpResponse<String> chat(String prompt) throws Exception {
        HttpRequest.Builder builder =
                request("/v1/chat/completions", request(prompt).toString());
        return client.send(
                builder.header("Idempotency-Key", "key of " + prompt.replaceAll("\\P{ASCII}", "?"))
                        .build(),
                BodyHandlers.ofString());
    }

    private HttpResponse<String> summarize(String text) throws Exception {
        HttpRequest.Builder builder =
                request("/summarize", JSON.createObjectNode().put("text", text).toString());
        return client.send(builder.header("Idempotency-Key", "key of a text").build(), BodyHandlers.ofString());
    }

    private HttpResponse<String> post(String path, JsonNode body) throws Exception {
        return client.send(request(path, body.toString()).build(), BodyHandlers.ofString());
    }

    private HttpResponse<String> get(String path) throws Exception {
        return client.send(HttpRequest.newBuilder(stub.uri(path)).build(), BodyHandlers.ofString());
    }

    private HttpRequest.Builder request(String path, String body) {
        return HttpRequest.newBuilder(stub.uri(path))
                .header("Authorization", "Bearer secret")
                .POST(BodyPublishers.ofString(body));
    }

    private static Duration since(long start) {
        return Duration.ofNanos(System.nanoTime() - start);
    }

    private static String content(JsonNode answer) {
        return answer.at("/choices/0/message/content").asText();
    }

    private static JsonNode error(HttpResponse<String> reply) throws IOException {
        return JSON.readTree(reply.body()).path("error");
    }
}
