package dev.oncebox.ledger.sql;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.oncebox.job.Job;
import dev.oncebox.ledger.Request;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * How requests are stored: what a job gives to all its requests once, with the job; what an item gives, with the call.
 * Together they are the request, whatever becomes of the configuration meanwhile.
 */
final class RequestCodec {

    /** Deeper than what the intake and the configuration take (1000), and what is wrapped around it here. */
    private static final int DEEPEST = 2000;

    /** Reads whatever it wrote: a request that is recorded and cannot be read back would be claimed for ever. */
    private final ObjectMapper json = JsonMapper.builder(JsonFactory.builder()
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxStringLength(Integer.MAX_VALUE)
                            .maxNameLength(Integer.MAX_VALUE)
                            .maxNumberLength(Integer.MAX_VALUE)
                            .maxNestingDepth(DEEPEST)
                            .build())
                    .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
                    .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
                    .build())
            .nodeFactory(JsonNodeFactory.withExactBigDecimals(true))
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
            .build();

    String definition(Job job) {
        return job.definition().toString();
    }

    byte[] fingerprint(String definition) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(definition.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    byte[] item(Request request) {
        ObjectNode item = json.createObjectNode();
        if (request.text() != null) {
            item.put("text", request.text());
        }
        if (request.messages() != null) {
            item.set("messages", request.messages());
        }
        if (request.sample() != null) {
            item.set("sample", request.sample());
        }
        if (request.passed() != null) {
            item.putObject("passed")
                    .put("url", request.passed().url())
                    .set("body", request.passed().body());
        }
        return Packed.pack(item.toString());
    }

    Request request(String definition, byte[] item) {
        JsonNode shared = tree(definition);
        JsonNode own = tree(Packed.text(item));
        if (own.path("passed").path("body") instanceof ObjectNode body) {
            var passed = new Request.Passed(own.path("passed").path("url").asText(), body);
            return Request.of(passed, shared.path("model").textValue(), own.get("sample"));
        }
        SortedMap<String, JsonNode> params = new TreeMap<>();
        shared.path("params").fields().forEachRemaining(param -> params.put(param.getKey(), param.getValue()));
        return new Request(
                shared.path("system").textValue(),
                own.path("text").textValue(),
                (ArrayNode) own.get("messages"),
                shared.path("model").textValue(),
                Collections.unmodifiableSortedMap(params),
                shared.get("schema"),
                own.get("sample"));
    }

    private JsonNode tree(String text) {
        try {
            return json.readTree(text);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a stored request is damaged", e);
        }
    }
}
