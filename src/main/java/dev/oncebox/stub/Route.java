package dev.oncebox.stub;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A method and a path the stub serves.
 *
 * @param template of the path, under which requests are counted
 * @param counted whether the request counts as accepted
 * @param manner the face in whose form a complaint is made
 */
record Route(String method, String template, Pattern pattern, boolean counted, Face manner, Action action) {

    /** What is done with a request; a complaint gets the form of the route's manner. */
    interface Action {
        Served serve(Visit visit) throws BadRequest;
    }

    /** A vendor's path may stand below another one, as a proxy has it. */
    private static Route of(String method, String template, boolean counted, Face manner, Action action) {
        String anywhere = template.startsWith("/v1/") || template.startsWith("/api/") ? ".*" : "";
        String path = template.equals("/v1/chat/completions") ? "/chat/completions" : template;
        Pattern pattern = Pattern.compile(anywhere + path.replace("{id}", "([^/]+)"));
        return new Route(method, method + " " + template, pattern, counted, manner, action);
    }

    static Route paid(String template, Face manner, Action action) {
        return of("POST", template, true, manner, action);
    }

    static Route free(String method, String template, Face manner, Action action) {
        return of(method, template, false, manner, action);
    }

    /** A call that is answered at once. */
    static Route direct(String template, Face face) {
        return paid(template, face, visit -> {
            var body = visit.body();
            String prompt = face.prompt(body);
            Step step = visit.step(prompt);
            Reply reply = Replies.answer(face, body, prompt, step, visit.number());
            return new Served(reply.with(step.headers()), step);
        });
    }

    /** What stands for {@code {id}} in the path, or nothing at all; empty when the path is another one. */
    Optional<String> match(String path) {
        Matcher matcher = pattern.matcher(path);
        if (!matcher.matches()) {
            return Optional.empty();
        }
        return Optional.of(matcher.groupCount() == 0 ? "" : matcher.group(1));
    }
}
