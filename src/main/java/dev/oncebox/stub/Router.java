package dev.oncebox.stub;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Finds the face for a request, and counts. */
final class Router {

    private static final String MINE = "GET /count, GET /submissions, GET /log, POST /reset-count";

    private final Stub.Options options;
    private final Plan plan;
    private volatile Memory memory;

    Router(Stub.Options options) {
        this.options = options;
        this.plan = new Plan(options);
        this.memory = new Memory(options);
    }

    Tally tally() {
        return memory.tally();
    }

    void reset() {
        memory = new Memory(options);
    }

    void release() {
        memory.release();
    }

    Exchange exchange(Request request) {
        boolean post = request.method().equals("POST");
        boolean get = request.method().equals("GET");
        return switch (request.path()) {
            case "/count" -> Exchange.uncounted(get ? counts() : notAllowed("GET"));
            case "/submissions" -> Exchange.uncounted(get ? submissions() : notAllowed("GET"));
            case "/log" -> Exchange.uncounted(get ? log() : notAllowed("GET"));
            case "/reset-count" -> {
                if (post) {
                    reset();
                }
                yield Exchange.uncounted(post ? counts() : notAllowed("POST"));
            }
            default -> routed(request);
        };
    }

    private Exchange routed(Request request) {
        List<String> methods = new ArrayList<>();
        for (Route route : Routes.ALL) {
            Optional<String> id = route.match(request.path());
            if (id.isPresent() && route.method().equals(request.method())) {
                return serve(request, route, id.get());
            }
            if (id.isPresent()) {
                methods.add(route.method());
            }
        }
        if (!methods.isEmpty()) {
            return Exchange.uncounted(notAllowed(String.join(", ", methods)));
        }
        boolean post = request.method().equals("POST");
        return Exchange.of(
                Served.whole(notFound(request)),
                Duration.ZERO,
                post ? memory.tally().accept(request, null) : null);
    }

    private Exchange serve(Request request, Route route, String id) {
        Memory now = memory;
        now.tally().seen(route.template());
        Tally.Entry entry = route.counted() ? now.tally().accept(request, route.template()) : null;
        Served served;
        try {
            served = route.action().serve(new Visit(request, id, entry == null ? 0 : entry.number(), now, plan));
        } catch (BadRequest e) {
            ObjectNode complaint = e.status() == 400
                    ? route.manner().complaint(e.sentence())
                    : route.manner().error(e.status(), null, e.sentence());
            served = Served.whole(Reply.json(e.status(), complaint));
        } catch (RuntimeException e) {
            served = Served.whole(Reply.error(500, null, "The stub itself failed: " + e));
        }
        if (entry == null) {
            return Exchange.of(served, Duration.ZERO, null);
        }
        Reply numbered = served.reply().with(Map.of("X-Request-Id", "stub-" + entry.number()));
        return Exchange.of(new Served(numbered, served.how()), options.delay(), entry);
    }

    private Reply counts() {
        return Reply.json(200, Json.tree(tally().counts()));
    }

    private Reply submissions() {
        Submissions all = tally().submissions();
        ObjectNode body = Json.object();
        body.set("submitted", Json.tree(new TreeMap<>(all.startedByKey())));
        body.set("charged", Json.tree(new TreeMap<>(all.chargedByKey())));
        return Reply.json(200, body);
    }

    private Reply log() {
        ByteArrayOutputStream lines = new ByteArrayOutputStream();
        for (Tally.Entry entry : tally().entries()) {
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

    private static Reply notAllowed(String methods) {
        return Reply.error(405, "method_not_allowed", "Use " + methods + " here")
                .with(Map.of("Allow", methods));
    }

    private static Reply notFound(Request request) {
        String known = Routes.ALL.stream().map(Route::template).collect(Collectors.joining(", "));
        return Reply.error(
                404,
                "unknown_url",
                "Unknown request URL: " + request.method() + " " + request.path() + ". The stub knows " + known + ", "
                        + MINE);
    }
}
