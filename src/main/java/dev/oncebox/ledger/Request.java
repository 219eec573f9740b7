package dev.oncebox.ledger;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
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
 */
public record Request(
        @Nullable String system,
        @Nullable String text,
        @Nullable ArrayNode messages,
        @Nullable String model,
        SortedMap<String, JsonNode> params,
        @Nullable JsonNode schema,
        @Nullable JsonNode sample) {}
