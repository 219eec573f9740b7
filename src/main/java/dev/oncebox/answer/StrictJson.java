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
import dev.oncebox.ledger.Shown;
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
        JsonNode value = null;
        try {
            value = mapper.readTree(parser);
            if (parser.nextToken() != null) {
                throw notJson(text, "a second JSON value follows the first", parser.currentTokenLocation());
            }
            return value;
        } catch (StreamConstraintsException e) {
            throw notJson(text, "it is nested too deeply or holds too long a number", parser.currentLocation());
        } catch (JsonProcessingException e) {
            JsonLocation where = e.getLocation() == null ? parser.currentLocation() : e.getLocation();
            throw notJson(text, reason(text, e.getOriginalMessage(), where, value != null), where);
        }
    }

    /** The parser's own words speak of its Java features, so only what they mean is said. */
    private static String reason(String text, String original, JsonLocation where, boolean afterValue) {
        if (original.startsWith("Duplicate ")) {
            return "a name stands twice in one object";
        }
        if (original.contains("(non-standard) comment")) {
            return "it holds a comment, which JSON does not have";
        }
        if (afterValue) {
            return "more follows after the JSON value";
        }
        if (original.startsWith("Unexpected end-of-input")) {
            return "it ends too early";
        }
        if (!startsAsJson(text.strip())) {
            return "it does not begin as JSON";
        }
        if (original.startsWith("Non-standard token")) {
            return "NaN and Infinity are no numbers in JSON";
        }
        if (original.startsWith("Illegal unquoted character")) {
            return "a text holds a line break or another control character that is not escaped";
        }
        if (original.startsWith("Unexpected character ('\''")) {
            return "names and texts stand in double quotes";
        }
        return isAfterComma(text, where) ? "a comma stands before a closing bracket" : "it breaks";
    }

    private static boolean isAfterComma(String text, JsonLocation where) {
        int at = (int) Math.min(where.getCharOffset(), text.length() - 1L);
        while (at > 0 && (Character.isWhitespace(text.charAt(at)) || "}]".indexOf(text.charAt(at)) >= 0)) {
            at--;
        }
        return at >= 0 && at < where.getCharOffset() && text.charAt(at) == ',';
    }

    private static NotJson notJson(String text, String reason, JsonLocation where) {
        return new NotJson("The answer is not JSON: " + reason + " (line " + where.getLineNr() + ", column "
                + where.getColumnNr() + "). It starts with " + Shown.quoted(text, SHOWN));
    }

    private static boolean startsAsJson(String text) {
        return text.startsWith("{") || text.startsWith("[");
    }
}
