package dev.oncebox.stub;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads the lines of a batch's input file, and says of each bad one what OpenAI would. */
final class OpenAiLines {

    private static final int MOST = 50_000;
    private static final int MOST_ERRORS = 100;

    /** A line that is in order; its prompt was not looked at. */
    record Input(String customId, ObjectNode body) {}

    private final String endpoint;
    private final List<Input> inputs = new ArrayList<>();
    private final ArrayNode errors = Json.object().putArray("errors");
    private final Set<String> ids = new HashSet<>();
    private @Nullable String model;

    private OpenAiLines(String endpoint) {
        this.endpoint = endpoint;
    }

    static OpenAiLines read(byte[] content, String endpoint) {
        OpenAiLines lines = new OpenAiLines(endpoint);
        String[] texts = new String(content, StandardCharsets.UTF_8).split("\r?\n");
        for (int i = 0; i < texts.length && lines.errors.size() < MOST_ERRORS; i++) {
            if (!texts[i].isBlank()) {
                lines.take(i + 1, texts[i]);
            }
        }
        if (lines.inputs.isEmpty() && lines.errors.isEmpty()) {
            lines.error(null, "empty_file", "The input file is empty.", null);
        }
        if (lines.inputs.size() > MOST) {
            lines.error(null, "too_many_tasks", "The input file has more than " + MOST + " requests.", null);
        }
        return lines;
    }

    List<Input> inputs() {
        return inputs;
    }

    ArrayNode errors() {
        return errors;
    }

    private void take(int line, String text) {
        ObjectNode input;
        try {
            input = Json.readObject(text.getBytes(StandardCharsets.UTF_8));
        } catch (BadRequest e) {
            error(line, "invalid_json_line", "This line is not parseable as valid JSON.", null);
            return;
        }
        String customId = input.path("custom_id").asText("");
        JsonNode body = input.path("body");
        String asked = body.path("model").asText("");
        model = model == null ? asked : model;
        if (customId.isEmpty()) {
            error(line, "missing_required_parameter", "The custom_id is missing.", "custom_id");
        } else if (!ids.add(customId)) {
            error(line, "duplicate_custom_id", "The custom_id '" + customId + "' stands on another line.", "custom_id");
        } else if (!input.path("method").asText().equals("POST")) {
            error(line, "invalid_method", "The method must be POST.", "method");
        } else if (!input.path("url").asText().equals(endpoint)) {
            error(line, "url_mismatch", "The url is not the endpoint of the batch, " + endpoint + ".", "url");
        } else if (!(body instanceof ObjectNode object)) {
            error(line, "missing_required_parameter", "The body is missing.", "body");
        } else if (!asked.equals(model)) {
            error(line, "model_mismatch", "All requests of a batch must be to one model.", "body.model");
        } else {
            inputs.add(new Input(customId, object));
        }
    }

    void error(@Nullable Integer line, String code, String message, @Nullable String param) {
        errors.addObject()
                .put("code", code)
                .put("line", line)
                .put("message", message)
                .put("param", param);
    }
}
