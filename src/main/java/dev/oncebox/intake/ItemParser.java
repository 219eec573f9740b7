package dev.oncebox.intake;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.jspecify.annotations.Nullable;

/** Makes an item of the JSON text of one, or says what is wrong with it. */
final class ItemParser {

    static final String BAD_JSON = "bad_json";

    /** A value takes thirty times the memory of its characters: 16 MB of {@code {},{},{}} are half a gigabyte. */
    static final int MOST_TOKENS = 200_000;

    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
    private static final ObjectMapper MAPPER = mapper();

    private final boolean oneLineEach;
    private final boolean wholeRequests;

    /** {@code oneLineEach}: places are told as columns of the item's line, and one line holds one value. */
    ItemParser(boolean oneLineEach) {
        this(oneLineEach, false);
    }

    private ItemParser(boolean oneLineEach, boolean wholeRequests) {
        this.oneLineEach = oneLineEach;
        this.wholeRequests = wholeRequests;
    }

    /** Of a file in which every line should be a whole request. */
    static ItemParser ofWholeRequests() {
        return new ItemParser(true, true);
    }

    /** An item that is nothing but its text. */
    static Item plain(String text, Place at) {
        return readable(at, null, text, null, NODES.objectNode().put("text", text));
    }

    Item parse(String json, Place at) {
        String id = null;
        JsonNode value;
        try (JsonParser parser = MAPPER.createParser(json)) {
            try {
                if (parser.nextToken() == JsonToken.START_OBJECT) {
                    ObjectNode fields = NODES.objectNode();
                    while (parser.nextToken() == JsonToken.FIELD_NAME) {
                        String name = parser.currentName();
                        // A number's spelling is only here; the tree has no more than its value.
                        if (parser.nextToken().isNumeric() && name.equals("id")) {
                            id = parser.getText();
                        }
                        fields.set(name, MAPPER.<JsonNode>readTree(parser));
                    }
                    value = fields;
                } else {
                    value = MAPPER.readTree(parser);
                }
            } catch (StreamConstraintsException e) {
                if (parser.currentTokenCount() > MOST_TOKENS) {
                    return at.unreadable(
                            null,
                            "too_many_values",
                            "There are more than " + MOST_TOKENS + " names, values and brackets in it; remove what the"
                                    + " prompt does not use, or put it into the text.");
                }
                return badJson(json, at, JsonReason.position(e, parser), JsonReason.of(e));
            } catch (JsonProcessingException e) {
                return badJson(json, at, JsonReason.position(e, parser), JsonReason.of(e));
            } catch (NumberFormatException e) {
                int position = (int) parser.currentTokenLocation().getCharOffset();
                return badJson(json, at, position, "the number that starts here is out of range");
            }
            int end = (int) parser.currentLocation().getCharOffset();
            if (!Blank.isBlank(json.substring(Math.min(end, json.length())))) {
                return badJson(json, at, end, "something follows the first value; one line holds one item");
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return item(json, at, id, value);
    }

    private Item item(String json, Place at, @Nullable String numericId, JsonNode value) {
        String id = numericId == null ? stringId(value.path("id")) : numericId;
        // The decoder let no bad character through, so only an escape can have brought one.
        if (json.contains("\\u")) {
            if (!ItemStrings.allMatch(value, s -> s.indexOf('\0') < 0)) {
                return at.unreadable(id, "nul_character", "There is a NUL character (\\u0000) in it; remove it.");
            }
            if (!ItemStrings.allMatch(value, ItemStrings::isWellFormed)) {
                return at.unreadable(
                        id,
                        "lone_surrogate",
                        "There is half of a \\ud800-\\udfff pair in it, which is no character; write both or none.");
            }
        }
        if (value.isTextual()) {
            return Blank.isBlank(value.textValue()) ? noText(at, null) : plain(value.textValue(), at);
        }
        if (value instanceof ObjectNode fields) {
            return item(fields, id, at);
        }
        return at.unreadable(
                null,
                "bad_item",
                "This is " + (value.isArray() ? "an array" : value.isNull() ? "null" : "a " + kind(value))
                        + "; an item is an object with text or messages, or a string.");
    }

    private Item item(ObjectNode fields, @Nullable String id, Place at) {
        if (wholeRequests || WholeRequest.isOne(fields)) {
            return WholeRequest.item(fields, at);
        }
        JsonNode givenId = fields.path("id");
        if (givenId.isContainerNode() || givenId.isBoolean()) {
            return at.unreadable(null, "bad_id", "The id is neither a string nor a number; make it one or remove it.");
        }
        JsonNode text = fields.path("text");
        JsonNode messages = fields.path("messages");
        if (isGiven(text) && isGiven(messages)) {
            return at.unreadable(id, "bad_item", "It has both text and messages; keep one.");
        }
        if (isGiven(messages)) {
            if (areMessages(messages)) {
                return readable(at, id, null, (ArrayNode) messages, fields);
            }
            String rule = "The messages are not a list of objects, at least one, each with a role; correct them.";
            return at.unreadable(id, "no_text", rule);
        }
        if (isGiven(text) && !text.isTextual()) {
            return at.unreadable(id, "no_text", "The text is not a string; put it in quotes.");
        }
        return Blank.isBlank(text.asText("")) ? noText(at, id) : readable(at, id, text.textValue(), null, fields);
    }

    static boolean areMessages(JsonNode messages) {
        if (!messages.isArray() || messages.isEmpty()) {
            return false;
        }
        for (JsonNode message : messages) {
            if (!message.isObject() || !message.path("role").isTextual()) {
                return false;
            }
        }
        return true;
    }

    private static boolean isGiven(JsonNode field) {
        return !field.isMissingNode() && !field.isNull();
    }

    private static Item readable(
            Place at, @Nullable String id, @Nullable String text, @Nullable ArrayNode messages, ObjectNode fields) {
        return new Item.Readable(at.n(), at.line(), at.offset(), id, text, messages, fields, null, null);
    }

    private static Item noText(Place at, @Nullable String id) {
        return at.unreadable(id, "no_text", "There is no text in it; give it a text that is not empty, or messages.");
    }

    private Item badJson(String json, Place at, int position, String reason) {
        int before = Math.min(position, json.length());
        String where = "column " + (before + 1);
        if (!oneLineEach) {
            long lines = json.substring(0, before).lines().count();
            where = "line " + (at.line() + Math.max(0, lines - 1)) + ", character " + (before + 1) + " of the item";
        }
        return at.unreadable(
                null, BAD_JSON, "Not valid JSON at " + where + ": " + reason + ". Correct it and drop it again.");
    }

    private static String kind(JsonNode value) {
        return value.isBoolean() ? "boolean" : "number";
    }

    private static @Nullable String stringId(JsonNode id) {
        return id.isTextual() && ItemStrings.isWellFormed(id.textValue()) ? id.toString() : null;
    }

    /** Sizes are bounded by the window; the parser has no limits of its own but for depth, digits and values. */
    private static ObjectMapper mapper() {
        JsonFactory factory = JsonFactory.builder()
                .streamReadConstraints(StreamReadConstraints.builder()
                        .maxStringLength(Integer.MAX_VALUE)
                        .maxNameLength(Integer.MAX_VALUE)
                        .maxTokenCount(MOST_TOKENS)
                        .build())
                .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                // Many programs write tabs and the like into strings as they are; they are data.
                .enable(JsonReadFeature.ALLOW_UNESCAPED_CONTROL_CHARS)
                // Names are data as well: a table of all names ever seen would grow and can be made to overflow.
                .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
                .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
                .build();
        return JsonMapper.builder(factory)
                .nodeFactory(NODES)
                .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
                .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
                .build();
    }
}
