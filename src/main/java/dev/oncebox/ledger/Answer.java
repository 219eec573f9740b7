package dev.oncebox.ledger;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

/**
 * What an engine answered, taken out of its envelope.
 *
 * @param content a JSON string for a text, any JSON for an engine that answers with JSON; null when there is none
 * @param finish why the engine stopped, in its own word ({@code stop}, {@code length}, …); null when it does not say
 * @param model the model that the engine names; null when it names none
 */
public record Answer(
        @Nullable JsonNode content,
        @Nullable String finish,
        @Nullable String model,
        Usage usage) {}
