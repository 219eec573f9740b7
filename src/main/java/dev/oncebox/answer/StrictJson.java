package dev.oncebox.answer;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.io.IOException;
import java.io.UncheckedIOException;

/** Reads a text as exactly one JSON value, every digit of it, and repairs nothing. */
final class StrictJson {

    private static final int SHOWN = 80;

    private final ObjectMapper mapper = JsonMapper.builder(JsonFactory.builder()
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxStringLength(Integer.MAX_VALUE)
                            .build())
                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                    .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
                    .build())
            .nodeFactory(JsonNodeFactory.withExactBigDecimals(true))
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .build();

    /** Why a text is no JSON. */
    static final class NotJson extends Exception {
        NotJson(String message) {
            super(message, null, false, false);
        }
    }

    JsonNode read(String text) throws NotJson {
        try (JsonParser parser = mapper.createParser(text)) {
            return read(text, parser);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private JsonNode read(String text, JsonParser parser) throws IOException, NotJson {
        try {
            JsonNode value = mapper.readTree(parser);
            if (parser.nextToken() != null) {
                throw notJson(text, "more follows after the JSON value", parser.currentTokenLocation());
            }
            return value;
        } catch (StreamConstraintsException e) {
            throw notJson(text, "it is nested too deeply or holds too long a number", parser.currentLocation());
        } catch (JsonProcessingException e) {
            JsonLocation where = e.getLocation();
            throw notJson(text, reason(text, e), where == null ? parser.currentLocation() : where);
        }
    }

    private static String reason(String text, JsonProcessingException e) {
        String original = e.getOriginalMessage();
        if (original.startsWith("Duplicate ")) {
            return "a name stands twice in one object";
        }
        if (original.startsWith("Unexpected end-of-input")) {
            return "it ends too early";
        }
        return startsAsJson(text.strip()) ? "it breaks" : "it does not begin as JSON";
    }

    private static NotJson notJson(String text, String reason, JsonLocation where) {
        return new NotJson("The answer is not JSON: " + reason + " (line " + where.getLineNr() + ", column "
                + where.getColumnNr() + "). " + hint(text) + "It starts with " + Shown.quoted(text, SHOWN));
    }

    private static String hint(String text) {
        if (text.contains("```")) {
            return "It holds a code fence; ask in the prompt for the JSON alone. ";
        }
        String stripped = text.strip();
        boolean surrounded = !startsAsJson(stripped) && (stripped.contains("{") || stripped.contains("["))
                || startsAsJson(stripped) && !stripped.endsWith("}") && !stripped.endsWith("]");
        return surrounded && (stripped.contains("}") || stripped.contains("]"))
                ? "It seems to hold JSON inside other text; ask in the prompt for the JSON alone. "
                : "";
    }

    private static boolean startsAsJson(String text) {
        return text.startsWith("{") || text.startsWith("[");
    }
}
