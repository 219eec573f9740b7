package dev.oncebox.stub;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The stub's plain asynchronous face. */
@Timeout(30)
class StubJobsTest {

    private Stub stub;
    private StubHttp http;

    @BeforeEach
    void start() throws IOException {
        stub = Stub.start(Stub.Options.defaults());
        http = StubHttp.of(stub);
    }

    @AfterEach
    void stop() {
        stub.close();
    }

    @Test
    void a_job_is_accepted_and_found_finished_by_the_first_poll() throws Exception {
        HttpResponse<String> accepted = job("A letter");
        assertThat(accepted.statusCode()).isEqualTo(202);
        assertThat(StubHttp.json(accepted).path("status").asText()).isEqualTo("queued");
        assertThat(location(accepted)).startsWith("/jobs/");

        var result = http.getJson(location(accepted));

        assertThat(result.path("id")).isEqualTo(StubHttp.json(accepted).path("id"));
        assertThat(result.path("status").asText()).isEqualTo("succeeded");
        assertThat(result.path("summary").asText()).isEqualTo("[call 1] A letter");
        assertThat(result.path("call").asInt()).isEqualTo(1);
        assertThat(result.at("/usage/input_tokens").asInt()).isEqualTo(2);
        assertThat(result.at("/usage/output_tokens").asInt()).isEqualTo(4);
    }

    @Test
    void a_job_takes_as_many_polls_as_it_was_asked_to() throws Exception {
        String location = location(job("[[stub: polls=2 retry-after=1]] a"));

        assertThat(http.getJson(location).path("status").asText()).isEqualTo("queued");
        HttpResponse<String> second = http.get(location);
        assertThat(StubHttp.json(second).path("status").asText()).isEqualTo("running");
        assertThat(second.headers().firstValue("Retry-After")).contains("1");
        assertThat(http.getJson(location).path("status").asText()).isEqualTo("succeeded");
    }

    @Test
    void a_job_takes_as_long_as_it_was_asked_to() throws Exception {
        long start = System.nanoTime();
        String location = location(job("[[stub: ready=300ms running202]] a"));

        assertThat(http.get(location).statusCode()).isEqualTo(202);
        await().until(() -> http.get(location).statusCode() == 200);
        assertThat(System.nanoTime() - start).isGreaterThan(299_000_000L);
    }

    @Test
    void the_location_may_be_anywhere_or_nowhere() throws Exception {
        assertThat(location(job("[[stub: location=absolute]]"))).startsWith(stub.uri("/jobs/") + "");
        String other = location(job("[[stub: location=other]]"));
        assertThat(other).startsWith("/elsewhere/");
        assertThat(http.getJson(other).path("status").asText()).isEqualTo("succeeded");
        assertThat(http.get(other.replace("elsewhere", "jobs")).statusCode()).isEqualTo(404);
        assertThat(job("[[stub: location=none]]").headers().firstValue("Location"))
                .isEmpty();
        HttpResponse<String> body = job("[[stub: location=body]]");
        assertThat(body.headers().firstValue("Location")).isEmpty();
        assertThat(http.get(StubHttp.json(body).path("location").asText()).statusCode())
                .isEqualTo(200);
    }

    @Test
    void a_job_may_lag_be_lost_or_gone() throws Exception {
        String late = location(job("[[stub: lag=2]]"));
        assertThat(http.get(late).statusCode()).isEqualTo(404);
        assertThat(http.get(late).statusCode()).isEqualTo(404);
        assertThat(http.get(late).statusCode()).isEqualTo(200);
        assertThat(http.get(location(job("[[stub: lost]]"))).statusCode()).isEqualTo(404);
        assertThat(http.get(location(job("[[stub: gone]]"))).statusCode()).isEqualTo(410);
        assertThat(http.get("/jobs/none").statusCode()).isEqualTo(404);
    }

    @ParameterizedTest
    @ValueSource(strings = {"failed", "expired"})
    void a_job_may_end_badly_and_is_not_charged_then(String end) throws Exception {
        var result = http.getJson(location(job("[[stub: " + end + "]]")));

        assertThat(result.path("status").asText()).isEqualTo(end);
        assertThat(result.at("/error/code").asText()).isEqualTo("job_" + end);
        assertThat(stub.counts().submissions()).containsEntry("jobs", 1L);
        assertThat(stub.charged()).isEmpty();
    }

    @Test
    void a_result_may_be_elsewhere_or_here_at_once() throws Exception {
        HttpResponse<String> moved = http.get(location(job("[[stub: redirect]] a")));
        assertThat(moved.statusCode()).isEqualTo(303);
        assertThat(http.getJson(location(moved)).path("summary").asText()).isEqualTo("[call 1] a");

        HttpResponse<String> inline = job("[[stub: inline]] b");
        assertThat(inline.statusCode()).isEqualTo(200);
        assertThat(StubHttp.json(inline).path("summary").asText()).isEqualTo("[call 2] b");
        assertThat(stub.counts().submitted()).isEqualTo(2);
    }

