package dev.oncebox;

import static dev.oncebox.Listening.reply;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How an accepted call is asked for, by the requests that the endpoint saw and when. */
class AsyncRunTest extends StubbedHome {

    private static final String RUNNING = "{'status':'running'}";
    private static final String DONE = "{'status':'succeeded','summary':'fine'}";

    private TestHome homeOf(Listening endpoint, String... more) {
        return home(lines(
                List.of(
                        "engine.default.protocol=async",
                        "engine.default.url=" + endpoint.uri("/jobs"),
                        "engine.default.answer=/summary",
                        "engine.default.poll=100ms"),
                more));
    }

    private static String[] lines(List<String> usual, String... more) {
        return java.util.stream.Stream.concat(usual.stream(), java.util.stream.Stream.of(more))
                .toArray(String[]::new);
    }

    private static long shortestPauseMillis(List<Listening.Heard> requests) {
        long shortest = Long.MAX_VALUE;
        for (int i = 1; i < requests.size(); i++) {
            shortest = Math.min(
                    shortest, requests.get(i).nanos() - requests.get(i - 1).nanos());
        }
        return Duration.ofNanos(shortest).toMillis();
    }

    @Test
    void a_job_is_asked_for_no_more_often_than_every_poll_and_not_before_it() throws IOException {
        try (var endpoint = new Listening((request, n, to) -> {
            if (request.isPost()) {
                reply(to, 202, RUNNING, "Location", "/jobs/7");
            } else {
                reply(to, 200, n < 6 ? RUNNING : DONE);
            }
        })) {
            TestHome home = homeOf(endpoint, "engine.default.poll=300ms");
            home.drop("b.md", "a question");

            assertThat(home.runUntilIdle()).isZero();

            assertThat(endpoint.posts()).hasSize(1);
            assertThat(endpoint.polls()).hasSize(6);
            assertThat(shortestPauseMillis(endpoint.polls())).isGreaterThanOrEqualTo(250);
            assertThat(Duration.ofNanos(endpoint.polls().get(0).nanos()
                                    - endpoint.posts().get(0).nanos())
                            .toMillis())
                    .isGreaterThanOrEqualTo(290);
            assertThat(home.read("outbox/b.md")).isEqualTo("fine");
        }
    }

    @Test
    void a_wait_that_the_engine_asks_for_is_kept_where_it_is_longer_than_poll_and_only_there() throws IOException {
        try (var endpoint = new Listening((request, n, to) -> {
            if (request.isPost()) {
                reply(to, 202, RUNNING, "Location", "/jobs/7", "Retry-After", "1");
            } else if (n == 1) {
                reply(to, 503, "{}", "Retry-After", "1");
            } else if (n == 2) {
                reply(to, 200, RUNNING, "retry-after-ms", "10");
            } else {
                reply(to, 200, DONE);
            }
        })) {
            TestHome home = homeOf(endpoint, "engine.default.poll=400ms");
            home.drop("b.md", "a question");

            assertThat(home.runUntilIdle()).isZero();

            List<Listening.Heard> polls = endpoint.polls();
            assertThat(polls).hasSize(3);
            assertThat(polls.get(0).nanos() - endpoint.posts().get(0).nanos())
                    .isGreaterThanOrEqualTo(Duration.ofMillis(990).toNanos());
            assertThat(polls.get(1).nanos() - polls.get(0).nanos())
                    .isGreaterThanOrEqualTo(Duration.ofMillis(950).toNanos());
            assertThat(polls.get(2).nanos() - polls.get(1).nanos())
                    .isGreaterThanOrEqualTo(Duration.ofMillis(350).toNanos());
            assertThat(endpoint.posts()).hasSize(1);
        }
    }

    @Test
    void a_redirect_in_a_circle_is_followed_a_few_times_at_each_poll_and_never_in_a_hurry() throws IOException {
        try (var endpoint = new Listening((request, n, to) -> {
            if (request.isPost()) {
                reply(to, 202, RUNNING, "Location", "/jobs/7");
            } else if (n <= 12) {
                reply(to, 302, "", "Location", request.uri().equals("/jobs/7") ? "/login" : "/jobs/7");
            } else {
                reply(to, 200, request.uri().equals("/jobs/7") ? DONE : "{}");
            }
        })) {
            TestHome home = homeOf(endpoint, "engine.default.poll=200ms");
            home.drop("b.md", "a question");

            assertThat(home.runUntilIdle()).isZero();

            assertThat(endpoint.posts()).hasSize(1);
            assertThat(endpoint.polls()).hasSize(13);
            assertThat(endpoint.polls().get(12).uri())
                    .as("each poll begins at the job's own address")
                    .isEqualTo("/jobs/7");
            assertThat(endpoint.polls().get(12).nanos()
                            - endpoint.polls().get(0).nanos())
                    .isGreaterThanOrEqualTo(Duration.ofMillis(350).toNanos());
        }
    }

    @Test
    void a_reply_that_trickles_for_ever_meets_the_engines_timeout_and_is_asked_for_again() throws IOException {
        try (var endpoint = new Listening((request, n, to) -> {
            if (request.isPost()) {
                reply(to, 202, RUNNING, "Location", "/jobs/7");
            } else if (n == 1) {
                to.sendResponseHeaders(200, 0);
                for (int i = 0; i < 6000; i++) {
                    to.getResponseBody().write(' ');
                    to.getResponseBody().flush();
                    java.util.concurrent.locks.LockSupport.parkNanos(
                            Duration.ofMillis(50).toNanos());
                }
            } else {
                reply(to, 200, DONE);
            }
        })) {
            TestHome home = homeOf(endpoint, "engine.default.timeout=700ms");
            home.drop("b.md", "a question");

            assertThat(home.runUntilIdle()).isZero();

            assertThat(endpoint.polls()).hasSize(2);
            assertThat(endpoint.posts()).hasSize(1);
        }
    }

    @Test
    void an_address_in_the_letters_of_any_language_is_asked_as_the_engine_wrote_it() throws IOException {
        String utf8 = new String("/jobs/é日".getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
        try (var endpoint = new Listening((request, n, to) -> {
            if (request.isPost()) {
                reply(to, 202, RUNNING, "Location", utf8);
            } else {
                reply(to, 200, DONE);
            }
        })) {
            TestHome home = homeOf(endpoint);
            home.drop("b.md", "a question");

            assertThat(home.runUntilIdle()).isZero();

            assertThat(endpoint.polls()).extracting(Listening.Heard::uri).containsExactly("/jobs/%C3%A9%E6%97%A5");
        }
    }
}
