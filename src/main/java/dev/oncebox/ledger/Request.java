package dev.oncebox.ledger;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Collections;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * One request as it is asked of any engine: everything that changes the answer and nothing else.
 *
 * @param system the job's system text, as written
 * @param text the rendered prompt, as written; null when the item brought {@code messages}
 * @param messages the item's own chat messages; null when there is a {@code text}
 * @param model the model as the job, else its first engine, names it; null when neither does
 * @param params further members of the request body, by name ({@code temperature}, {@code max_tokens}, …)
 * @param schema the JSON Schema that the answer must meet
 * @param sample which of several wanted answers to one prompt this is
 * @param passed a whole body that the item brought; null for all others. Beside it there is a model at most, and a sample
 */
public record Request(
        @Nullable String system,
        @Nullable String text,
        @Nullable ArrayNode messages,
        @Nullable String model,
        SortedMap<String, JsonNode> params,
        @Nullable JsonNode schema,
        @Nullable JsonNode sample,
        @Nullable Passed passed) {

    /** The endpoint that nearly all whole bodies are meant for. */
    public static final String CHAT = "/v1/chat/completions";

    /**
     * A body that is sent as the item brought it, members that nobody knows included.
     *
     * @param url the endpoint it is meant for, as OpenAI names it: {@code /v1/embeddings}
     * @param body never with {@code stream}
     */
    public record Passed(String url, ObjectNode body) {

        public boolean isChat() {
            return url.equals(CHAT);
        }
    }

    public Request(
            @Nullable String system,
            @Nullable String text,
            @Nullable ArrayNode messages,
            @Nullable String model,
            SortedMap<String, JsonNode> params,
            @Nullable JsonNode schema,
            @Nullable JsonNode sample) {
        this(system, text, messages, model, params, schema, sample, null);
    }

    /**
     * The request that is nothing but a whole body: what a job says of prompts and parameters does not touch it.
     *
     * @param model where the body names none, not even null
     */
    public static Request of(Passed passed, @Nullable String model, @Nullable JsonNode sample) {
        JsonNode named = passed.body().get("model");
        return new Request(
                null,
                null,
                null,
                named == null ? model : named.textValue(),
                Collections.emptySortedMap(),
                null,
                sample,
                passed);
    }

    /** The whole body with its model. */
    public ObjectNode body() {
        ObjectNode whole = passed == null
                ? JsonNodeFactory.instance.objectNode()
                : passed.body().deepCopy();
        if (model != null && !whole.has("model")) {
            whole.put("model", model);
        }
        return whole;
    }
}
