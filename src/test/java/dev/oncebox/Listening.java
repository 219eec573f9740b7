package dev.oncebox;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** An endpoint that remembers every request with its headers and its time, and answers what a test says. */
final class Listening implements AutoCloseable {

    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final List<Heard> heard = new CopyOnWriteArrayList<>();

    /**
     * A request.
     *
     * @param uri path and query
     * @param headers by lower-case name
     * @param nanos when it came
     */
    record Heard(String method, String uri, Map<String, String> headers, String body, long nanos) {
        boolean isPost() {
            return method.equals("POST");
        }
    }

    /** Answers a request, which is the {@code n}th of its method, from 1. */
    @FunctionalInterface
    interface Answer {
        void give(Heard request, int n, HttpExchange exchange) throws IOException;
    }

    Listening(Answer answer) throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), 0), 0);
        server.setExecutor(threads);
        server.createContext("/", exchange -> {
            String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            Map<String, String> headers = new TreeMap<>();
            exchange.getRequestHeaders().forEach((name, values) -> headers.put(name.toLowerCase(), values.get(0)));
            var request = new Heard(
                    exchange.getRequestMethod(), exchange.getRequestURI().toString(), headers, body, System.nanoTime());
            int n;
            synchronized (heard) {
                heard.add(request);
                n = (int) heard.stream()
                        .filter(each -> each.method().equals(request.method()))
                        .count();
            }
            answer.give(request, n, exchange);
            exchange.close();
        });
        server.start();
    }

    /** Replies with a body of JSON, in which {@code '} stands for a quotation mark. */
    static void reply(HttpExchange to, int status, String body, String... headers) throws IOException {
        for (int i = 0; i < headers.length; i += 2) {
            to.getResponseHeaders().set(headers[i], headers[i + 1]);
        }
        byte[] bytes = body.replace('\'', '"').getBytes(StandardCharsets.UTF_8);
        to.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
        to.getResponseBody().write(bytes);
    }

    URI uri(String path) {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort() + path);
    }

    List<Heard> posts() {
        return heard.stream().filter(Heard::isPost).toList();
    }

    List<Heard> polls() {
        return heard.stream().filter(each -> !each.isPost()).toList();
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
