package dev.oncebox;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.oncebox.config.Home;
import dev.oncebox.config.Settings;
import dev.oncebox.runtime.Worker;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A home whose page is served by a worker in this process. */
final class PageHome implements AutoCloseable {

    static final String TOKEN = "a-token-of-the-tests";

    private final HttpClient client = HttpClient.newHttpClient();
    private final Worker worker;

    private PageHome(Worker worker) {
        this.worker = worker;
    }

    /** The settings of a page at any port that is free. */
    static final String[] PROPERTIES = {"http.port=0", "http.token=" + TOKEN};

    static PageHome start(TestHome home) {
        try {
            Settings settings = Settings.read(new Home(home.root(), Path.of("").toAbsolutePath()), Map.of());
            Worker worker = Worker.prepare(settings, null, loss -> {});
            worker.start();
            return new PageHome(worker);
        } catch (Worker.BusyException e) {
            throw new AssertionError(e);
        }
    }

    int port() {
        return worker.pagePort();
    }

    HttpRequest.Builder to(String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port() + path));
    }

    HttpResponse<String> send(HttpRequest.Builder request) {
        try {
            return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    JsonNode get(String path) {
        HttpResponse<String> response = send(to(path));
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        return TestHome.parse(response.body());
    }

    HttpResponse<String> post(String path, @Nullable String token) {
        HttpRequest.Builder request = to(path).POST(HttpRequest.BodyPublishers.noBody());
        return send(token == null ? request : request.header("Authorization", "Bearer " + token));
    }

    @Override
    public void close() {
        worker.close();
    }
}
