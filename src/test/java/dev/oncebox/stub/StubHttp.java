package dev.oncebox.stub;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.List;

/** The requests that tests of the stub's asynchronous faces make. */
record StubHttp(HttpClient client, Stub stub) {

    static final ObjectMapper JSON = new ObjectMapper();

    static StubHttp of(Stub stub) {
        return new StubHttp(HttpClient.newHttpClient(), stub);
    }

    static void assertCounts(Stub stub, long accepted, long chat, long summarize, long answered, long keys) {
        Counts counts = stub.counts();
        assertThat(List.of(counts.accepted(), counts.chat(), counts.summarize(), counts.answered(), counts.keys()))
                .isEqualTo(List.of(accepted, chat, summarize, answered, keys));
    }

    static ObjectNode object() {
        return JSON.createObjectNode();
    }

    static JsonNode json(HttpResponse<String> reply) throws IOException {
        return JSON.readTree(reply.body());
    }

    static List<JsonNode> lines(String text) throws IOException {
        List<JsonNode> lines = new ArrayList<>();
        for (String line : text.lines().toList()) {
            lines.add(JSON.readTree(line));
        }
        return lines;
    }

    HttpResponse<String> get(String path) throws IOException, InterruptedException {
        URI uri = path.startsWith("http") ? URI.create(path) : stub.uri(path);
        return client.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString());
    }

    JsonNode getJson(String path) throws IOException, InterruptedException {
        return json(get(path));
    }

    HttpResponse<String> post(String path, JsonNode body, String... headers) throws IOException, InterruptedException {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(stub.uri(path)).POST(BodyPublishers.ofString(body.toString()));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return client.send(request.build(), BodyHandlers.ofString());
    }

    HttpResponse<String> delete(String path) throws IOException, InterruptedException {
        return client.send(HttpRequest.newBuilder(stub.uri(path)).DELETE().build(), BodyHandlers.ofString());
    }

    /** Uploads lines the way browsers and clients do. */
    HttpResponse<String> upload(String purpose, String content) throws IOException, InterruptedException {
        String body = "--edge\r\nContent-Disposition: form-data; name=\"purpose\"\r\n\r\n" + purpose
                + "\r\n--edge\r\nContent-Disposition: form-data; name=\"file\"; filename=\"in.jsonl\"\r\n"
                + "Content-Type: application/jsonl\r\n\r\n" + content + "\r\n--edge--\r\n";
        HttpRequest request = HttpRequest.newBuilder(stub.uri("/v1/files"))
                .header("Content-Type", "multipart/form-data; boundary=edge")
                .POST(BodyPublishers.ofString(body))
                .build();
        return client.send(request, BodyHandlers.ofString());
    }
}
