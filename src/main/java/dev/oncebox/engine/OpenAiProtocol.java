package dev.oncebox.engine;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.oncebox.ledger.Request;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** OpenAI chat completions, and the many endpoints that are compatible with them. */
final class OpenAiProtocol implements Protocol {

    private static final Set<String> SYSTEM_ROLES = Set.of("system", "developer");

    @Override
    public JsonNode body(Request request, String key) {
        ObjectNode body = JsonNodeFactory.instance.objectNode();
        if (request.model() != null) {
            body.put("model", request.model());
        }
        body.set("messages", messages(request));
        request.params().forEach(body::set);
        if (request.schema() != null && !body.has("response_format")) {
            ObjectNode format = body.putObject("response_format").put("type", "json_schema");
            format.putObject("json_schema").put("name", "answer").set("schema", request.schema());
        }
        return body;
    }

    /** The job's system text stands first, unless the item's own messages bring one. */
    static ArrayNode messages(Request request) {
        ArrayNode messages = JsonNodeFactory.instance.arrayNode();
        ArrayNode own = request.messages();
        if (request.system() != null && (own == null || leadingSystemMessages(own) == 0)) {
            messages.addObject().put("role", "system").put("content", request.system());
        }
        if (own != null) {
            messages.addAll(own);
        } else {
            messages.addObject().put("role", "user").put("content", request.text());
        }
        return messages;
    }

    static int leadingSystemMessages(ArrayNode messages) {
        int leading = 0;
        while (SYSTEM_ROLES.contains(messages.path(leading).path("role").asText())) {
            leading++;
        }
        return leading;
    }

    @Override
    public @Nullable Envelope read(JsonNode reply) {
        JsonNode choice = reply.path("choices").path(0);
        if (!choice.isObject()) {
            return null;
        }
        JsonNode message = choice.path("message");
        return new Envelope(
                content(message.path("content")),
                message.path("refusal").textValue(),
                choice.path("finish_reason").textValue(),
                reply.path("model").textValue(),
                reply.path("usage").isObject() ? reply.path("usage") : null);
    }

    /** A text, or the texts of several parts; anything else is no content. */
    private static @Nullable JsonNode content(JsonNode content) {
        if (content.isTextual()) {
            return content;
        }
        if (!content.isArray()) {
            return null;
        }
        var text = new StringBuilder();
        content.forEach(part -> text.append(part.path("text").asText("")));
        return TextNode.valueOf(text.toString());
    }
}
