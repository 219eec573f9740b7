package dev.oncebox.engine;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import dev.oncebox.config.AsyncSettings;
import dev.oncebox.ledger.Request;
import java.net.URI;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Any endpoint that takes JSON, answers 202 with the address of a job, and gives the result there. Body and answer are
 * those of {@link JsonProtocol}.
 */
final class AsyncProtocol implements DeferredProtocol {

    private final JsonProtocol json;
    private final AsyncSettings settings;
    private final JsonPointer status;

    AsyncProtocol(JsonProtocol json, AsyncSettings settings) {
        this.json = json;
        this.settings = settings;
        this.status = JsonPointer.compile(settings.status());
    }

    @Override
    public JsonNode body(Request request, String key) {
        return json.body(request, key);
    }

    @Override
    public @Nullable Envelope read(JsonNode reply) {
        return json.read(reply);
    }

    @Override
    public @Nullable String address(URI submitted, Map<String, String> headers, JsonNode reply) {
        String told = settings.location().isEmpty()
                ? null
                : reply.at(settings.location()).textValue();
        return told == null ? JobAddress.ofHeader(headers) : told;
    }

    @Override
    public Progress progress(JsonNode reply) {
        JsonNode value = reply.at(status);
        String said = value.isValueNode() ? value.asText() : "";
        String word = said.toLowerCase(Locale.ROOT);
        if (settings.running().contains(word)) {
            return new Progress(State.RUNNING, said);
        }
        return new Progress(settings.failed().contains(word) ? State.FAILED : State.ENDED, said);
    }
}
