package dev.oncebox.stub;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.oncebox.stub.Progress.Look;
import java.util.Map;
import java.util.Optional;

/** The plainest asynchronous endpoint there is: {@code POST /jobs}, then {@code GET} where the reply points to. */
final class JobsDesk {

    private static final Face MANNER = new SummarizeFace();
    private static final String NAME = "jobs";

    private JobsDesk() {}

    static Served create(Visit visit) throws BadRequest {
        ObjectNode body = visit.body();
        String prompt = MANNER.prompt(body);
        Step step = visit.step(prompt);
        if (!step.accepts()) {
            return new Served(
                    Replies.answer(MANNER, body, prompt, step, visit.number()).with(step.headers()), step);
        }
        String id = Shelf.newId("job-");
        Job job = new Job(id, step, result(id, body, prompt, step, visit.number()));
        visit.memory().jobs().put(id, job);
        visit.submissions().start(NAME, visit.key());
        if (!step.later().is("failed") && !step.later().is("expired")) {
            visit.submissions().charge(NAME, visit.key());
        }
        Reply reply = Replies.reply(MANNER, prompt, step, visit.number(), () -> accepted(visit, job));
        return new Served(reply.with(location(visit, job)).with(step.headers()), step);
    }

    private static Reply accepted(Visit visit, Job job) {
        if (job.later().is("inline")) {
            return Reply.json(200, job.result());
        }
        ObjectNode body = Json.object().put("id", job.id()).put("status", "queued");
        if (place(job).equals("body")) {
            body.put("location", path(job));
        }
        return Reply.json(job.step().status() == 200 ? 202 : job.step().status(), body);
    }

    private static Map<String, String> location(Visit visit, Job job) {
        if (job.later().is("inline")) {
            return Map.of();
        }
        return switch (place(job)) {
            case "none", "body" -> Map.of();
            case "absolute" -> Map.of("Location", visit.absolute(path(job)));
            default -> Map.of("Location", path(job));
        };
    }

    private static String place(Job job) {
        return job.later().value("location", "relative");
    }

    private static String path(Job job) {
        return (place(job).equals("other") ? "/elsewhere/" : "/jobs/") + job.id();
    }

    private static ObjectNode result(String id, ObjectNode request, String prompt, Step step, long number) {
        ObjectNode reply = Json.object().put("id", id);
        for (String bad : new String[] {"failed", "expired"}) {
            if (step.later().is(bad)) {
                reply.put("status", bad);
                reply.putObject("error").put("code", "job_" + bad).put("message", "The stub was asked for this end");
                return reply;
            }
        }
        reply.put("status", "succeeded").setAll(MANNER.answer(request, prompt, step, number));
        reply.putObject("usage")
                .put("input_tokens", Prose.words(prompt))
                .put("output_tokens", Prose.words(reply.path("summary").asText("")));
        return reply;
    }

    static Served poll(Visit visit) throws BadRequest {
        Job job = find(visit);
        Look look = job.progress().look();
        return Replies.troubled(MANNER, look.trouble(), () -> reply(job, look));
    }

    private static Job find(Visit visit) throws BadRequest {
        Optional<Job> job = visit.memory().jobs().find(visit.id());
        if (job.isEmpty() || !visit.request().path().equals(path(job.get()))) {
            throw new BadRequest(404, "There is no such job");
        }
        return job.get();
    }

    private static Reply reply(Job job, Look look) {
        if (job.later().is("gone")) {
            return Reply.json(410, MANNER.error(410, null, "This job is gone"));
        }
        if (job.later().is("lost") || look.hidden()) {
            return Reply.json(404, MANNER.error(404, null, "There is no such job"));
        }
        if (!look.ready()) {
            ObjectNode body =
                    Json.object().put("id", job.id()).put("status", look.number() == 1 ? "queued" : "running");
            return Reply.json(job.later().is("running202") ? 202 : 200, body)
                    .with(job.step().headers());
        }
        if (job.later().is("redirect")) {
            return Reply.text(303, "application/json", "").with(Map.of("Location", "/results/" + job.id()));
        }
        return Reply.json(200, job.result());
    }

    /** Where a poll is redirected to. */
    static Served result(Visit visit) throws BadRequest {
        Optional<Job> job = visit.memory().jobs().find(visit.id());
        if (job.isEmpty()
                || !job.get().later().is("redirect")
                || !job.get().progress().ready()) {
            throw new BadRequest(404, "There is no such result");
        }
        return Served.whole(Reply.json(200, job.get().result()));
    }
}
