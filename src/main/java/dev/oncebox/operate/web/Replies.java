package dev.oncebox.operate.web;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.vertx.core.Future;
import io.vertx.core.http.HttpServerResponse;

/** What is said without a route of Camel's. */
final class Replies {

    private Replies() {}

    /** @param sentence for people; holds nothing of the request */
    static Future<Void> error(HttpServerResponse response, int status, String sentence) {
        return response.ended()
                ? Future.succeededFuture()
                : response.setStatusCode(status)
                        .putHeader("Content-Type", "application/json")
                        .end(error(sentence));
    }

    static String error(String sentence) {
        return JsonNodeFactory.instance.objectNode().put("error", sentence).toString();
    }
}