    @Test
    void each_poll_may_have_its_trouble() throws Exception {
        String location = location(job("[[stub: poll=500*2,429:7,ok,html]] a"));

        assertThat(http.get(location).statusCode()).isEqualTo(500);
        assertThat(http.get(location).statusCode()).isEqualTo(500);
        HttpResponse<String> limited = http.get(location);
        assertThat(limited.statusCode()).isEqualTo(429);
        assertThat(limited.headers().firstValue("Retry-After")).contains("7");
        assertThat(http.get(location).statusCode()).isEqualTo(200);
        assertThat(http.get(location).body()).startsWith("<!doctype html>");
        assertThat(http.getJson(location).path("summary").asText()).isEqualTo("[call 1] a");
        assertThat(stub.counts().face("GET /jobs/{id}")).isEqualTo(6);
        StubHttp.assertCounts(stub, 1, 0, 0, 1, 0);
    }

    /** Of a connection that ends without a byte, Java's client thinks so little that it asks again itself. */
    @ParameterizedTest
    @ValueSource(strings = {"reset", "close", "cut"})
    void a_poll_may_break_the_connection(String word) throws Exception {
        String location = location(job("[[stub: poll=" + word + "*20]] a"));

        assertThatThrownBy(() -> http.get(location)).isInstanceOf(IOException.class);

        assertThat(stub.counts().face("GET /jobs/{id}")).isPositive();
        StubHttp.assertCounts(stub, 1, 0, 0, 1, 0);
    }

    @Test
    void a_poll_may_hang() throws Exception {
        HttpRequest poll = HttpRequest.newBuilder(stub.uri(location(job("[[stub: poll=hang]] a"))))
                .timeout(Duration.ofMillis(300))
                .build();

        assertThatThrownBy(() -> http.client().send(poll, BodyHandlers.ofString()))
                .isInstanceOf(HttpTimeoutException.class);
        assertThat(http.client().send(poll, BodyHandlers.ofString()).statusCode())
                .isEqualTo(200);
    }

    @Test
    void a_job_whose_acceptance_is_lost_was_submitted_and_a_refused_one_was_not() throws Exception {
        assertThatThrownBy(() -> job("[[stub: reset]] a", "Idempotency-Key", "k"))
                .isInstanceOf(IOException.class);
        assertThat(stub.submissions()).containsOnlyKeys("k").containsEntry("k", 1);
        assertThat(job("[[stub: 503]] b", "Idempotency-Key", "l").statusCode()).isEqualTo(503);
        job("c");
        job("c");

        String sha256 = stub.calls().get(2).sha256();
        assertThat(stub.submissions()).isEqualTo(Map.of("k", 1, sha256, 2));
        assertThat(http.getJson("/submissions").at("/submitted/k").asInt()).isEqualTo(1);
        assertThat(http.getJson("/count").at("/submissions/jobs").asInt()).isEqualTo(3);
        stub.reset();
        assertThat(stub.submissions()).isEmpty();
        assertThat(stub.counts().faces()).isEmpty();
    }

    @Test
    void many_jobs_at_once_are_all_counted() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(8);
        List<Callable<HttpResponse<String>>> posts = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            String key = "k" + i;
            posts.add(() -> http.get(location(job(key, "Idempotency-Key", key))));
        }

        for (Future<HttpResponse<String>> done : threads.invokeAll(posts)) {
            assertThat(StubHttp.json(done.get()).path("status").asText()).isEqualTo("succeeded");
        }

        threads.shutdown();
        assertThat(stub.submissions()).hasSize(200).doesNotContainValue(2);
        assertThat(stub.charged()).isEqualTo(stub.submissions());
        assertThat(stub.counts().face("GET /jobs/{id}")).isEqualTo(200);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "polls=few      | whole number",
                "ready=soon     | written like",
                "poll=explode   | explode",
                "poll=500**     | written like",
                "location=there | one of",
                "lag            | Unknown word",
                "lost=2         | Unknown word"
            })
    void nonsense_is_refused(String words, String sentence) throws Exception {
        HttpResponse<String> reply = job("[[stub: " + words + "]]");

        assertThat(reply.statusCode()).isEqualTo(400);
        assertThat(reply.body()).contains(sentence);
        assertThat(stub.submissions()).isEmpty();
    }

    private HttpResponse<String> job(String text, String... headers) throws Exception {
        return http.post("/jobs", StubHttp.object().put("text", text), headers);
    }

    private static String location(HttpResponse<String> reply) {
        return reply.headers().firstValue("Location").orElseThrow();
    }
}
