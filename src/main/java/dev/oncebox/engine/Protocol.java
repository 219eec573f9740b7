package dev.oncebox.engine;

import com.fasterxml.jackson.databind.JsonNode;
import dev.oncebox.config.EngineSettings.Secret;
import dev.oncebox.ledger.Request;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** How one kind of endpoint is asked and how its replies are read. Stateless. */
interface Protocol {

    /** The request body, without white space that nobody asked for. */
    JsonNode body(Request request, String key);

    /** The headers that this kind of endpoint wants, its key among them. */
    default Map<String, String> headers(@Nullable Secret key) {
        return key == null ? Map.of() : Map.of("Authorization", "Bearer " + key.value());
    }

    /** The whole JSON of a reply; null when it is none. */
    default @Nullable JsonNode parse(byte[] body) {
        return Json.tree(body);
    }

    /** Takes the answer out of a reply that is whole JSON and no error; null when there is none in it. */
    @Nullable
    Envelope read(JsonNode reply);

    /** The tokens that a usage object speaks of. */
    default Tokens tokens(JsonNode usage) {
        return new Tokens(
                Tokens.count(usage, "prompt_tokens", "input_tokens"),
                Tokens.count(usage, "completion_tokens", "output_tokens"),
                true);
    }

    /**
     * What a reply holds.
     *
     * @param content null when the engine answered without content
     * @param refusal the engine's words where it declined; null when it did not
     * @param whole whether the engine has said all that it had to say
     */
    record Envelope(
            @Nullable JsonNode content,
            @Nullable String refusal,
            @Nullable String finish,
            @Nullable String model,
            @Nullable JsonNode usage,
            boolean whole) {

        Envelope(
                @Nullable JsonNode content,
                @Nullable String refusal,
                @Nullable String finish,
                @Nullable String model,
                @Nullable JsonNode usage) {
            this(content, refusal, finish, model, usage, true);
        }
    }
}
