package dev.oncebox.stub;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.oncebox.stub.Step.Form;

/** {@code POST /summarize {"text"}}: the plainest JSON endpoint there is. */
final class SummarizeFace implements Face {

    @Override
    public String prompt(JsonNode request) throws BadRequest {
        String text = request.path("text").asText("");
        if (!request.path("text").isTextual() || text.isBlank()) {
            throw new BadRequest("There is no text: send {\"text\": \"…\"}");
        }
        return text;
    }

    @Override
    public ObjectNode answer(JsonNode request, String prompt, Step step, long call) {
        ObjectNode reply = Json.object();
        if (step.form() != Form.NO_CHOICES) {
            reply.put("summary", summary(prompt, step, call));
        }
        return reply.put("chars", prompt.codePointCount(0, prompt.length())).put("call", call);
    }

    private static String summary(String prompt, Step step, long call) {
        if (step.form() == Form.EMPTY || step.form() == Form.REFUSAL) {
            return "";
        }
        if (step.text() != null) {
            return step.text();
        }
        String text = step.echo() ? prompt : "[call " + call + "] " + Prose.summary(Script.without(prompt));
        return step.finish().equals("length") ? Prose.half(text) : text;
    }

    @Override
    public ObjectNode complaint(String message) {
        return Json.object().put("error", message);
    }
}
