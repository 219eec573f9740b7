package dev.oncebox.stub;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What is to be written back. */
@SuppressWarnings("ArrayRecordComponent") // never compared
record Reply(int status, Map<String, String> headers, byte[] body) {

    private static final Map<Integer, String> REASONS = Map.ofEntries(
            Map.entry(200, "OK"),
            Map.entry(202, "Accepted"),
            Map.entry(303, "See Other"),
            Map.entry(400, "Bad Request"),
            Map.entry(401, "Unauthorized"),
            Map.entry(403, "Forbidden"),
            Map.entry(404, "Not Found"),
            Map.entry(405, "Method Not Allowed"),
            Map.entry(408, "Request Timeout"),
            Map.entry(409, "Conflict"),
            Map.entry(410, "Gone"),
            Map.entry(413, "Content Too Large"),
            Map.entry(429, "Too Many Requests"),
            Map.entry(500, "Internal Server Error"),
            Map.entry(502, "Bad Gateway"),
            Map.entry(503, "Service Unavailable"),
            Map.entry(504, "Gateway Timeout"),
            Map.entry(529, "Overloaded"));

    static Reply text(int status, String type, String text) {
        return new Reply(status, Map.of("Content-Type", type), text.getBytes(StandardCharsets.UTF_8));
    }

    static Reply json(int status, JsonNode body) {
        return new Reply(status, Map.of("Content-Type", "application/json"), Json.bytes(body));
    }

    /** An error in OpenAI's form, with the type and code that go with the status unless a code is given. */
    static Reply error(int status, @Nullable String code, String message) {
        return json(status, errorBody(status, code, message));
    }

    static ObjectNode errorBody(int status, @Nullable String code, String message) {
        String type =
                switch (status) {
                    case 401 -> "authentication_error";
                    case 403 -> "permission_error";
                    case 429 -> "insufficient_quota".equals(code) ? "insufficient_quota" : "requests";
                    default -> status < 500 && status >= 400 ? "invalid_request_error" : "server_error";
                };
        String usual =
                switch (status) {
                    case 401 -> "invalid_api_key";
                    case 429 -> "rate_limit_exceeded";
                    default -> null;
                };
        ObjectNode body = Json.object();
        body.putObject("error")
                .put("message", message)
                .put("type", type)
                .putNull("param")
                .put("code", code == null ? usual : code);
        return body;
    }

    /** The same with more headers; those that are there already are replaced. */
    Reply with(Map<String, String> more) {
        if (more.isEmpty()) {
            return this;
        }
        Map<String, String> all = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        all.putAll(headers);
        all.putAll(more);
        return new Reply(status, all, body);
    }

    /** Status line and headers, with the length of the whole body. */
    byte[] head(boolean last) {
        StringBuilder head = new StringBuilder(160)
                .append("HTTP/1.1 ")
                .append(status)
                .append(' ')
                .append(REASONS.getOrDefault(status, "Status"))
                .append("\r\n");
        headers.forEach(
                (name, value) -> head.append(name).append(": ").append(value).append("\r\n"));
        if (!headers.containsKey("Content-Length")) {
            head.append("Content-Length: ").append(body.length).append("\r\n");
        }
        if (last) {
            head.append("Connection: close\r\n");
        }
        return head.append("\r\n").toString().getBytes(StandardCharsets.ISO_8859_1);
    }
}
