package dev.oncebox.engine;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.oncebox.config.EngineSettings;
import dev.oncebox.config.EngineSettings.Secret;
import dev.oncebox.ledger.Request;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Anthropic's messages. */
final class AnthropicProtocol implements Protocol {

    private static final String VERSION = "2023-06-01";

    private static final List<String> CACHE_COUNTS = List.of("cache_creation_input_tokens", "cache_read_input_tokens");

    @Override
    public JsonNode body(Request request, String key) {
        ObjectNode body = JsonNodeFactory.instance.objectNode();
        if (request.model() != null) {
            body.put("model", request.model());
        }
        body.put("max_tokens", EngineSettings.ANTHROPICS_MOST_TOKENS);
        ArrayNode messages = JsonNodeFactory.instance.arrayNode();
        JsonNode system = request.system() == null ? null : TextNode.valueOf(request.system());
        if (request.messages() == null) {
            messages.addObject().put("role", "user").put("content", request.text());
        } else {
            int leading = OpenAiProtocol.leadingSystemMessages(request.messages());
            for (int i = leading; i < request.messages().size(); i++) {
                messages.add(request.messages().get(i));
            }
            system = leading == 0 ? system : system(request.messages(), leading);
        }
        if (system != null) {
            body.set("system", system);
        }
        body.set("messages", messages);
        request.params().forEach(body::set);
        if (request.schema() != null && !body.has("output_config")) {
            ObjectNode format = body.putObject("output_config").putObject("format");
            format.put("type", "json_schema").set("schema", request.schema());
        }
        return body;
    }

    /** One system text stays as it is written; several become blocks, since there is one place for them. */
    private static JsonNode system(ArrayNode messages, int leading) {
        if (leading == 1) {
            return messages.get(0).path("content");
        }
        ArrayNode blocks = JsonNodeFactory.instance.arrayNode();
        for (int i = 0; i < leading; i++) {
            JsonNode content = messages.get(i).path("content");
            if (content.isArray()) {
                content.forEach(blocks::add);
            } else {
                blocks.addObject().put("type", "text").set("text", content);
            }
        }
        return blocks;
    }

    @Override
    public Map<String, String> headers(@Nullable Secret key) {
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put("anthropic-version", VERSION);
        if (key != null) {
            headers.put("x-api-key", key.value());
        }
        return headers;
    }

    @Override
    public @Nullable Envelope read(JsonNode reply) {
        JsonNode content = reply.path("content");
        if (!content.isArray()) {
            return null;
        }
        return new Envelope(
                text(content),
                null,
                reply.path("stop_reason").textValue(),
                reply.path("model").textValue(),
                reply.path("usage").isObject() ? reply.path("usage") : null);
    }

    /** Thinking and calls of tools are no part of the answer. */
    private static @Nullable JsonNode text(JsonNode blocks) {
        StringBuilder text = null;
        for (JsonNode block : blocks) {
            JsonNode part = block.path("text");
            if (block.path("type").asText().equals("text") && part.isTextual()) {
                text = (text == null ? new StringBuilder() : text).append(part.textValue());
            }
        }
        return text == null ? null : TextNode.valueOf(text.toString());
    }

    /** Tokens that went into the cache or came out of it are not among the others, and have prices of their own. */
    @Override
    public Tokens tokens(JsonNode usage) {
        Long input = Tokens.count(usage, "input_tokens");
        boolean cached = false;
        for (String name : CACHE_COUNTS) {
            if (usage.hasNonNull(name)) {
                Long count = Tokens.count(usage, name);
                input = input == null || count == null ? null : Long.valueOf(input + count);
                cached |= count == null || count > 0;
            }
        }
        return new Tokens(input, Tokens.count(usage, "output_tokens"), !cached);
    }
}
