package dev.oncebox.operate.web;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpConnection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Who is connected. There is a most, and each must have got something done now and then: a client that sends a byte a
 * second never idles, and would hold its place for ever. Belongs to the one thread of the server.
 */
final class Connections {

    private static final int MOST = 200;
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(30);
    private static final long LOOK_MILLIS = 2_000;

    private final Map<HttpConnection, Long> served = new HashMap<>();

    void watch(Vertx vertx) {
        vertx.setPeriodic(LOOK_MILLIS, timer -> {
            long now = System.nanoTime();
            List<HttpConnection> late = served.entrySet().stream()
                    .filter(each -> now - each.getValue() > PATIENCE_NANOS)
                    .map(Map.Entry::getKey)
                    .toList();
            late.forEach(HttpConnection::close);
        });
    }

    void opened(HttpConnection connection) {
        if (served.size() >= MOST) {
            connection.close();
            return;
        }
        served.put(connection, System.nanoTime());
        connection.closeHandler(closed -> served.remove(connection));
    }

    void served(HttpConnection connection) {
        served.computeIfPresent(connection, (key, before) -> System.nanoTime());
    }
}
