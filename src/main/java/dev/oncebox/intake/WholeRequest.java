package dev.oncebox.intake;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.oncebox.ledger.Request;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * An item that is a whole request, as OpenAI's batch files have one a line: {@code custom_id}, {@code method},
 * {@code url} and {@code body}. What OpenAI would refuse is refused in its words.
 */
final class WholeRequest {

    static final String MISSING = "missing_required_parameter";

    private static final String TYPE = "invalid_type";
    private static final String METHOD = "invalid_method";
    private static final String URL = "invalid_url";
    private static final String VALUE = "unsupported_value";
    private static final Set<String> CODES = Set.of(MISSING, TYPE, METHOD, URL, VALUE);
    private static final List<String> MEMBERS = List.of("custom_id", "method", "url", "body");

    private WholeRequest() {}

    static boolean isOne(ObjectNode fields) {
        return MEMBERS.stream().allMatch(fields::has);
    }

    /** Whether the item is a whole request, be it one that is refused. */
    static boolean isOne(Item item) {
        return item instanceof Item.Readable readable
                ? readable.passed() != null
                : CODES.contains(((Item.Unreadable) item).code());
    }

    static Item item(ObjectNode fields, Place at) {
        JsonNode customId = fields.path("custom_id");
        String id = customId.isTextual() ? customId.toString() : null;
        for (String member : MEMBERS) {
            if (!fields.hasNonNull(member)) {
                return at.unreadable(id, MISSING, "The member '" + member + "' is missing; add it.");
            }
        }
        if (!customId.isTextual() || !fields.path("url").isTextual()) {
            String wrong = customId.isTextual() ? "url" : "custom_id";
            return at.unreadable(id, TYPE, "The member '" + wrong + "' is no string; put it in quotes.");
        }
        if (customId.textValue().isEmpty()) {
            return at.unreadable(id, MISSING, "The custom_id is empty; give each line one of its own.");
        }
        if (!fields.path("method").asText().equals("POST")) {
            return at.unreadable(id, METHOD, "The method is not POST, the only one that there is; correct it.");
        }
        String url = fields.path("url").textValue();
        if (!isPath(url)) {
            return at.unreadable(
                    id, URL, "The url is no endpoint; write it as in OpenAI's files, \"/v1/chat/completions\" say.");
        }
        if (!(fields.path("body") instanceof ObjectNode body)) {
            return at.unreadable(id, TYPE, "The body is no object; make it one.");
        }
        String unsupported = unsupported(url, body);
        if (unsupported != null) {
            return at.unreadable(id, VALUE, unsupported);
        }
        if (url.equals(Request.CHAT) && !ItemParser.areMessages(body.path("messages"))) {
            return at.unreadable(
                    id,
                    MISSING,
                    "The body has no 'messages' that are a list of objects, at least one, each with a role; add them.");
        }
        return new Item.Readable(
                at.n(), at.line(), at.offset(), id, null, null, fields, new Request.Passed(url, body), null);
    }

    private static boolean isPath(String url) {
        return url.matches("/v1/[a-z0-9_/-]{1,80}");
    }

    /** What would bring another reply than the one whole reply that is waited for. */
    private static @Nullable String unsupported(String url, ObjectNode body) {
        if (body.path("stream").asBoolean()) {
            return "The body says \"stream\": true, and a batch has no streams; remove it.";
        }
        if (url.equals("/v1/responses") && body.path("background").asBoolean()) {
            return "The body says \"background\": true; remove it, and use an engine of protocol openai-responses.";
        }
        return null;
    }
}
