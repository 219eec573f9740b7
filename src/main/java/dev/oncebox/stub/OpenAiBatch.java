package dev.oncebox.stub;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.oncebox.stub.BatchLine.End;
import dev.oncebox.stub.BatchLine.Outcome;
import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A batch in OpenAI's form, with the two files it leaves behind. */
final class OpenAiBatch {

    private static final Duration WINDOW = Duration.ofHours(24);

    private final Batch batch;
    private final ObjectNode request;
    private final ArrayNode errors;
    private final Shelf<StoredFile> files;
    private boolean closed;
    private @Nullable String output;
    private @Nullable String error;

    /** @param errors why it fails; empty when it does not */
    OpenAiBatch(Batch batch, ObjectNode request, ArrayNode errors, Shelf<StoredFile> files) {
        this.batch = batch;
        this.request = request;
        this.errors = errors;
        this.files = files;
    }

    String id() {
        return batch.id();
    }

    Batch batch() {
        return batch;
    }

    boolean failed() {
        return !errors.isEmpty();
    }

    /** As it stands. A batch that fails does so after the reply to its creation. */
    ObjectNode view() {
        if (failed()) {
            return view("failed");
        }
        if (batch.ended() == null) {
            return view(batch.polls() < 2 ? "validating" : "in_progress");
        }
        close();
        if (batch.cancelled() != null) {
            return view("cancelled");
        }
        return view(batch.expired() ? "expired" : "completed");
    }

    synchronized ObjectNode view(String status) {
        boolean open = failed() || status.equals("validating") || status.equals("in_progress");
        Instant ended = open ? null : batch.ended();
        ObjectNode view = Json.object()
                .put("id", id())
                .put("object", "batch")
                .put("endpoint", request.path("endpoint").asText());
        view.putNull("errors");
        if (status.equals("failed")) {
            view.putObject("errors").put("object", "list").set("data", errors);
        }
        view.put("input_file_id", request.path("input_file_id").asText())
                .put("completion_window", request.path("completion_window").asText())
                .put("status", status)
                .put("output_file_id", output)
                .put("error_file_id", error)
                .put("created_at", seconds(batch.created()))
                .put("in_progress_at", status.equals("validating") ? null : seconds(batch.created()))
                .put("expires_at", seconds(batch.created().plus(WINDOW)))
                .put("finalizing_at", status.equals("completed") ? seconds(ended) : null)
                .put("completed_at", status.equals("completed") ? seconds(ended) : null)
                .put("failed_at", status.equals("failed") ? seconds(batch.created()) : null)
                .put("expired_at", status.equals("expired") ? seconds(ended) : null)
                .put("cancelling_at", seconds(batch.cancelled()))
                .put("cancelled_at", status.equals("cancelled") ? seconds(ended) : null);
        long done = ended == null ? 0 : batch.count(End.DONE);
        view.putObject("request_counts")
                .put("total", status.equals("validating") || failed() ? 0 : batch.size())
                .put("completed", done)
                .put("failed", ended == null ? 0 : batch.outcomesCounted() - done);
        view.set("metadata", request.path("metadata").isObject() ? request.path("metadata") : null);
        return view;
    }

    /** Leaves the files behind, once. */
    private synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        List<Outcome> outcomes = batch.outcomes();
        batch.forget();
        if (batch.later().is("batch-null-files")) {
            return;
        }
        if (batch.later().is("batch-empty-files")) {
            output = "";
            error = "";
            return;
        }
        output = file(
                "output", outcomes.stream().filter(o -> o.end() == End.DONE).toList());
        error = file("error", outcomes.stream().filter(o -> o.end() != End.DONE).toList());
    }

    private @Nullable String file(String kind, List<Outcome> outcomes) {
        if (outcomes.isEmpty()) {
            return null;
        }
        ByteArrayOutputStream lines = new ByteArrayOutputStream();
        for (Outcome outcome : outcomes) {
            lines.writeBytes(Json.bytes(line(outcome)));
            lines.write('\n');
        }
        StoredFile file = new StoredFile(
                Shelf.newId("file-"),
                id() + "_" + kind + ".jsonl",
                "batch_output",
                lines.toByteArray(),
                Instant.now(),
                batch.download());
        files.put(file.id(), file);
        return file.id();
    }

    private static ObjectNode line(Outcome outcome) {
        ObjectNode line = Json.object().put("id", Shelf.newId("batch_req_")).put("custom_id", outcome.customId());
        if (outcome.body() != null) {
            line.putObject("response")
                    .put("status_code", outcome.status())
                    .put("request_id", Shelf.newId(""))
                    .set("body", outcome.body());
            return line.putNull("error");
        }
        line.putNull("response");
        ObjectNode error = line.putObject("error");
        return switch (outcome.end()) {
            case EXPIRED -> {
                error.put("code", "batch_expired")
                        .put("message", "This request could not be executed before the completion window expired.");
                yield line;
            }
            case CANCELLED -> {
                error.put("code", "batch_cancelled")
                        .put("message", "This request was cancelled together with its batch.");
                yield line;
            }
            default -> {
                error.put("code", "request_timeout").put("message", "This request got no answer in time.");
                yield line;
            }
        };
    }

    private static @Nullable Long seconds(@Nullable Instant instant) {
        return instant == null ? null : instant.getEpochSecond();
    }
}
