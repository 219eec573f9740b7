package dev.oncebox.engine;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.oncebox.ledger.Request;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Ollama's own chat. A reply may come in pieces, one JSON object a line, though it was asked for in one. */
final class OllamaProtocol implements Protocol {

    /** What stands beside the model's options, not among them. */
    private static final Set<String> TOP_LEVEL =
            Set.of("format", "keep_alive", "think", "tools", "truncate", "shift", "logprobs", "top_logprobs");

    private static final List<String> COUNTS = List.of("prompt_eval_count", "eval_count");

    private static final ObjectReader PIECES =
            Json.MAPPER.reader().without(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

    @Override
    public JsonNode body(Request request, String key) {
        ObjectNode body = JsonNodeFactory.instance.objectNode();
        if (request.model() != null) {
            body.put("model", request.model());
        }
        body.set("messages", OpenAiProtocol.messages(request));
        body.put("stream", false);
        ObjectNode options = JsonNodeFactory.instance.objectNode();
        if (request.params().get("options") instanceof ObjectNode given) {
            options.setAll(given);
        }
        request.params().forEach((name, value) -> {
            if (TOP_LEVEL.contains(name)) {
                body.set(name, value);
            } else if (!(name.equals("options") && value.isObject())) {
                options.set(name.equals("max_tokens") ? "num_predict" : name, value);
            }
        });
        if (request.schema() != null && !body.has("format")) {
            body.set("format", request.schema());
        }
        if (!options.isEmpty()) {
            body.set("options", options);
        }
        return body;
    }

    @Override
    public @Nullable JsonNode parse(byte[] body) {
        List<JsonNode> pieces = new ArrayList<>();
        try (JsonParser parser = Json.MAPPER.createParser(body)) {
            while (parser.nextToken() != null) {
                pieces.add(PIECES.readTree(parser));
            }
        } catch (IOException e) {
            return null;
        }
        if (pieces.size() < 2) {
            return pieces.isEmpty() ? null : pieces.get(0);
        }
        return pieces.stream().allMatch(JsonNode::isObject) ? joined(pieces) : null;
    }

    /** The last piece with the text of all; an error in any of them is an error of the whole. */
    private static ObjectNode joined(List<JsonNode> pieces) {
        ObjectNode whole = pieces.get(pieces.size() - 1).deepCopy();
        StringBuilder text = null;
        JsonNode error = null;
        for (JsonNode piece : pieces) {
            JsonNode message = piece.path("message");
            if (message.isObject()) {
                String part = message.path("content").textValue();
                text = (text == null ? new StringBuilder() : text).append(part == null ? "" : part);
            }
            error = ErrorBody.isIn(piece) ? piece.path("error") : error;
        }
        if (error != null) {
            // a code may say that it cost nothing, but what came beside it may have been charged: only the words stay
            whole.set("error", text == null || error.isTextual() ? error : TextNode.valueOf(error.toString()));
        }
        if (text != null) {
            whole.putObject("message").put("content", text.toString());
        }
        return whole;
    }

    @Override
    public @Nullable Envelope read(JsonNode reply) {
        JsonNode message = reply.path("message");
        if (!message.isObject()) {
            return null;
        }
        JsonNode content = message.path("content");
        return new Envelope(
                content.isTextual() ? content : null,
                null,
                reply.path("done_reason").textValue(),
                reply.path("model").textValue(),
                usage(reply),
                reply.path("done").booleanValue());
    }

    private static @Nullable JsonNode usage(JsonNode reply) {
        ObjectNode usage = JsonNodeFactory.instance.objectNode();
        for (String name : COUNTS) {
            if (reply.hasNonNull(name)) {
                usage.set(name, reply.get(name));
            }
        }
        return usage.isEmpty() ? null : usage;
    }

    @Override
    public Tokens tokens(JsonNode usage) {
        return new Tokens(Tokens.count(usage, "prompt_eval_count"), Tokens.count(usage, "eval_count"), true);
    }
}
