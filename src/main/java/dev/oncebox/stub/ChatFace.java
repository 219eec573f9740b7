package dev.oncebox.stub;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.oncebox.stub.Step.Form;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** OpenAI's chat completions, not streamed. */
final class ChatFace implements Face {

    @Override
    public String prompt(JsonNode request) throws BadRequest {
        Conversation conversation = Conversation.of(request);
        if (request.path("stream").asBoolean()) {
            throw new BadRequest("The stub does not stream: leave 'stream' out");
        }
        return conversation.prompt();
    }

    @Override
    public ObjectNode answer(JsonNode request, String prompt, Step step, long call) {
        String content = Conversation.answer(prompt, step, call, schema(request));
        ObjectNode reply = Json.object()
                .put("id", "chatcmpl-stub-" + call)
                .put("object", "chat.completion")
                .put("created", Instant.now().getEpochSecond())
                .put("model", request.path("model").asText("stub"));
        var choices = reply.putArray("choices");
        if (step.form() != Form.NO_CHOICES) {
            ObjectNode choice = choices.addObject().put("index", 0);
            ObjectNode message = choice.putObject("message").put("role", "assistant");
            if (step.form() == Form.REFUSAL) {
                message.putNull("content").put("refusal", "I'm sorry, I can't help with that.");
            } else {
                message.put("content", content).putNull("refusal");
            }
            choice.putNull("logprobs").put("finish_reason", step.finish());
        }
        int asked = new Conversation(request.path("messages")).words();
        int said = Prose.words(content);
        reply.putObject("usage")
                .put("prompt_tokens", asked)
                .put("completion_tokens", said)
                .put("total_tokens", asked + said);
        return reply;
    }

    private static @Nullable JsonNode schema(JsonNode request) {
        JsonNode format = request.path("response_format");
        return switch (format.path("type").asText()) {
            case "json_object" -> Json.object();
            case "json_schema" -> format.path("json_schema").path("schema");
            default -> null;
        };
    }
}
