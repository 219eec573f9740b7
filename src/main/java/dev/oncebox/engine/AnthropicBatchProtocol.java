package dev.oncebox.engine;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.oncebox.engine.DeferredProtocol.Progress;
import dev.oncebox.engine.DeferredProtocol.State;
import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.HttpEntity;
import org.apache.hc.core5.http.io.entity.ByteArrayEntity;
import org.jspecify.annotations.Nullable;

/** Anthropic's batches of messages. The provider keeps no handle of ours, but each call's key. */
final class AnthropicBatchProtocol implements BatchProtocol {

    private static final String ENDED = "ended";

    /** The statuses that the errors of single calls would have had alone. */
    private static final Map<String, Integer> STATUSES = Map.of(
            "invalid_request_error", 400,
            "authentication_error", 401,
            "billing_error", 402,
            "permission_error", 403,
            "not_found_error", 404,
            "request_too_large", 413,
            "rate_limit_error", 429,
            "overloaded_error", 529);

    private final Protocol calls = new AnthropicProtocol();

    @Override
    public Protocol calls() {
        return calls;
    }

    @Override
    public byte[] line(String key, String url, JsonNode body) {
        ObjectNode line = JsonNodeFactory.instance.objectNode();
        line.put("custom_id", key).set("params", body);
        return Json.bytes(line);
    }

    @Override
    public @Nullable URI uploads(URI batches) {
        return null;
    }

    @Override
    public @Nullable HttpEntity upload(String handle, List<byte[]> lines) {
        return null;
    }

    @Override
    public HttpEntity submission(String handle, List<byte[]> lines, @Nullable String upload) {
        var body = new ByteArrayOutputStream();
        body.writeBytes("{\"requests\":[".getBytes(StandardCharsets.UTF_8));
        for (int i = 0; i < lines.size(); i++) {
            if (i > 0) {
                body.write(',');
            }
            body.writeBytes(lines.get(i));
        }
        body.writeBytes("]}".getBytes(StandardCharsets.UTF_8));
        return new ByteArrayEntity(body.toByteArray(), ContentType.APPLICATION_JSON);
    }

    @Override
    public Progress progress(JsonNode batch) {
        String said = batch.path("processing_status").asText();
        return new Progress(said.equals(ENDED) ? State.ENDED : State.RUNNING, said);
    }

    @Override
    public List<URI> results(URI batches, JsonNode batch) {
        URI told = JobAddress.resolve(batches, batch.path("results_url").textValue());
        return told == null ? List.of() : List.of(told);
    }

    @Override
    public Line read(JsonNode line) {
        String key = line.path("custom_id").asText();
        JsonNode result = line.path("result");
        return switch (result.path("type").asText()) {
            case "succeeded" -> new Line(key, 200, result.path("message"));
            case "expired", "canceled" ->
                new Line(key, 503, error("batch_" + result.path("type").asText()));
            case "errored" -> errored(key, result.path("error"));
            default -> new Line(key, 200, result);
        };
    }

    private static Line errored(String key, JsonNode told) {
        JsonNode error = told.path("error").isObject() ? told.path("error") : told;
        ObjectNode body = JsonNodeFactory.instance.objectNode();
        body.put("type", "error").set("error", error);
        return new Line(key, STATUSES.getOrDefault(error.path("type").asText(), 500), body);
    }

    private static ObjectNode error(String code) {
        ObjectNode body = JsonNodeFactory.instance.objectNode();
        body.putObject("error").put("type", code).put("message", "The batch ended before it came to this call.");
        return body;
    }

    @Override
    public Rest rest(JsonNode batch) {
        return new Rest("no_result", "The batch has ended and says nothing of this call.", false, null, List.of());
    }

    @Override
    public @Nullable URI submitted(URI batches, JsonNode batch) {
        return null;
    }

    @Override
    public String listing(@Nullable String after) {
        return "limit=100" + (after == null ? "" : "&after_id=" + after);
    }

    @Override
    public Listed listed(JsonNode batch) {
        int calls = Stream.of("processing", "succeeded", "errored", "canceled", "expired")
                .mapToInt(name -> batch.path("request_counts").path(name).asInt())
                .sum();
        return new Listed(
                batch.path("id").asText(),
                null,
                seconds(batch.path("created_at").asText()),
                calls,
                batch.path("processing_status").asText().equals(ENDED));
    }

    private static long seconds(String instant) {
        try {
            return Instant.parse(instant).getEpochSecond();
        } catch (DateTimeParseException e) {
            return Long.MAX_VALUE;
        }
    }
}
