package dev.oncebox.stub;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.oncebox.stub.Step.Form;
import java.time.Instant;

/** OpenAI's chat completions, not streamed. */
final class ChatFace implements Face {

    @Override
    public String prompt(JsonNode request) throws BadRequest {
        JsonNode messages = request.path("messages");
        if (!messages.isArray() || messages.isEmpty()) {
            throw new BadRequest("'messages' must be an array with at least one message");
        }
        if (request.path("stream").asBoolean()) {
            throw new BadRequest("The stub does not stream: leave 'stream' out");
        }
        JsonNode last = messages.get(messages.size() - 1);
        for (JsonNode message : messages) {
            if (message.path("role").asText().equals("user")) {
                last = message;
            }
        }
        return text(last.path("content"));
    }

    @Override
    public ObjectNode answer(JsonNode request, String prompt, Step step, long call) {
        String content = content(request, prompt, step, call);
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
        int asked = 0;
        for (JsonNode message : request.path("messages")) {
            asked += Prose.words(text(message.path("content")));
        }
        int said = Prose.words(content);
        reply.putObject("usage")
                .put("prompt_tokens", asked)
                .put("completion_tokens", said)
                .put("total_tokens", asked + said);
        return reply;
    }

    @Override
    public ObjectNode complaint(String message) {
        return Reply.errorBody(400, null, message);
    }

    private static String content(JsonNode request, String prompt, Step step, long call) {
        if (step.form() == Form.EMPTY) {
            return "";
        }
        String summary = Prose.summary(Script.without(prompt));
        JsonNode format = request.path("response_format");
        String text =
                switch (step.echo() ? "echo" : format.path("type").asText()) {
                    case "echo" -> prompt;
                    case "json_object" ->
                        Json.text(Json.object().put("call", call).put("summary", summary));
                    case "json_schema" -> new Example(format.path("json_schema").path("schema"), call, summary).json();
                    default -> "[call " + call + "] " + summary;
                };
        return step.finish().equals("length") ? Prose.half(text) : text;
    }

    private static String text(JsonNode content) {
        if (!content.isArray()) {
            return content.asText("");
        }
        StringBuilder text = new StringBuilder();
        for (JsonNode part : content) {
            text.append(part.path("text").asText(""));
        }
        return text.toString();
    }
}
