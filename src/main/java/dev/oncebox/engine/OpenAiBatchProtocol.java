package dev.oncebox.engine;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.oncebox.engine.DeferredProtocol.Progress;
import dev.oncebox.engine.DeferredProtocol.State;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.hc.client5.http.entity.mime.MultipartEntityBuilder;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.HttpEntity;
import org.apache.hc.core5.http.io.entity.ByteArrayEntity;
import org.jspecify.annotations.Nullable;

/** OpenAI's batches of chat completions: a file is uploaded, and a batch is made of it. */
final class OpenAiBatchProtocol implements BatchProtocol {

    /** The member of a batch's metadata that holds our handle. */
    private static final String HANDLE = "oncebox_batch";

    private static final Set<String> ENDED = Set.of("completed", "failed", "expired", "cancelled");
    private static final ContentType LINES = ContentType.create("application/jsonl", StandardCharsets.UTF_8);

    /** The statuses that the errors of single calls would have had alone. */
    private static final Map<String, Integer> FREE_ERRORS = Map.of("batch_expired", 503, "batch_cancelled", 503);

    private final Protocol calls = new OpenAiProtocol();

    @Override
    public Protocol calls() {
        return calls;
    }

    @Override
    public byte[] line(String key, String url, JsonNode body) {
        ObjectNode line = JsonNodeFactory.instance.objectNode();
        line.put("custom_id", key).put("method", "POST").put("url", url);
        line.set("body", body);
        return Json.bytes(line);
    }

    /** A batch is of one model. */
    @Override
    public String group(JsonNode body) {
        return body.path("model").asText();
    }

    @Override
    public URI uploads(URI batches) {
        return batches.resolve("files");
    }

    @Override
    public HttpEntity upload(String handle, List<byte[]> lines) {
        return MultipartEntityBuilder.create()
                .addTextBody("purpose", "batch")
                .addBinaryBody("file", joined(lines), LINES, handle + ".jsonl")
                .build();
    }

    private static byte[] joined(List<byte[]> lines) {
        ByteBuffer file = ByteBuffer.allocate(
                lines.stream().mapToInt(line -> line.length + 1).sum());
        for (byte[] line : lines) {
            file.put(line).put((byte) '\n');
        }
        return file.array();
    }

    @Override
    public HttpEntity submission(String handle, List<byte[]> lines, @Nullable String upload) {
        ObjectNode body = JsonNodeFactory.instance.objectNode();
        JsonNode first = Objects.requireNonNull(Json.tree(lines.get(0)));
        body.put("input_file_id", upload)
                .put("endpoint", first.path("url").asText())
                .put("completion_window", "24h");
        body.putObject("metadata").put(HANDLE, handle);
        return new ByteArrayEntity(Json.bytes(body), ContentType.APPLICATION_JSON);
    }

    @Override
    public Progress progress(JsonNode batch) {
        String said = batch.path("status").asText();
        return new Progress(ENDED.contains(said) ? State.ENDED : State.RUNNING, said);
    }

    @Override
    public List<URI> results(URI batches, JsonNode batch) {
        return Stream.of("output_file_id", "error_file_id")
                .map(name -> content(batches, batch.path(name).asText("")))
                .flatMap(Stream::ofNullable)
                .toList();
    }

    private static @Nullable URI content(URI batches, String file) {
        return JobAddress.isId(file) ? batches.resolve("files/" + file + "/content") : null;
    }

    @Override
    public Line read(JsonNode line) {
        String key = line.path("custom_id").asText();
        JsonNode response = line.path("response");
        JsonNode error = line.path("error");
        if (response.isObject()) {
            return new Line(key, response.path("status_code").asInt(), response.path("body"));
        }
        ObjectNode body = JsonNodeFactory.instance.objectNode();
        body.set("error", error);
        return new Line(key, FREE_ERRORS.getOrDefault(error.path("code").asText(), 504), body);
    }

    @Override
    public Rest rest(JsonNode batch) {
        String status = batch.path("status").asText();
        return switch (status) {
            case "expired" -> free("batch_expired", "The batch expired before it came to this call.");
            case "cancelled" -> free("batch_cancelled", "The batch was cancelled before it came to this call.");
            case "failed" -> refused(batch.path("errors").path("data"));
            default ->
                new Rest("no_result", "The batch has ended and says nothing of this call.", false, null, List.of());
        };
    }

    private static Rest free(String code, String reason) {
        return new Rest(code, reason, true, null, List.of());
    }

    private static Rest refused(JsonNode errors) {
        List<LineError> lines = new ArrayList<>();
        JsonNode whole = JsonNodeFactory.instance.objectNode();
        for (JsonNode error : errors) {
            if (error.path("line").canConvertToInt() && error.path("line").intValue() > 0) {
                lines.add(new LineError(
                        error.path("line").intValue(),
                        error.path("code").asText("invalid_line"),
                        error.path("message").asText()));
            } else if (whole.isEmpty()) {
                whole = JsonNodeFactory.instance.objectNode().set("error", error);
            }
        }
        ErrorBody refusal = ErrorBody.of(whole, false);
        String why = refusal == null || refusal.message() == null ? "" : ": " + refusal.message();
        return new Rest("batch_refused", "The batch was refused as a whole" + why, true, refusal, lines);
    }

    @Override
    public @Nullable URI submitted(URI batches, JsonNode batch) {
        return content(batches, batch.path("input_file_id").asText(""));
    }

    @Override
    public String listing(@Nullable String after) {
        return "limit=100" + (after == null ? "" : "&after=" + after);
    }

    @Override
    public Listed listed(JsonNode batch) {
        return new Listed(
                batch.path("id").asText(),
                batch.path("metadata").path(HANDLE).asText(""),
                batch.path("created_at").asLong(),
                -1,
                ENDED.contains(batch.path("status").asText()));
    }
}
