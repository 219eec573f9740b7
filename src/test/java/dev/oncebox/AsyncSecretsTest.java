package dev.oncebox;

import static dev.oncebox.Listening.reply;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What opens an engine's door is said at that door alone, and written nowhere. */
class AsyncSecretsTest extends StubbedHome {

    private static final String KEY = "sk-key-0123456789";
    private static final String TOKEN = "token-abcdefghij";
    private static final String QUERY = "code-klmnopqrst%2F1";
    private static final String DONE = "{'status':'succeeded','summary':'fine'}";

    private TestHome homeOf(Listening endpoint, String... more) {
        return home(java.util.stream.Stream.concat(
                        java.util.stream.Stream.of(
                                "engine.default.protocol=async",
                                "engine.default.url=" + endpoint.uri("/jobs?v=1&code=" + QUERY),
                                "engine.default.answer=/summary",
                                "engine.default.api-key=" + KEY,
                                "engine.default.header.X-Token=" + TOKEN,
                                "engine.default.poll=100ms"),
                        java.util.stream.Stream.of(more))
                .toArray(String[]::new));
    }

    private static void assertOpens(Listening.Heard request) {
        assertThat(request.headers()).containsEntry("authorization", "Bearer " + KEY);
        assertThat(request.headers()).containsEntry("x-token", TOKEN);
    }

    private static void assertTellsNothing(Listening.Heard request) {
        assertThat(request.headers()).doesNotContainKeys("authorization", "x-token", "idempotency-key", "cookie");
        assertThat(request.headers() + request.uri()).doesNotContain(KEY, TOKEN, QUERY, "code-klmnopqrst/1");
    }

    /** Everything below the home but its settings, the ledger's log and the sidecars among it. */
    private static void assertWrittenNowhere(TestHome home, String said) throws IOException {
        for (String file : home.files("")) {
            if (!file.startsWith("config/")) {
                String bytes = new String(Files.readAllBytes(home.path(file)), StandardCharsets.ISO_8859_1);
                assertThat(bytes).as(file).doesNotContain(KEY, TOKEN, QUERY, "code-klmnopqrst/1");
            }
        }
        assertThat(said).doesNotContain(KEY, TOKEN, QUERY, "code-klmnopqrst/1");
    }

    @Test
    void the_engines_own_origin_gets_its_credentials_and_its_query_with_every_question() throws IOException {
        try (var endpoint = new Listening((request, n, to) -> {
            if (request.isPost()) {
                reply(to, 202, "", "Location", "/jobs/7?part=2");
            } else {
                reply(to, n < 3 ? 500 : 200, DONE);
            }
        })) {
            TestHome home = homeOf(endpoint);
            home.drop("b.md", "a question");

            assertThat(home.runUntilIdle()).isZero();

            assertThat(endpoint.polls()).hasSize(3).allSatisfy(poll -> {
                assertOpens(poll);
                assertThat(poll.uri()).isEqualTo("/jobs/7?part=2&v=1&code=" + QUERY);
            });
            assertThat(endpoint.posts()).hasSize(1).allSatisfy(AsyncSecretsTest::assertOpens);
        }
    }

    @Test
    void an_address_at_another_port_is_asked_without_them() throws IOException {
        try (var other = new Listening((request, n, to) -> reply(to, 200, DONE));
                var endpoint = new Listening((request, n, to) ->
                        reply(to, 202, "", "Location", other.uri("/jobs/7").toString()))) {
            TestHome home = homeOf(endpoint);
            home.drop("b.md", "a question");

            assertThat(home.runUntilIdle()).isZero();

            assertThat(other.polls()).hasSize(1).allSatisfy(AsyncSecretsTest::assertTellsNothing);
            assertThat(endpoint.polls()).isEmpty();
            assertThat(home.read("outbox/b.md")).isEqualTo("fine");
        }
    }

    @Test
    void a_redirect_to_another_port_takes_none_of_them_along() throws IOException {
        try (var other = new Listening((request, n, to) -> reply(to, 200, DONE));
                var endpoint = new Listening((request, n, to) -> {
                    if (request.isPost()) {
                        reply(to, 202, "", "Location", "/jobs/7");
                    } else {
                        reply(to, 307, "", "Location", other.uri("/results/7").toString());
                    }
                })) {
            TestHome home = homeOf(endpoint);
            home.drop("b.md", "a question");

            assertThat(home.runUntilIdle()).isZero();

            assertThat(endpoint.polls()).hasSize(1).allSatisfy(AsyncSecretsTest::assertOpens);
            assertThat(other.polls()).hasSize(1).allSatisfy(AsyncSecretsTest::assertTellsNothing);
        }
    }

    @Test
    void a_host_that_is_called_otherwise_is_another_one() throws IOException {
        try (var endpoint = new Listening((request, n, to) -> {
            if (request.isPost()) {
                reply(
                        to,
                        202,
                        "",
                        "Location",
                        "http://localhost:" + request.headers().get("host").split(":")[1] + "/jobs/7");
            } else {
                reply(to, 200, DONE);
            }
        })) {
            TestHome home = homeOf(endpoint);
            home.drop("b.md", "a question");

            assertThat(home.runUntilIdle()).isZero();

            assertThat(endpoint.polls()).hasSize(1).allSatisfy(AsyncSecretsTest::assertTellsNothing);
        }
    }

    @Test
    void what_an_engine_repeats_of_its_secrets_is_in_no_file_and_no_log() throws IOException {
        try (var endpoint = new Listening((request, n, to) -> {
            String echo = "{'status':'running','error':null,'you':'" + KEY + " " + TOKEN + " " + QUERY + "'}";
            if (request.isPost()) {
                reply(to, 202, echo, "Location", "/jobs/" + n + "?v=1&code=" + QUERY + "&token=" + TOKEN + "&n=" + n);
            } else if (n == 1) {
                reply(to, 401, "{'error':'wrong key " + KEY + "'}");
            } else if (n == 2) {
                reply(to, 200, "{'status':'failed','error':{'message':'" + KEY + " " + TOKEN + "'}}");
            } else {
                reply(to, 410, echo);
            }
        })) {
            TestHome home = homeOf(endpoint, "engine.default.on-doubt=hold");
            home.drop("b.md", "a question");

            String said = Logged.during(() -> assertThat(home.runUntilIdle()).isEqualTo(4));

            assertThat(said).contains("in doubt");
            assertThat(endpoint.posts()).hasSize(2);
            assertThat(endpoint.polls()).hasSize(3);
            assertThat(endpoint.polls())
                    .extracting(Listening.Heard::uri)
                    .contains("/jobs/1?n=1&v=1&code=" + QUERY, "/jobs/2?n=2&v=1&code=" + QUERY);
            assertThat(home.read("outbox/b.md.url")).isEqualTo(endpoint.uri("/jobs/2?n=2") + "\n");
            String key = CommandOutput.of(home, "doubt", "list").out().substring(0, 64);
            List<String> shown = List.of(
                    CommandOutput.of(home, "journal", key).out(),
                    CommandOutput.of(home, "journal", key, "--replies").out(),
                    CommandOutput.of(home, "status").out(),
                    CommandOutput.of(home, "doubt", "list").out());
            assertWrittenNowhere(home, said + shown);
        }
    }
}
