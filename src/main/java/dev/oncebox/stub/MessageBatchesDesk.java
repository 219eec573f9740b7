package dev.oncebox.stub;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.oncebox.stub.BatchLine.End;
import dev.oncebox.stub.BatchLine.Outcome;
import dev.oncebox.stub.Step.Delivery;
import dev.oncebox.stub.Step.Form;
import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Anthropic's batches of messages: all requests in one body, all results in one file. */
final class MessageBatchesDesk {

    static final String NAME = "message_batches";
    private static final Face FACE = new MessagesFace();
    private static final int MOST = 100_000;
    private static final Pattern ID = Pattern.compile("[a-zA-Z0-9_-]{1,64}");
    private static final Duration WINDOW = Duration.ofHours(24);

    private MessageBatchesDesk() {}

    static Served create(Visit visit) throws BadRequest {
        List<BatchLine> lines = lines(visit, visit.body().path("requests"));
        Batch batch = new Batch(Shelf.newId("msgbatch_"), NAME, FACE, lines, visit.submissions());
        String failed = batch.later().value("batch-failed", "");
        if (!failed.isEmpty()) {
            return Served.whole(Reply.json(400, FACE.error(400, failed, "The stub was asked for this failure")));
        }
        if (batch.later().is("create-lost")) {
            return new Served(Reply.text(200, "text/plain", ""), Step.plain(Form.NO_BODY, 200, Delivery.CLOSE));
        }
        Step creation = batch.creation();
        if (creation.accepts()) {
            visit.memory().messageBatches().put(batch.id(), batch);
            batch.start();
        }
        return Replies.troubled(FACE, creation, () -> Reply.json(200, view(visit, batch, "in_progress")));
    }

    private static List<BatchLine> lines(Visit visit, JsonNode requests) throws BadRequest {
        if (!requests.isArray() || requests.isEmpty() || requests.size() > MOST) {
            throw new BadRequest("requests: an array of 1 to " + MOST + " requests is required");
        }
        Set<String> ids = new HashSet<>();
        for (JsonNode request : requests) {
            String id = request.path("custom_id").asText();
            if (!ID.matcher(id).matches() || !request.path("params").isObject()) {
                throw new BadRequest(
                        "requests: each has params and a custom_id that fits " + ID + ", not '" + id + "'");
            }
            if (!ids.add(id)) {
                throw new BadRequest("requests: the custom_id '" + id + "' is there twice");
            }
        }
        List<BatchLine> lines = new ArrayList<>();
        for (JsonNode request : requests) {
            lines.add(
                    BatchLine.of(visit, FACE, request.path("custom_id").asText(), (ObjectNode) request.path("params")));
        }
        return lines;
    }

    static Served poll(Visit visit) throws BadRequest {
        Batch batch = find(visit);
        Progress.Look look = batch.look();
        return Replies.troubled(
                FACE,
                look.trouble(),
                () -> look.hidden()
                        ? Reply.json(404, FACE.error(404, null, missing(visit.id())))
                        : Reply.json(200, view(visit, batch, status(batch))));
    }

    static Served list(Visit visit) throws BadRequest {
        Listing listing = Listing.of(visit.request(), "after_id", 20, 1000);
        List<Batch> batches = visit.memory().messageBatches().newestFirst();
        Step trouble = Batch.listingTrouble(batches.stream());
        if (listing.isFirst() && trouble == Step.GOOD) {
            batches = batches.stream().filter(Batch::isListed).toList();
        }
        ObjectNode page = listing.page(batches, Batch::id, batch -> view(visit, batch, status(batch)));
        return Replies.troubled(FACE, trouble, () -> Reply.json(200, page));
    }

    static Served cancel(Visit visit) throws BadRequest {
        Batch batch = find(visit);
        if (!batch.cancel()) {
            throw new BadRequest("Batch " + batch.id() + " has ended and cannot be canceled");
        }
        return Served.whole(Reply.json(200, view(visit, batch, "canceling")));
    }

    static Served results(Visit visit) throws BadRequest {
        Batch batch = find(visit);
        if (batch.ended() == null) {
            throw new BadRequest(404, "Batch " + batch.id() + " has no results yet");
        }
        ByteArrayOutputStream lines = new ByteArrayOutputStream();
        for (Outcome outcome : batch.outcomes()) {
            lines.writeBytes(Json.bytes(line(outcome)));
            lines.write('\n');
        }
        Reply results = new Reply(200, Map.of("Content-Type", "application/x-jsonl"), lines.toByteArray());
        return Replies.troubled(FACE, batch.download().next(), () -> results);
    }

    private static String status(Batch batch) {
        return batch.ended() == null ? "in_progress" : "ended";
    }

    private static ObjectNode view(Visit visit, Batch batch, String status) {
        boolean ended = status.equals("ended");
        ObjectNode view =
                Json.object().put("id", batch.id()).put("type", "message_batch").put("processing_status", status);
        view.putObject("request_counts")
                .put("processing", ended ? 0 : batch.size())
                .put("succeeded", ended ? batch.count(End.DONE) : 0)
                .put("errored", ended ? batch.count(End.REFUSED) + batch.count(End.BROKEN) : 0)
                .put("canceled", ended ? batch.count(End.CANCELLED) : 0)
                .put("expired", ended ? batch.count(End.EXPIRED) : 0);
        view.put("ended_at", ended ? String.valueOf(batch.ended()) : null)
                .put("created_at", batch.created().toString())
                .put("expires_at", batch.created().plus(WINDOW).toString())
                .putNull("archived_at")
                .put("cancel_initiated_at", text(batch.cancelled()));
        String results = visit.absolute("/v1/messages/batches/" + batch.id() + "/results");
        if (batch.later().is("batch-empty-files")) {
            results = "";
        }
        return view.put("results_url", ended && !batch.later().is("batch-null-files") ? results : null);
    }

    private static ObjectNode line(Outcome outcome) {
        ObjectNode line = Json.object().put("custom_id", outcome.customId());
        ObjectNode result = line.putObject("result");
        switch (outcome.end()) {
            case DONE -> result.put("type", "succeeded").set("message", outcome.body());
            case REFUSED -> result.put("type", "errored").set("error", outcome.body());
            case BROKEN ->
                result.put("type", "errored").set("error", FACE.error(500, null, "This request got no answer"));
            case EXPIRED -> result.put("type", "expired");
            case CANCELLED -> result.put("type", "canceled");
        }
        return line;
    }

    private static @Nullable String text(@Nullable Instant instant) {
        return instant == null ? null : instant.toString();
    }

    private static Batch find(Visit visit) throws BadRequest {
        return visit.memory()
                .messageBatches()
                .find(visit.id())
                .orElseThrow(() -> new BadRequest(404, missing(visit.id())));
    }

    private static String missing(String id) {
        return "There is no batch " + id;
    }
}
