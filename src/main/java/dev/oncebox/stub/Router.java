package dev.oncebox.stub;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.oncebox.stub.Step.Delivery;
import dev.oncebox.stub.Step.Form;
import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Finds the face for a request, counts, and decides between an answer and a misbehaviour. */
final class Router {

    private static final Face CHAT = new ChatFace();
    private static final Face MESSAGES = new MessagesFace();
    private static final Face OLLAMA = new OllamaFace();
    private static final Face SUMMARIZE = new SummarizeFace();

    private final Stub.Options options;
    private volatile Tally tally;

    Router(Stub.Options options) {
        this.options = options;
        this.tally = new Tally(options.logLimit(), options.keepBodies());
    }

    Tally tally() {
        return tally;
    }

    void reset() {
        tally = new Tally(options.logLimit(), options.keepBodies());
    }

    Exchange exchange(Request request) {
        String path = request.path();
        boolean post = request.method().equals("POST");
        boolean get = request.method().equals("GET");
        return switch (path) {
            case "/count" -> Exchange.uncounted(get ? Reply.json(200, Json.tree(tally.counts())) : notAllowed("GET"));
            case "/log" -> Exchange.uncounted(get ? log() : notAllowed("GET"));
            case "/reset-count" -> {
                if (post) {
                    reset();
                }
                yield Exchange.uncounted(post ? Reply.json(200, Json.tree(tally.counts())) : notAllowed("POST"));
            }
            default -> {
                Face face = face(path);
                if (post) {
                    yield paid(request, face);
                }
                yield Exchange.uncounted(face == null ? notFound(request) : notAllowed("POST"));
            }
        };
    }

    private static @Nullable Face face(String path) {
        if (path.endsWith("/chat/completions")) {
            return CHAT;
        }
        if (path.endsWith("/v1/messages")) {
            return MESSAGES;
        }
        if (path.endsWith("/api/chat")) {
            return OLLAMA;
        }
        return path.equals("/summarize") ? SUMMARIZE : null;
    }

    private Exchange paid(Request request, @Nullable Face face) {
        Tally current = tally;
        Tally.Entry entry = current.accept(request, face);
        if (face == null) {
            return new Exchange(notFound(request), Delivery.WHOLE, Duration.ZERO, Duration.ZERO, entry);
        }
        Step step = Step.GOOD;
        Reply reply;
        try {
            ObjectNode body = Json.readObject(request.body());
            String prompt = face.prompt(body);
            step = step(current, prompt, entry.number());
            reply = reply(face, body, prompt, step, entry.number()).with(step.headers());
        } catch (BadRequest e) {
            reply = Reply.json(e.status(), face.complaint(e.sentence()));
        } catch (RuntimeException e) {
            reply = Reply.error(500, null, "The stub itself failed: " + e);
        }
        Duration delay = options.delay().plus(step.delay());
        return new Exchange(reply.with(number(entry)), step.delivery(), delay, step.pause(), entry);
    }

    private static Map<String, String> number(Tally.Entry entry) {
        return Map.of("X-Request-Id", "stub-" + entry.number());
    }

    private Step step(Tally current, String prompt, long number) throws BadRequest {
        if (Script.isIn(prompt)) {
            return Script.of(prompt).step(current.turn(prompt));
        }
        if (options.script() != null) {
            return Script.parse(options.script()).step(current.turn(prompt));
        }
        if (options.failEvery() > 0 && number % options.failEvery() == 0) {
            return Step.plain(Form.ERROR, 503, Delivery.WHOLE);
        }
        if (options.cutEvery() > 0 && number % options.cutEvery() == 0) {
            return Step.plain(Form.ANSWER, 200, Delivery.CUT);
        }
        return Step.GOOD;
    }

    private static Reply reply(Face face, ObjectNode body, String prompt, Step step, long number) {
        if (step.body() != null) {
            return Reply.text(step.status(), "application/json", step.body());
        }
        return switch (step.form()) {
            case ANSWER, REFUSAL, EMPTY, NO_CHOICES ->
                Reply.json(step.status(), face.answer(body, prompt, step, number));
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

    private Reply log() {
        ByteArrayOutputStream lines = new ByteArrayOutputStream();
        for (Tally.Entry entry : tally.entries()) {
            Call call = entry.call();
            ObjectNode line = Json.object()
                    .put("number", call.number())
                    .put("path", call.path())
                    .put("key", call.key())
                    .put("sha256", call.sha256())
                    .put("outcome", call.outcome())
                    .put("at", call.at().toString());
            ArrayNode names = line.putArray("headers");
            call.headers().keySet().forEach(names::add);
            lines.writeBytes(Json.bytes(line));
            lines.write('\n');
        }
        return new Reply(200, Map.of("Content-Type", "application/x-ndjson"), lines.toByteArray());
    }

    private static Reply notAllowed(String method) {
        return Reply.error(405, "method_not_allowed", "Use " + method + " here").with(Map.of("Allow", method));
    }

    private static Reply notFound(Request request) {
        return Reply.error(
                404,
                "unknown_url",
                "Unknown request URL: " + request.method() + " " + request.path()
                        + ". The stub knows POST /v1/chat/completions, POST /v1/messages, POST /api/chat, "
                        + "POST /summarize, GET /count, GET /log, "
                        + "POST /reset-count");
    }
}
