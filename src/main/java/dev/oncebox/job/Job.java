package dev.oncebox.job;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * How a request is made of an item, and what its answer must be.
 *
 * @param name the folder below {@code config/jobs} and below the inbox
 * @param engines asked in order: the first, then its fallbacks
 * @param model the job's model, else its first engine's; null when neither names one
 * @param params further members of the request body, by their name in it
 * @param keying what counts as the same request; null means by kind of item
 * @param attempts tries at one call that were, or may have been, charged, before it is a dead letter
 * @param answer what an answer is
 * @param accepts which doubtful answers are delivered; it does not change what is asked, so it is no part of the key
 * @param system the system text; null when there is none
 * @param prompt the template that makes the prompt of an item
 * @param schema JSON Schema 2020-12 for the answer; null when there is none
 */
public record Job(
        String name,
        List<String> engines,
        @Nullable String model,
        SortedMap<String, JsonNode> params,
        @Nullable Keying keying,
        int attempts,
        Format answer,
        Acceptance accepts,
        @Nullable String system,
        String prompt,
        @Nullable JsonNode schema) {

    /** What an answer is. */
    public enum Format {
        TEXT,
        JSON
    }

    /**
     * The keying of an item: the job's, else white space is folded in texts and kept in messages.
     *
     * @param messages whether the item brought messages or a whole body
     */
    public Keying keyingOf(boolean messages) {
        if (keying != null) {
            return keying;
        }
        return messages ? Keying.LINES : Keying.WHITESPACE;
    }

    /** The engine that is asked when this one cannot answer; null when there is none. */
    public @Nullable String fallback(String engine) {
        int next = engines.indexOf(engine) + 1;
        return next > 0 && next < engines.size() ? engines.get(next) : null;
    }

    /** What of this job goes into its requests: two jobs of the same definition ask the same of the same items. */
    public ObjectNode definition() {
        ObjectNode definition = JsonNodeFactory.instance.objectNode();
        definition.put("prompt", prompt);
        if (system != null) {
            definition.put("system", system);
        }
        if (model != null) {
            definition.put("model", model);
        }
        ObjectNode members = definition.putObject("params");
        params.forEach(members::set);
        if (schema != null) {
            definition.set("schema", schema);
        }
        if (keying != null) {
            definition.put("keying", keying.name());
        }
        return definition;
    }
}
