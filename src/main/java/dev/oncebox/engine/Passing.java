package dev.oncebox.engine;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.oncebox.config.EngineSettings;
import dev.oncebox.ledger.CallFailed;
import dev.oncebox.ledger.Request;
import dev.oncebox.ledger.Verdict;
import java.net.URI;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of a whole body at an engine. One that is compatible with OpenAI gets it as it is, at the endpoint that it
 * is meant for. Any other gets a chat translated, its messages, model and parameters; what is no chat does not fit it.
 */
final class Passing {

    /** The endpoints that OpenAI takes in batches, beside chats. */
    static final Map<String, String> PATHS = paths();

    private static final String CHATS = "/chat/completions";

    private Passing() {}

    private static Map<String, String> paths() {
        Map<String, String> paths = new LinkedHashMap<>();
        for (String path :
                new String[] {"responses", "embeddings", "completions", "moderations", "images/generations"}) {
            paths.put("/v1/" + path, "/" + path);
        }
        return paths;
    }

    /** How the request is written and its reply read. */
    static Protocol protocol(EngineSettings settings, Protocol own, Request request) {
        Request.Passed passed = request.passed();
        return passed != null && takesAsItIs(settings) ? new PassedProtocol(passed.url()) : own;
    }

    /**
     * The request as {@link #protocol} takes it.
     *
     * @throws CallFailed when the engine has no such endpoint; nothing was sent
     */
    static Request request(EngineSettings settings, Request request) throws CallFailed {
        Request.Passed passed = request.passed();
        if (passed == null) {
            return request;
        }
        if (takesAsItIs(settings)) {
            if (!passed.isChat()) {
                address(settings, passed.url());
            }
            return request;
        }
        boolean responses = settings.protocol() == EngineSettings.Protocol.OPENAI_RESPONSES
                && passed.url().equals("/v1/responses")
                && sibling(settings.url(), "/responses") != null;
        if (!passed.isChat() && !responses) {
            throw misfit(settings, passed.url());
        }
        if (!responses && passed.body().path("n").asInt(1) != 1) {
            throw new CallFailed(new Verdict.Refused(
                    "unsupported_value",
                    "The body asks for several answers (n), and the engine " + settings.name()
                            + " gives one; nothing was sent.",
                    Verdict.Refused.Cause.MISFIT,
                    null));
        }
        return responses ? request : translated(request);
    }

    private static boolean takesAsItIs(EngineSettings settings) {
        return settings.protocol() == EngineSettings.Protocol.OPENAI
                || settings.protocol() == EngineSettings.Protocol.OPENAI_BATCH;
    }

    /** Where a request for an endpoint is posted. */
    static URI address(EngineSettings settings, String url) throws CallFailed {
        if (settings.protocol() == EngineSettings.Protocol.OPENAI_BATCH) {
            return settings.url();
        }
        URI address = PATHS.containsKey(url) ? sibling(settings.url(), PATHS.get(url)) : null;
        if (address == null) {
            throw misfit(settings, url);
        }
        return address;
    }

    /** The endpoint beside that of chats; null where the engine's address does not tell. */
    static @Nullable URI sibling(URI engine, String path) {
        String whole = engine.toString();
        String bare = whole.replaceFirst("[?#].*", "");
        String rest = whole.substring(bare.length());
        if (bare.endsWith(path) && !bare.endsWith(CHATS)) {
            return engine;
        }
        return bare.endsWith(CHATS)
                ? URI.create(bare.substring(0, bare.length() - CHATS.length()) + path + rest)
                : null;
    }

    private static CallFailed misfit(EngineSettings settings, String url) {
        return new CallFailed(new Verdict.Refused(
                "url_mismatch",
                "The engine " + settings.name() + " has no endpoint " + url + " that is known; nothing was sent.",
                Verdict.Refused.Cause.MISFIT,
                null));
    }

    /** A chat in the terms of a job. */
    private static Request translated(Request request) {
        SortedMap<String, JsonNode> params = new TreeMap<>();
        ArrayNode messages = JsonNodeFactory.instance.arrayNode();
        ObjectNode body = request.body();
        JsonNode schema = body.at("/response_format/json_schema/schema");
        for (Map.Entry<String, JsonNode> member : body.properties()) {
            switch (member.getKey()) {
                case "messages" -> member.getValue().forEach(messages::add);
                case "model", "stream", "stream_options", "n" -> {}
                case "max_completion_tokens" -> params.put("max_tokens", member.getValue());
                case "response_format" -> {
                    if (schema.isMissingNode()) {
                        params.put("response_format", member.getValue());
                    }
                }
                default -> params.put(member.getKey(), member.getValue());
            }
        }
        return new Request(
                null,
                null,
                messages,
                request.model(),
                params,
                schema.isMissingNode() ? null : schema,
                request.sample());
    }
}
