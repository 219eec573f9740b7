package dev.oncebox.stub;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.oncebox.stub.Step.Delivery;
import dev.oncebox.stub.Step.Form;
import java.util.List;
import java.util.Map;

/** OpenAI's batches: made of an uploaded file, asked for by their id, found again by listing. */
final class OpenAiBatchesDesk {

    static final String NAME = "batches";
    private static final Map<String, Face> ENDPOINTS =
            Map.of("/v1/chat/completions", new ChatFace(), "/v1/responses", ResponsesDesk.FACE);
    private static final Face MANNER = new ChatFace();

    private OpenAiBatchesDesk() {}

    static Served create(Visit visit) throws BadRequest {
        ObjectNode request = visit.body();
        String endpoint = request.path("endpoint").asText();
        Face face = ENDPOINTS.get(endpoint);
        if (face == null) {
            throw new BadRequest("'endpoint' must be one of " + ENDPOINTS.keySet() + ", not '" + endpoint + "'");
        }
        if (!request.path("completion_window").asText().equals("24h")) {
            throw new BadRequest("'completion_window' must be 24h");
        }
        checkMetadata(request.path("metadata"));
        StoredFile file = visit.memory()
                .files()
                .find(request.path("input_file_id").asText())
                .orElseThrow(() -> new BadRequest("'input_file_id' is no uploaded file"));
        if (!file.purpose().equals("batch")) {
            throw new BadRequest("The purpose of the input file must be batch, not " + file.purpose());
        }
        OpenAiLines lines = OpenAiLines.read(file.content(), endpoint);
        List<BatchLine> calls = lines.errors().isEmpty()
                ? lines.inputs().stream()
                        .map(input -> BatchLine.of(visit, face, input.customId(), input.body()))
                        .toList()
                : List.of();
        Batch batch = new Batch(Shelf.newId("batch_"), NAME, face, calls, visit.submissions());
        if (batch.later().is("batch-failed")) {
            lines.error(null, batch.later().value("batch-failed", ""), "The stub was asked for this failure.", null);
        }
        for (int i = 0; i < calls.size(); i++) {
            String code = calls.get(i).step().later().value("line-error", "");
            if (!code.isEmpty()) {
                lines.error(i + 1, code, "The stub was asked for this error of a line.", null);
            }
        }
        return put(
                visit,
                new OpenAiBatch(batch, request, lines.errors(), visit.memory().files()));
    }

    private static void checkMetadata(JsonNode metadata) throws BadRequest {
        boolean good = metadata.size() <= 16;
        for (Map.Entry<String, JsonNode> pair : metadata.properties()) {
            JsonNode value = pair.getValue();
            good &= pair.getKey().length() <= 64
                    && value.isTextual()
                    && value.asText().length() <= 512;
        }
        if (!good) {
            throw new BadRequest("'metadata' has at most 16 texts of at most 512 characters, their names at most 64");
        }
    }

    private static Served put(Visit visit, OpenAiBatch batch) {
        Step creation = batch.batch().creation();
        if (batch.batch().later().is("create-lost")) {
            return new Served(Reply.text(200, "text/plain", ""), Step.plain(Form.NO_BODY, 200, Delivery.CLOSE));
        }
        if (creation.accepts()) {
            visit.memory().batches().put(batch.id(), batch);
            if (!batch.failed()) {
                batch.batch().start();
            }
        }
        return Replies.troubled(MANNER, creation, () -> Reply.json(200, batch.view("validating")));
    }

    static Served poll(Visit visit) throws BadRequest {
        OpenAiBatch batch = find(visit);
        Progress.Look look = batch.batch().look();
        return Replies.troubled(
                MANNER,
                look.trouble(),
                () -> look.hidden()
                        ? Reply.json(404, MANNER.error(404, null, missing(visit.id())))
                        : Reply.json(200, batch.view()));
    }

    static Served list(Visit visit) throws BadRequest {
        Listing listing = Listing.of(visit.request(), "after", 20, 100);
        List<OpenAiBatch> batches = visit.memory().batches().newestFirst();
        Step trouble = Batch.listingTrouble(batches.stream().map(OpenAiBatch::batch));
        if (listing.isFirst() && trouble == Step.GOOD) {
            batches = batches.stream().filter(batch -> batch.batch().isListed()).toList();
        }
        ObjectNode page = listing.page(batches, OpenAiBatch::id, OpenAiBatch::view);
        return Replies.troubled(MANNER, trouble, () -> Reply.json(200, page.put("object", "list")));
    }

    static Served cancel(Visit visit) throws BadRequest {
        OpenAiBatch batch = find(visit);
        if (batch.failed() || !batch.batch().cancel()) {
            throw new BadRequest(
                    409,
                    "Cannot cancel a batch with status '"
                            + batch.view().path("status").asText() + "'.");
        }
        return Served.whole(Reply.json(200, batch.view("cancelling")));
    }

    private static OpenAiBatch find(Visit visit) throws BadRequest {
        return visit.memory().batches().find(visit.id()).orElseThrow(() -> new BadRequest(404, missing(visit.id())));
    }

    private static String missing(String id) {
        return "No batch found with id '" + id + "'.";
    }
}
