package dev.oncebox;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An endpoint that goes by what a prompt says for it, and for no other endpoint as the stub's directives do:
 * {@code first: 500 401 always} is answered by 500 and then by 401 for ever, {@code first: 200x} by half an answer; all
 * else well.
 */
final class ScriptedEngine implements AutoCloseable {

    private static final Pattern SCRIPT = Pattern.compile("first: ((?:\\d{3}x? ?)+)(always)?");

    private final HttpServer server;
    private final AtomicInteger count = new AtomicInteger();
    private final Map<String, AtomicInteger> seen = new ConcurrentHashMap<>();
    private volatile int always;

    ScriptedEngine() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(Executors.newCachedThreadPool());
        server.createContext("/", this::answer);
        server.start();
    }

    String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort() + "/v1";
    }

    int count() {
        return count.get();
    }

    /** Answers everything by this status; 0: as the prompts say. */
    void always(int status) {
        always = status;
    }

    private void answer(HttpExchange exchange) throws IOException {
        String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        int n = count.incrementAndGet();
        String step = always == 0 ? step(body) : String.valueOf(always);
        int status = Integer.parseInt(step.substring(0, 3));
        String answer = "{\"choices\":[{\"message\":{\"content\":\"first " + n + "\"},\"finish_reason\":\"stop\"}],"
                + "\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":1}}";
        String reply = status != 200
                ? "{\"error\":{\"message\":\"scripted\"}}"
                : step.endsWith("x") ? answer.substring(0, answer.length() / 2) : answer;
        byte[] bytes = reply.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().add("Content-Type", "application/json");
        exchange.sendResponseHeaders(status, bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    private String step(String body) {
        Matcher script = SCRIPT.matcher(body);
        if (!script.find()) {
            return "200";
        }
        String[] steps = script.group(1).strip().split(" ");
        int at = seen.computeIfAbsent(body, key -> new AtomicInteger()).getAndIncrement();
        return at < steps.length ? steps[at] : script.group(2) == null ? "200" : steps[steps.length - 1];
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
