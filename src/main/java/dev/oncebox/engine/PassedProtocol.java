package dev.oncebox.engine;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.oncebox.ledger.Request;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A whole body, sent as the item brought it, to one of the endpoints of an OpenAI-compatible engine. Of a reply only as
 * much is understood as tells whether it is one; what is no text is an answer as a whole.
 */
final class PassedProtocol implements Protocol {

    private static final Protocol CHAT = new OpenAiProtocol();
    private static final Protocol RESPONSES = new ResponsesProtocol();

    /** What the replies of the other endpoints hold their results in. */
    private static final List<String> RESULTS = List.of("data", "results", "output", "choices");

    private final String url;

    PassedProtocol(String url) {
        this.url = url;
    }

    @Override
    public JsonNode body(Request request, String key) {
        return request.body();
    }

    @Override
    public @Nullable Envelope read(JsonNode reply) {
        return switch (url) {
            case Request.CHAT -> message(reply);
            case "/v1/responses" -> response(reply);
            case "/v1/completions" -> completion(reply);
            default -> RESULTS.stream().anyMatch(reply::hasNonNull) ? whole(reply, null) : null;
        };
    }

    /** A call of a tool is what such a request may have asked for, so that it is an answer. */
    private static @Nullable Envelope message(JsonNode reply) {
        Envelope read = CHAT.read(reply);
        JsonNode message = reply.path("choices").path(0).path("message");
        boolean otherwise = message.path("tool_calls").size() > 0
                || message.path("function_call").isObject()
                || message.path("audio").isObject();
        return read != null && otherwise && isNothing(read.content()) ? whole(message, reply, read.finish()) : read;
    }

    private static @Nullable Envelope response(JsonNode reply) {
        Envelope read = RESPONSES.read(reply);
        String status = reply.path("status").asText("completed");
        if (read == null || !(status.equals("completed") || status.equals("incomplete"))) {
            return null;
        }
        boolean otherwise = read.content() == null
                && read.refusal() == null
                && reply.path("output").size() > 0;
        return otherwise ? whole(reply.path("output"), reply, read.finish()) : read;
    }

    private static @Nullable Envelope completion(JsonNode reply) {
        JsonNode choice = reply.path("choices").path(0);
        JsonNode text = choice.path("text");
        return text.isTextual()
                ? whole(text, reply, choice.path("finish_reason").textValue())
                : null;
    }

    private static boolean isNothing(@Nullable JsonNode content) {
        return content == null || content.equals(TextNode.valueOf(""));
    }

    private static Envelope whole(JsonNode reply, @Nullable String finish) {
        return whole(reply, reply, finish);
    }

    private static Envelope whole(JsonNode content, JsonNode reply, @Nullable String finish) {
        return new Envelope(
                content,
                null,
                finish,
                reply.path("model").textValue(),
                reply.path("usage").isObject() ? reply.path("usage") : null);
    }

    /** Embeddings say nothing of tokens that they wrote: there are none. */
    @Override
    public Tokens tokens(JsonNode usage) {
        Tokens read = CHAT.tokens(usage);
        return url.equals("/v1/embeddings") && read.output() == null
                ? new Tokens(read.input(), 0L, read.usualPrice())
                : read;
    }
}
