package dev.oncebox.stub;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.oncebox.stub.Step.Form;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Ollama's own chat, not streamed. */
final class OllamaFace implements Face {

    @Override
    public String prompt(JsonNode request) throws BadRequest {
        Conversation conversation = Conversation.of(request);
        if (request.path("stream").asBoolean(true)) {
            throw new BadRequest("The stub does not stream: set 'stream' to false");
        }
        return conversation.prompt();
    }

    @Override
    public ObjectNode answer(JsonNode request, String prompt, Step step, long call) {
        String content = step.form() == Form.REFUSAL
                ? ""
                : Conversation.answer(prompt, step, call, schema(request.get("format")));
        ObjectNode reply = Json.object()
                .put("model", request.path("model").asText("stub"))
                .put("created_at", Instant.now().toString());
        if (step.form() != Form.NO_CHOICES) {
            reply.putObject("message").put("role", "assistant").put("content", content);
        }
        return reply.put("done", true)
                .put("done_reason", step.finish())
                .put("prompt_eval_count", new Conversation(request.path("messages")).words())
                .put("eval_count", Prose.words(content));
    }

    private static @Nullable JsonNode schema(@Nullable JsonNode format) {
        if (format == null || format.isObject()) {
            return format;
        }
        return format.asText().equals("json") ? Json.object() : null;
    }

    @Override
    public ObjectNode error(int status, @Nullable String code, String message) {
        return Json.object().put("error", code == null ? message : message + ": " + code);
    }
}
