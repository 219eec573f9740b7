package dev.oncebox.stub;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** One way to ask the stub for an answer. */
sealed interface Face permits ChatFace, MessagesFace, OllamaFace, ResponsesFace, SummarizeFace {

    /** The text in which a directive may stand. */
    String prompt(JsonNode request) throws BadRequest;

    /** The reply's body for a step that ends in an answer, be it an odd one. */
    ObjectNode answer(JsonNode request, String prompt, Step step, long call);

    /** An error in this face's form. */
    default ObjectNode error(int status, @Nullable String code, String message) {
        return Reply.errorBody(status, code, message);
    }

    /** What this face says about a request it cannot use. */
    default ObjectNode complaint(String message) {
        return error(400, null, message);
    }
}
