package dev.oncebox.stub;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.oncebox.stub.Step.Form;
import org.jspecify.annotations.Nullable;

/** Anthropic's messages, not streamed. */
final class MessagesFace implements Face {

    @Override
    public String prompt(JsonNode request) throws BadRequest {
        Conversation conversation = Conversation.of(request);
        if (request.path("max_tokens").asInt() < 1) {
            throw new BadRequest("max_tokens: a whole number above 0 is required");
        }
        if (request.path("stream").asBoolean()) {
            throw new BadRequest("The stub does not stream: leave 'stream' out");
        }
        return conversation.prompt();
    }

    @Override
    public ObjectNode answer(JsonNode request, String prompt, Step step, long call) {
        JsonNode schema = request.path("output_config").path("format").path("schema");
        String content = Conversation.answer(prompt, step, call, schema.isMissingNode() ? null : schema);
        ObjectNode reply = Json.object()
                .put("id", "msg_stub_" + call)
                .put("type", "message")
                .put("role", "assistant")
                .put("model", request.path("model").asText("stub"));
        if (step.form() != Form.NO_CHOICES) {
            ArrayNode blocks = reply.putArray("content");
            if (step.form() != Form.REFUSAL) {
                blocks.addObject().put("type", "text").put("text", content);
            }
            reply.put("stop_reason", step.form() == Form.REFUSAL ? "refusal" : reason(step.finish()))
                    .putNull("stop_sequence");
        }
        int asked = new Conversation(request.path("messages")).words()
                + Prose.words(Conversation.text(request.path("system")));
        reply.putObject("usage")
                .put("input_tokens", asked)
                .put("cache_creation_input_tokens", 0)
                .put("cache_read_input_tokens", 0)
                .put("output_tokens", Prose.words(content));
        return reply;
    }

    private static String reason(String finish) {
        return switch (finish) {
            case "stop" -> "end_turn";
            case "length" -> "max_tokens";
            case "tool_calls" -> "tool_use";
            case "content_filter" -> "refusal";
            default -> finish;
        };
    }

    @Override
    public ObjectNode error(int status, @Nullable String code, String message) {
        String usual =
                switch (status) {
                    case 401 -> "authentication_error";
                    case 402 -> "billing_error";
                    case 403 -> "permission_error";
                    case 404 -> "not_found_error";
                    case 413 -> "request_too_large";
                    case 429 -> "rate_limit_error";
                    case 504 -> "timeout_error";
                    case 529 -> "overloaded_error";
                    default -> status < 500 && status >= 400 ? "invalid_request_error" : "api_error";
                };
        ObjectNode body = Json.object().put("type", "error");
        body.putObject("error").put("type", code == null ? usual : code).put("message", message);
        return body;
    }
}
