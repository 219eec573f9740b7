package dev.oncebox.engine;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** How replies are parsed: numbers exact, texts as long as they come, one value and nothing after it. */
final class Json {

    static final ObjectMapper MAPPER = JsonMapper.builder(JsonFactory.builder()
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxStringLength(Integer.MAX_VALUE)
                            .build())
                    .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
                    .build())
            .nodeFactory(JsonNodeFactory.withExactBigDecimals(true))
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private Json() {}

    static byte[] bytes(JsonNode value) {
        return value.toString().getBytes(StandardCharsets.UTF_8);
    }

    /** The one value that the bytes hold; null when they are no JSON, or no text at all. */
    static @Nullable JsonNode tree(byte[] body) {
        try {
            JsonNode tree = MAPPER.readTree(body);
            return tree == null || tree.isMissingNode() ? null : tree;
        } catch (IOException e) {
            return null;
        }
    }
}
