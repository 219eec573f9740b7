package dev.oncebox.engine;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import dev.oncebox.ledger.Request;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A request that is put together in a test. */
record Asking(
        @Nullable String system,
        @Nullable String text,
        @Nullable String messages,
        @Nullable String model,
        SortedMap<String, JsonNode> params,
        @Nullable String schema,
        @Nullable String sample) {

    static Asking text(String text) {
        return new Asking(null, text, null, null, new TreeMap<>(), null, null);
    }

    static Asking messages(String messages) {
        return new Asking(null, null, messages, null, new TreeMap<>(), null, null);
    }

    Asking system(String value) {
        return new Asking(value, text, messages, model, params, schema, sample);
    }

    Asking model(String value) {
        return new Asking(system, text, messages, value, params, schema, sample);
    }

    Asking schema(String value) {
        return new Asking(system, text, messages, model, params, value, sample);
    }

    Asking sample(String value) {
        return new Asking(system, text, messages, model, params, schema, value);
    }

    Asking param(String name, String value) {
        SortedMap<String, JsonNode> more = new TreeMap<>(params);
        more.put(name, json(value));
        return new Asking(system, text, messages, model, more, schema, sample);
    }

    Request request() {
        return new Request(
                system,
                text,
                messages == null ? null : (ArrayNode) json(messages),
                model,
                params,
                schema == null ? null : json(schema),
                sample == null ? null : json(sample));
    }

    static JsonNode json(String text) {
        try {
            return Json.MAPPER.readTree(text.replace('\'', '"'));
        } catch (IOException e) {
            throw new UncheckedIOException(text, e);
        }
    }
}
