package dev.oncebox.stub;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** Request bodies in, reply bodies out. */
final class Json {

    private static final ObjectMapper MAPPER =
            new ObjectMapper().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

    private Json() {}

    static ObjectNode object() {
        return MAPPER.createObjectNode();
    }

    static ObjectNode readObject(byte[] body) throws BadRequest {
        try {
            if (MAPPER.readTree(body) instanceof ObjectNode object) {
                return object;
            }
        } catch (JsonProcessingException e) {
            throw new BadRequest("The body is not JSON: " + e.getOriginalMessage());
        } catch (IOException e) {
            throw new BadRequest("The body is not UTF-8: " + e.getMessage());
        }
        throw new BadRequest("The body is not a JSON object");
    }

    /** The text as JSON, or as a JSON string when it is none. */
    static JsonNode lenient(byte[] body) {
        try {
            return MAPPER.readTree(body);
        } catch (IOException e) {
            return TextNode.valueOf(new String(body, StandardCharsets.UTF_8));
        }
    }

    static JsonNode tree(Object value) {
        return MAPPER.valueToTree(value);
    }

    static byte[] bytes(Object value) {
        try {
            return MAPPER.writeValueAsBytes(value);
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException(e);
        }
    }

    static String text(JsonNode value) {
        try {
            return MAPPER.writeValueAsString(value);
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException(e);
        }
    }
}
