package dev.oncebox.stub;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.oncebox.stub.Step.Delivery;
import org.jspecify.annotations.Nullable;

/** One call of a batch. Its step is decided when the batch is made, and it is answered when the batch ends. */
record BatchLine(
        String customId,
        ObjectNode body,
        String prompt,
        Step step,
        long number,
        @Nullable BadRequest refusal) {

    enum End {
        DONE,
        REFUSED,
        BROKEN,
        EXPIRED,
        CANCELLED
    }

    /** What became of a line; {@code body} is null where nothing answered. */
    record Outcome(
            String customId, End end, int status, @Nullable JsonNode body) {}

    static BatchLine of(Visit visit, Face face, String customId, ObjectNode body) {
        Tally tally = visit.memory().tally();
        long number = tally.nextLine();
        try {
            String prompt = face.prompt(body);
            return new BatchLine(customId, body, prompt, visit.plan().step(tally, prompt, number), number, null);
        } catch (BadRequest e) {
            return new BatchLine(customId, body, "", Step.GOOD, number, e);
        }
    }

    Outcome without(End end) {
        return new Outcome(customId, end, 0, null);
    }

    Outcome answered(Face face) {
        if (refusal != null) {
            return new Outcome(customId, End.REFUSED, refusal.status(), face.complaint(refusal.sentence()));
        }
        if (step.later().is("expired")) {
            return without(End.EXPIRED);
        }
        if (step.later().is("failed") || step.delivery() != Delivery.WHOLE) {
            return without(End.BROKEN);
        }
        if (step == Step.GOOD) {
            return new Outcome(customId, End.DONE, 200, face.answer(body, prompt, step, number));
        }
        Reply reply = Replies.answer(face, body, prompt, step, number);
        End end = reply.status() < 300 ? End.DONE : End.REFUSED;
        return new Outcome(customId, end, reply.status(), Json.lenient(reply.body()));
    }
}
