package dev.oncebox.engine;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Finds the provider's own id of an attempt: by it the provider's support and its bill know the call. */
final class RequestId {

    private static final List<String> HEADERS =
            List.of("x-request-id", "request-id", "x-amzn-requestid", "apim-request-id");

    private RequestId() {}

    /**
     * The id that the headers tell, else the member {@code id} of the reply.
     *
     * @param headers by lower-case name
     * @return null when there is none
     */
    static @Nullable String of(Map<String, String> headers, byte[] body) {
        return HEADERS.stream()
                .map(headers::get)
                .filter(Objects::nonNull)
                .filter(id -> !id.isBlank())
                .findFirst()
                .orElseGet(() -> inBody(body));
    }

    private static @Nullable String inBody(byte[] body) {
        try (JsonParser parser = Json.MAPPER.createParser(body)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                return null;
            }
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                String name = parser.currentName();
                JsonToken value = parser.nextToken();
                if (name.equals("id") && value == JsonToken.VALUE_STRING) {
                    return parser.getText();
                }
                parser.skipChildren();
            }
            return null;
        } catch (IOException e) {
            return null; // cut short, or no JSON
        }
    }
}
