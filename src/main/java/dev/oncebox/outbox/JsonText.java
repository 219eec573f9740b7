package dev.oncebox.outbox;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.Set;

/** JSON as text, kept as it is spelled: no number is read and written anew. */
final class JsonText {

    private static final JsonFactory JSON = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxStringLength(Integer.MAX_VALUE)
                    .maxNumberLength(Integer.MAX_VALUE)
                    .maxNameLength(Integer.MAX_VALUE)
                    .build())
            .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
            .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
            .build();

    private JsonText() {}

    static JsonGenerator generator(OutputStream out) throws IOException {
        return JSON.createGenerator(new SurrogateWriter(out));
    }

    /** Whether the text is one JSON value and nothing else. */
    static boolean isValid(String text) {
        try (JsonParser parser = JSON.createParser(text)) {
            if (parser.nextToken() == null) {
                return false;
            }
            parser.skipChildren();
            return parser.nextToken() == null;
        } catch (JsonProcessingException e) {
            return false;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Whether the valid text is an object that has one of the members at its top. */
    static boolean hasMember(String text, Set<String> names) {
        try (JsonParser parser = JSON.createParser(text)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                return false;
            }
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                if (names.contains(parser.currentName())) {
                    return true;
                }
                parser.nextToken();
                parser.skipChildren();
            }
            return false;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The same value in one line: without the white space that stands outside its strings. */
    static String oneLine(String json) {
        var line = new StringBuilder(json.length());
        boolean quoted = false;
        for (int i = 0; i < json.length(); i++) {
            char c = json.charAt(i);
            if (quoted && c == '\\') {
                line.append(c).append(json.charAt(++i));
                continue;
            }
            if (c == '"') {
                quoted = !quoted;
            }
            if (quoted || c > ' ') {
                line.append(c);
            }
        }
        return line.toString();
    }
}
