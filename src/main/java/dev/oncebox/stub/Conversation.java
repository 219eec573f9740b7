package dev.oncebox.stub;

import com.fasterxml.jackson.databind.JsonNode;
import dev.oncebox.stub.Step.Form;
import org.jspecify.annotations.Nullable;

/** The messages of a chat, as all chat faces take them. */
record Conversation(JsonNode messages) {

    static Conversation of(JsonNode request) throws BadRequest {
        JsonNode messages = request.path("messages");
        if (!messages.isArray() || messages.isEmpty()) {
            throw new BadRequest("'messages' must be an array with at least one message");
        }
        return new Conversation(messages);
    }

    /** The last message of the user, else the last one. */
    String prompt() {
        JsonNode last = messages.get(messages.size() - 1);
        for (JsonNode message : messages) {
            if (message.path("role").asText().equals("user")) {
                last = message;
            }
        }
        return text(last.path("content"));
    }

    int words() {
        int words = 0;
        for (JsonNode message : messages) {
            words += Prose.words(text(message.path("content")));
        }
        return words;
    }

    /** A text, or the texts of several parts. */
    static String text(JsonNode content) {
        if (!content.isArray()) {
            return content.asText("");
        }
        StringBuilder text = new StringBuilder();
        for (JsonNode part : content) {
            text.append(part.path("text").asText(""));
        }
        return text.toString();
    }

    /** @param schema what a JSON answer must meet; null where a text is wanted */
    static String answer(String prompt, Step step, long call, @Nullable JsonNode schema) {
        if (step.form() == Form.EMPTY) {
            return "";
        }
        if (step.text() != null) {
            return step.text();
        }
        String summary = Prose.summary(Script.without(prompt));
        String text = "[call " + call + "] " + summary;
        if (step.echo()) {
            text = prompt;
        } else if (schema != null) {
            text = new Example(schema, call, summary).json();
        }
        String whole = text + "x".repeat(Math.max(0, step.size() - text.length()));
        return step.finish().equals("length") ? Prose.half(whole) : whole;
    }
}
