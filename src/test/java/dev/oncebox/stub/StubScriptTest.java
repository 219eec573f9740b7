package dev.oncebox.stub;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Instant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(30)
class StubScriptTest {

    private static final ObjectMapper JSON = new ObjectMapper();

    private final HttpClient client = HttpClient.newHttpClient();
    private Stub stub;

    @BeforeEach
    void start() throws IOException {
        stub = Stub.start(Stub.Options.defaults());
    }

    @AfterEach
    void stop() {
        stub.close();
    }

    @ParameterizedTest
    @ValueSource(ints = {202, 204, 301, 302, 303, 307})
    void statuses_that_are_no_errors_are_given_as_they_are(int status) throws Exception {
        HttpResponse<String> reply = chat("[[stub: " + status + " header=Location:/x]] Hi");

        assertThat(reply.statusCode()).isEqualTo(status);
        assertThat(reply.headers().firstValue("Location")).contains("/x");
        assertThat(reply.body().isEmpty()).isEqualTo(status != 202);
    }

    @Test
    void an_answer_or_a_whole_body_may_be_given() throws Exception {
        assertThat(content(chat("[[stub: say=a%20b%5D+c%3B]]"))).isEqualTo("a b]+c;");
        assertThat(content(chat("[[stub: say=]] x"))).isEmpty();
        assertThat(chat("[[stub: 400 body={\"error\":\"no%20such%20model\"}]]").body())
                .isEqualTo("{\"error\":\"no such model\"}");
        assertThat(chat("[[stub: say=%2]]").body()).contains("percent-encoded");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "imf+2s     | \\w{3}, \\d\\d \\w{3} \\d{4} [\\d:]{8} GMT",
                "rfc850-1m  | \\w+day, \\d\\d-\\w{3}-\\d\\d [\\d:]{8} GMT",
                "asctime+5s | \\w{3} \\w{3} [ \\d]\\d [\\d:]{8} \\d{4}",
                "soon+2s    | soon\\+2s"
            })
    void a_wait_may_be_a_date_in_each_of_the_three_forms(String value, String pattern) throws Exception {
        assertThat(chat("[[stub: 503 retry-after=" + value + "]]").headers().firstValue("Retry-After"))
                .hasValueSatisfying(date -> assertThat(date).matches(pattern));
    }

    @Test
    void a_script_of_the_stub_itself_is_for_every_prompt_without_its_own() throws Exception {
        stub.close();
        stub = Stub.start(Stub.Options.defaults().withScript("401; 503 always"));

        assertThat(chat("a").statusCode()).isEqualTo(401);
        assertThat(chat("b").statusCode()).isEqualTo(401);
        assertThat(chat("a").statusCode()).isEqualTo(503);
        assertThat(chat("a").statusCode()).isEqualTo(503);
        assertThat(chat("[[stub: 404]]").statusCode()).isEqualTo(404);
        assertThatThrownBy(() -> Stub.Options.defaults().withScript("explode"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("explode");
    }

    @Test
    void a_call_says_when_it_came() throws Exception {
        Instant before = Instant.now();
        chat("a");
        chat("b");

        assertThat(stub.calls()).extracting(Call::at).isSorted().allMatch(at -> !at.isBefore(before));
    }

    private static String content(HttpResponse<String> reply) throws IOException {
        return JSON.readTree(reply.body()).at("/choices/0/message/content").asText();
    }

    private HttpResponse<String> chat(String prompt) throws Exception {
        ObjectNode body = JSON.createObjectNode();
        body.putArray("messages").addObject().put("role", "user").put("content", prompt);
        return client.send(
                HttpRequest.newBuilder(stub.uri("/v1/chat/completions"))
                        .POST(BodyPublishers.ofString(body.toString()))
                        .build(),
                BodyHandlers.ofString());
    }
}
