package dev.oncebox.stub;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** One way to ask the stub for an answer. */
sealed interface Face permits ChatFace, SummarizeFace {

    /** The text in which a directive may stand. */
    String prompt(JsonNode request) throws BadRequest;

    /** The reply's body for a step that ends in an answer, be it an odd one. */
    ObjectNode answer(JsonNode request, String prompt, Step step, long call);

    /** What this face says about a request it cannot use. */
    ObjectNode complaint(String message);
}
