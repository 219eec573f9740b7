package dev.oncebox.engine;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.oncebox.ledger.Request;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Any endpoint that takes and returns JSON. The body is a template: a string that is just {@code {{name}}} becomes the
 * value, whatever its type; inside a longer string it becomes text. Names are {@code text}, {@code messages},
 * {@code system}, {@code model}, {@code schema}, {@code sample}, {@code key} and the request's parameters. What a job
 * sets and the template does not place is added as a member of its own, so that nothing a job says is lost silently.
 */
final class JsonProtocol implements Protocol {

    private static final Pattern PLACE = Pattern.compile("\\{\\{\\s*([A-Za-z0-9_.-]+)\\s*}}");

    private final JsonNode template;
    private final JsonPointer answer;

    JsonProtocol(JsonNode template, String answer) {
        this.template = template;
        this.answer = JsonPointer.compile(answer);
    }

    @Override
    public JsonNode body(Request request, String key) {
        Map<String, JsonNode> values = new TreeMap<>(request.params());
        put(values, "text", text(request.text()));
        put(values, "messages", request.messages());
        put(values, "system", text(request.system()));
        put(values, "model", text(request.model()));
        put(values, "schema", request.schema());
        Map<String, JsonNode> unplaced = new TreeMap<>(values);
        put(values, "sample", request.sample());
        put(values, "key", text(key));
        JsonNode body = fill(template, values, unplaced);
        if (body instanceof ObjectNode object) {
            unplaced.forEach((name, value) -> {
                if (!object.has(name)) {
                    object.set(name, value);
                }
            });
            return object;
        }
        return body == null ? JsonNodeFactory.instance.nullNode() : body;
    }

    private static void put(Map<String, JsonNode> values, String name, @Nullable JsonNode value) {
        if (value != null) {
            values.put(name, value);
        }
    }

    private static @Nullable JsonNode text(@Nullable String text) {
        return text == null ? null : TextNode.valueOf(text);
    }

    private static @Nullable JsonNode fill(
            JsonNode node, Map<String, JsonNode> values, Map<String, JsonNode> unplaced) {
        if (node.isTextual()) {
            return fillText(node, values, unplaced);
        }
        if (node.isObject()) {
            ObjectNode filled = JsonNodeFactory.instance.objectNode();
            node.fields().forEachRemaining(member -> {
                JsonNode value = fill(member.getValue(), values, unplaced);
                if (value != null) {
                    filled.set(member.getKey(), value);
                }
            });
            return filled;
        }
        if (node.isArray()) {
            ArrayNode filled = JsonNodeFactory.instance.arrayNode();
            node.forEach(element -> {
                JsonNode value = fill(element, values, unplaced);
                if (value != null) {
                    filled.add(value);
                }
            });
            return filled;
        }
        return node;
    }

    /** A place without a value drops the member that it is the whole of. */
    private static @Nullable JsonNode fillText(
            JsonNode node, Map<String, JsonNode> values, Map<String, JsonNode> unplaced) {
        Matcher matcher = PLACE.matcher(node.textValue());
        if (matcher.matches()) {
            unplaced.remove(matcher.group(1));
            return values.get(matcher.group(1));
        }
        return TextNode.valueOf(PLACE.matcher(node.textValue()).replaceAll(place -> {
            unplaced.remove(place.group(1));
            JsonNode value = values.get(place.group(1));
            String text = value == null ? "" : value.isTextual() ? value.textValue() : value.toString();
            return Matcher.quoteReplacement(text);
        }));
    }

    @Override
    public @Nullable Envelope read(JsonNode reply) {
        JsonNode content = reply.at(answer);
        if (content.isMissingNode()) {
            return null;
        }
        return new Envelope(
                content.isNull() ? null : content,
                null,
                null,
                reply.path("model").textValue(),
                reply.path("usage").isObject() ? reply.path("usage") : null);
    }
}
