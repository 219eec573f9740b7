package dev.oncebox.stub;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.net.http.HttpResponse;
import java.util.List;

/** OpenAI's batches, as a test uses them. */
record StubBatches(StubHttp http) {

    static final String CHAT = "/v1/chat/completions";

    static String line(String customId, String prompt) {
        ObjectNode line = StubHttp.object()
                .put("custom_id", customId)
                .put("method", "POST")
                .put("url", CHAT);
        line.putObject("body")
                .put("model", "tiny")
                .putArray("messages")
                .addObject()
                .put("role", "user")
                .put("content", prompt);
        return line.toString();
    }

    String upload(List<String> lines) throws Exception {
        return StubHttp.json(http.upload("batch", String.join("\n", lines)))
                .path("id")
                .asText();
    }

    HttpResponse<String> post(String file, String endpoint, String window) throws Exception {
        ObjectNode request = StubHttp.object()
                .put("input_file_id", file)
                .put("endpoint", endpoint)
                .put("completion_window", window);
        request.putObject("metadata").put("key", "ours");
        return http.post("/v1/batches", request);
    }

    JsonNode create(List<String> lines) throws Exception {
        return create(CHAT, lines);
    }

    JsonNode create(String endpoint, List<String> lines) throws Exception {
        return StubHttp.json(post(upload(lines), endpoint, "24h"));
    }

    JsonNode get(JsonNode batch) throws Exception {
        return http.getJson("/v1/batches/" + batch.path("id").asText());
    }

    HttpResponse<String> cancel(JsonNode batch) throws Exception {
        return http.post("/v1/batches/" + batch.path("id").asText() + "/cancel", StubHttp.object());
    }

    /** The lines of a file that a batch left behind. */
    List<JsonNode> file(JsonNode batch, String which) throws Exception {
        return StubHttp.lines(
                http.get("/v1/files/" + batch.path(which).asText() + "/content").body());
    }
}
