package dev.oncebox.bench;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** The request that every contestant makes of a line. */
final class ChatRequest {

    private ChatRequest() {}

    static String of(ObjectMapper json, String line) throws JsonProcessingException {
        ObjectNode request = json.createObjectNode().put("model", "bench");
        request.putArray("messages")
                .addObject()
                .put("role", "user")
                .put("content", json.readTree(line).path("text").textValue());
        return json.writeValueAsString(request);
    }

    static String url(String port, int inFlight) {
        return "http://127.0.0.1:" + port + "/v1/chat/completions?httpMethod=POST&maxTotalConnections=" + inFlight
                + "&connectionsPerRoute=" + inFlight;
    }
}
