package dev.oncebox.stub;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.function.Supplier;

/** Makes the reply that a step asks for. */
final class Replies {

    private Replies() {}

    static Reply answer(Face face, ObjectNode body, String prompt, Step step, long number) {
        return reply(
                face, prompt, step, number, () -> Reply.json(step.status(), face.answer(body, prompt, step, number)));
    }

    /** @param good the reply of a step that asks for no other one */
    static Reply reply(Face face, String prompt, Step step, long number, Supplier<Reply> good) {
        if (step.body() != null) {
            return Reply.text(step.status(), "application/json", step.body());
        }
        return switch (step.form()) {
            case ANSWER, REFUSAL, EMPTY, NO_CHOICES -> good.get();
            case ERROR ->
                Reply.json(step.status(), face.error(step.status(), step.code(), "The stub was asked for this error"));
            case HTML ->
                Reply.text(
                        200,
                        "text/html; charset=utf-8",
                        "<!doctype html>\n<title>Stub</title>\n<p>Not an API's answer.\n");
            case NOT_JSON ->
                Reply.text(200, "application/json", "{\"id\":\"chatcmpl-stub-" + number + "\",\"choices\":[{");
            case RAW ->
                Reply.text(200, "application/json", Script.without(prompt).strip());
            case NO_BODY -> Reply.text(step.status(), "application/json", "");
        };
    }

    /** What a poll gets: the trouble that was asked for, else the good reply. */
    static Served troubled(Face face, Step trouble, Supplier<Reply> good) {
        return new Served(reply(face, "", trouble, 0, good).with(trouble.headers()), trouble);
    }
}
