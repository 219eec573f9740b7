package dev.oncebox.stub;

import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * One request on its way through a face.
 *
 * @param id what stands for {@code {id}} in the path
 * @param number of the call; 0 when it is not counted
 */
record Visit(Request request, String id, long number, Memory memory, Plan plan) {

    ObjectNode body() throws BadRequest {
        return Json.readObject(request.body());
    }

    Step step(String prompt) throws BadRequest {
        return plan.step(memory.tally(), prompt, number);
    }

    Submissions submissions() {
        return memory.tally().submissions();
    }

    /** The key under which this call is counted as submitted. */
    String key() {
        String key = request.headers().get("Idempotency-Key");
        return key == null ? Tally.sha256Hex(request.body()) : key;
    }

    /** The address of a path on this stub, as the client names it. */
    String absolute(String path) {
        return "http://" + request.headers().getOrDefault("Host", "127.0.0.1") + path;
    }
}
