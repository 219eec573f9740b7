package dev.oncebox.engine;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.oncebox.ledger.Request;
import java.net.URI;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** OpenAI's Responses, in the background. */
final class ResponsesProtocol implements DeferredProtocol {

    private static final Set<String> RUNNING = Set.of("queued", "in_progress");
    private static final Set<String> FAILED = Set.of("failed", "cancelled");

    @Override
    public JsonNode body(Request request, String key) {
        if (request.passed() != null) {
            return request.body().put("background", true);
        }
        ObjectNode body = JsonNodeFactory.instance.objectNode();
        if (request.model() != null) {
            body.put("model", request.model());
        }
        if (request.system() != null) {
            body.put("instructions", request.system());
        }
        body.set("input", request.messages() == null ? TextNode.valueOf(request.text()) : request.messages());
        request.params()
                .forEach((name, value) -> body.set(name.equals("max_tokens") ? "max_output_tokens" : name, value));
        body.put("background", true);
        body.remove("stream");
        if (request.schema() != null && !body.has("text")) {
            body.putObject("text")
                    .putObject("format")
                    .put("type", "json_schema")
                    .put("name", "answer")
                    .set("schema", request.schema());
        }
        return body;
    }

    @Override
    public @Nullable String address(URI submitted, Map<String, String> headers, JsonNode reply) {
        String id = reply.path("id").asText();
        return JobAddress.isId(id) ? submitted.getRawPath() + "/" + id : null;
    }

    @Override
    public Progress progress(JsonNode reply) {
        String said = reply.path("status").asText();
        if (RUNNING.contains(said)) {
            return new Progress(State.RUNNING, said);
        }
        return new Progress(FAILED.contains(said) ? State.FAILED : State.ENDED, said);
    }

    @Override
    public URI cancellation(URI job) {
        return URI.create(job.toString().replaceFirst("(?=\\?|$)", "/cancel"));
    }

    @Override
    public @Nullable Envelope read(JsonNode reply) {
        JsonNode output = reply.path("output");
        if (!output.isArray()) {
            return null;
        }
        var text = new StringBuilder();
        var refusal = new StringBuilder();
        boolean answered = false;
        for (JsonNode item : output) {
            for (JsonNode part : item.path("content")) {
                switch (part.path("type").asText()) {
                    case "output_text" -> {
                        text.append(part.path("text").asText());
                        answered = true;
                    }
                    case "refusal" -> refusal.append(part.path("refusal").asText());
                    default -> {}
                }
            }
        }
        return new Envelope(
                answered ? TextNode.valueOf(text.toString()) : null,
                refusal.isEmpty() ? null : refusal.toString(),
                finish(reply),
                reply.path("model").textValue(),
                reply.path("usage").isObject() ? reply.path("usage") : null);
    }

    /** In the words of chat completions, which the jobs' rules speak. */
    private static String finish(JsonNode reply) {
        if (!reply.path("status").asText().equals("incomplete")) {
            return "stop";
        }
        String why = reply.path("incomplete_details").path("reason").asText();
        return why.equals("content_filter") ? why : "length";
    }
}
