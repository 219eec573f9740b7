package dev.oncebox.engine;

import com.fasterxml.jackson.databind.JsonNode;
import dev.oncebox.ledger.Request;
import org.jspecify.annotations.Nullable;

/** How one kind of endpoint is asked and how its replies are read. Stateless. */
interface Protocol {

    /** The request body, without white space that nobody asked for. */
    JsonNode body(Request request, String key);

    /** Takes the answer out of a reply that is whole JSON and no error; null when there is none in it. */
    @Nullable
    Envelope read(JsonNode reply);

    /**
     * What a reply holds.
     *
     * @param content null when the engine answered without content
     * @param refusal the engine's words where it declined; null when it did not
     */
    record Envelope(
            @Nullable JsonNode content,
            @Nullable String refusal,
            @Nullable String finish,
            @Nullable String model,
            @Nullable JsonNode usage) {}
}
