package dev.oncebox.stub;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.oncebox.stub.Step.Form;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** OpenAI's responses, not streamed. */
final class ResponsesFace implements Face {

    @Override
    public String prompt(JsonNode request) throws BadRequest {
        JsonNode input = request.path("input");
        if (request.path("stream").asBoolean()) {
            throw new BadRequest("The stub does not stream: leave 'stream' out");
        }
        if (input.isTextual()) {
            return input.asText();
        }
        if (!input.isArray() || input.isEmpty()) {
            throw new BadRequest("'input' must be a text or an array with at least one item");
        }
        return new Conversation(input).prompt();
    }

    @Override
    public ObjectNode answer(JsonNode request, String prompt, Step step, long call) {
        String content = Conversation.answer(prompt, step, call, schema(request));
        String cut =
                switch (step.finish()) {
                    case "length" -> "max_output_tokens";
                    case "content_filter" -> "content_filter";
                    default -> null;
                };
        String id = Shelf.newId("resp_");
        ObjectNode reply = frame(request, id, cut == null ? "completed" : "incomplete");
        if (cut != null) {
            reply.putObject("incomplete_details").put("reason", cut);
        }
        if (step.form() != Form.NO_CHOICES) {
            ObjectNode message = reply.withArray("output")
                    .addObject()
                    .put("type", "message")
                    .put("id", "msg_" + id)
                    .put("status", cut == null ? "completed" : "incomplete")
                    .put("role", "assistant");
            ObjectNode part = message.putArray("content").addObject();
            if (step.form() == Form.REFUSAL) {
                part.put("type", "refusal").put("refusal", "I'm sorry, I can't help with that.");
            } else {
                part.put("type", "output_text").put("text", content);
                part.putArray("annotations");
                part.putArray("logprobs");
            }
        }
        usage(reply, words(request), Prose.words(content));
        return reply;
    }

    /** A response that has no output yet. */
    static ObjectNode frame(JsonNode request, String id, String status) {
        ObjectNode reply = Json.object()
                .put("id", id)
                .put("object", "response")
                .put("created_at", Instant.now().getEpochSecond())
                .put("status", status)
                .put("background", request.path("background").asBoolean())
                .putNull("error")
                .putNull("incomplete_details");
        copy(request, "instructions", reply);
        copy(request, "max_output_tokens", reply);
        reply.put("model", request.path("model").asText("stub"));
        reply.putArray("output");
        reply.put("parallel_tool_calls", true).putNull("previous_response_id");
        reply.putObject("reasoning").putNull("effort").putNull("summary");
        reply.put("temperature", 1.0);
        if (request.path("text").isObject()) {
            reply.set("text", request.path("text"));
        } else {
            reply.putObject("text").putObject("format").put("type", "text");
        }
        reply.put("tool_choice", "auto").putArray("tools");
        reply.put("top_p", 1.0).put("truncation", "disabled").putNull("usage").putNull("user");
        reply.set("metadata", request.path("metadata").isObject() ? request.path("metadata") : Json.object());
        return reply;
    }

    private static void copy(JsonNode request, String name, ObjectNode reply) {
        reply.set(name, request.path(name).isMissingNode() ? null : request.path(name));
    }

    private static void usage(ObjectNode reply, int asked, int said) {
        ObjectNode usage = reply.putObject("usage").put("input_tokens", asked);
        usage.putObject("input_tokens_details").put("cached_tokens", 0).put("cache_write_tokens", 0);
        usage.put("output_tokens", said).putObject("output_tokens_details").put("reasoning_tokens", 0);
        usage.put("total_tokens", asked + said);
    }

    private static int words(JsonNode request) {
        JsonNode input = request.path("input");
        int words = input.isTextual() ? Prose.words(input.asText()) : new Conversation(input).words();
        return words + Prose.words(request.path("instructions").asText(""));
    }

    private static @Nullable JsonNode schema(JsonNode request) {
        JsonNode format = request.path("text").path("format");
        return switch (format.path("type").asText()) {
            case "json_object" -> Json.object();
            case "json_schema" -> format.path("schema");
            default -> null;
        };
    }
}
