package dev.oncebox.stub;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.DoubleNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;

/**
 * A value that meets a simple JSON Schema: objects, arrays, enumerations, bounds and local references. A property named
 * {@code call} gets the call's number, other strings the summary. Patterns and conditions are beyond it.
 */
record Example(JsonNode schema, long call, String summary) {

    private static final int DEEPEST = 16;
    private static final int MOST_ITEMS = 100;
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    String json() {
        if (!schema.isObject() || schema.isEmpty()) {
            return Json.text(Json.object().put("call", call).put("summary", summary));
        }
        return Json.text(value(schema, "", 0));
    }

    private JsonNode value(JsonNode wanted, String name, int depth) {
        if (depth > DEEPEST) {
            return NODES.nullNode();
        }
        if (wanted.has("const")) {
            return wanted.get("const");
        }
        if (wanted.path("enum").has(0)) {
            return wanted.get("enum").get(0);
        }
        JsonNode other = instead(wanted);
        if (!other.isMissingNode()) {
            return value(other, name, depth + 1);
        }
        return switch (type(wanted)) {
            case "object" -> object(wanted, depth);
            case "array" -> array(wanted, name, depth);
            case "integer" -> NODES.numberNode(Math.round(number(wanted, name)));
            case "number" -> DoubleNode.valueOf(number(wanted, name));
            case "boolean" -> NODES.booleanNode(true);
            case "null" -> NODES.nullNode();
            default -> NODES.textNode(text(wanted));
        };
    }

    private JsonNode instead(JsonNode wanted) {
        String reference = wanted.path("$ref").asText();
        if (reference.startsWith("#/")) {
            return schema.at(reference.substring(1));
        }
        for (String keyword : new String[] {"anyOf", "oneOf", "allOf"}) {
            if (wanted.path(keyword).has(0)) {
                return wanted.get(keyword).get(0);
            }
        }
        return MissingNode.getInstance();
    }

    private static String type(JsonNode wanted) {
        JsonNode type = wanted.path("type");
        for (JsonNode one : type) {
            if (!one.asText().equals("null")) {
                return one.asText();
            }
        }
        return type.asText(wanted.has("properties") ? "object" : "string");
    }

    private ObjectNode object(JsonNode wanted, int depth) {
        ObjectNode object = Json.object();
        for (Map.Entry<String, JsonNode> property : wanted.path("properties").properties()) {
            object.set(property.getKey(), value(property.getValue(), property.getKey(), depth + 1));
        }
        return object;
    }

    private ArrayNode array(JsonNode wanted, String name, int depth) {
        ArrayNode array = NODES.arrayNode();
        int items = Math.min(
                wanted.path("minItems").asInt(1), wanted.path("maxItems").asInt(MOST_ITEMS));
        for (int i = 0; i < Math.min(items, MOST_ITEMS); i++) {
            array.add(value(wanted.path("items"), name, depth + 1));
        }
        return array;
    }

    private double number(JsonNode wanted, String name) {
        double least = wanted.has("exclusiveMinimum")
                ? wanted.get("exclusiveMinimum").asDouble() + 1
                : wanted.path("minimum").asDouble(Double.NEGATIVE_INFINITY);
        double most = wanted.has("exclusiveMaximum")
                ? wanted.get("exclusiveMaximum").asDouble() - 1
                : wanted.path("maximum").asDouble(Double.POSITIVE_INFINITY);
        double value = name.equals("call") ? call : 1;
        return least <= most ? Math.max(least, Math.min(value, most)) : (least + most) / 2;
    }

    private String text(JsonNode wanted) {
        String text =
                switch (wanted.path("format").asText()) {
                    case "date" -> "2026-01-31";
                    case "time" -> "12:00:00Z";
                    case "date-time" -> "2026-01-31T12:00:00Z";
                    case "email" -> "stub@example.com";
                    case "uri" -> "https://example.com/";
                    case "uuid" -> "00000000-0000-4000-8000-000000000000";
                    default -> summary;
                };
        int length = text.codePointCount(0, text.length());
        int least = Math.min(wanted.path("minLength").asInt(0), 10_000);
        int most = wanted.path("maxLength").asInt(Integer.MAX_VALUE);
        if (length > most) {
            return text.substring(0, text.offsetByCodePoints(0, Math.max(most, 0)));
        }
        return text + ".".repeat(Math.max(0, least - length));
    }
}
