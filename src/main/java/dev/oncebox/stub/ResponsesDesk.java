package dev.oncebox.stub;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.oncebox.stub.Progress.Look;

/** OpenAI's responses: at once, or in the background and asked for by their id. */
final class ResponsesDesk {

    static final Face FACE = new ResponsesFace();
    private static final String NAME = "responses";

    private ResponsesDesk() {}

    static Served create(Visit visit) throws BadRequest {
        ObjectNode body = visit.body();
        String prompt = FACE.prompt(body);
        Step step = visit.step(prompt);
        if (!step.accepts()) {
            return new Served(
                    Replies.answer(FACE, body, prompt, step, visit.number()).with(step.headers()), step);
        }
        boolean background = body.path("background").asBoolean();
        ObjectNode result = result(body, prompt, step, visit.number());
        Job job = new Job(result.path("id").asText(), background ? step : Step.GOOD, result);
        if (body.path("store").asBoolean(true)) {
            visit.memory().responses().put(job.id(), job);
        }
        if (background) {
            visit.submissions().start(NAME, visit.key());
            if (!result.path("status").asText().equals("failed")) {
                visit.submissions().charge(NAME, visit.key());
            }
        }
        boolean atOnce = !background || step.later().is("inline");
        ObjectNode now = atOnce ? result : unfinished(job, "queued");
        Reply reply = Replies.reply(FACE, prompt, step, visit.number(), () -> Reply.json(step.status(), now));
        return new Served(reply.with(step.headers()), step);
    }

    private static ObjectNode result(ObjectNode request, String prompt, Step step, long number) {
        ObjectNode done = FACE.answer(request, prompt, step, number);
        boolean expired = step.later().is("expired");
        if (expired || step.later().is("failed")) {
            done.put("status", "failed").putNull("usage").putArray("output");
            done.putObject("error")
                    .put("code", expired ? "response_expired" : "server_error")
                    .put("message", "The stub was asked for this end");
        }
        return done;
    }

    private static ObjectNode unfinished(Job job, String status) {
        ObjectNode response = job.result().deepCopy();
        response.put("status", status).putNull("usage").putNull("error").putNull("incomplete_details");
        response.putArray("output");
        return response;
    }

    static Served poll(Visit visit) throws BadRequest {
        Job job = find(visit);
        Look look = job.progress().look();
        return Replies.troubled(FACE, look.trouble(), () -> reply(job, look));
    }

    private static Reply reply(Job job, Look look) {
        if (job.later().is("gone")) {
            return Reply.json(410, FACE.error(410, null, "This response is gone"));
        }
        if (job.later().is("lost") || look.hidden()) {
            return Reply.json(404, FACE.error(404, null, missing(job.id())));
        }
        if (job.cancelled()) {
            return Reply.json(200, unfinished(job, "cancelled"));
        }
        if (!look.ready()) {
            String status = look.number() == 1 ? "queued" : "in_progress";
            return Reply.json(job.later().is("running202") ? 202 : 200, unfinished(job, status))
                    .with(job.step().headers());
        }
        return Reply.json(200, job.result());
    }

    /** A response that is finished stays as it is. */
    static Served cancel(Visit visit) throws BadRequest {
        Job job = find(visit);
        if (!job.result().path("background").asBoolean()) {
            throw new BadRequest("Only a response in the background can be cancelled");
        }
        return Served.whole(Reply.json(200, job.cancel() ? unfinished(job, "cancelled") : job.result()));
    }

    private static Job find(Visit visit) throws BadRequest {
        return visit.memory().responses().find(visit.id()).orElseThrow(() -> new BadRequest(404, missing(visit.id())));
    }

    private static String missing(String id) {
        return "Response with id '" + id + "' not found.";
    }
}
