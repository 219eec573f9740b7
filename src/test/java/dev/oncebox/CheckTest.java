package dev.oncebox;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** {@code oncebox check} says all that a new user gets wrong, each with its fix, and asks nothing of anybody. */
class CheckTest extends StubbedHome {

    private static CommandOutput check(TestHome home, String... more) {
        List<String> words = new ArrayList<>(List.of("check"));
        words.addAll(List.of(more));
        return CommandOutput.of(home, words.toArray(String[]::new));
    }

    private void said(CommandOutput check, String... fragments) {
        assertThat(check.exit()).as(check.out() + check.err()).isEqualTo(2);
        assertThat(check.err()).contains(fragments).doesNotContain("\tat ");
        assertThat(stub.count()).isZero();
    }

    @Test
    void everything_in_the_settings_that_is_wrong_is_said_at_once() {
        TestHome home = home(
                "inbox.pol=1s",
                "inbox.settle=soon",
                "engine.default.api-key={{env:NOT_SET_ANYWHERE}}",
                "engine.other.url=ftp://example.org",
                "retry.multiplier=0");
        home.write("config/jobs/tags/job.properties", "attempts=none\nenigne=other\n");
        home.write("config/jobs/titles/answer.schema.json", "{");

        CommandOutput check = check(home);

        said(
                check,
                "unknown property inbox.pol. Did you mean inbox.poll?",
                "inbox.settle is \"soon\"",
                "NOT_SET_ANYWHERE, which is not set",
                "engine.other.url is not an address",
                "retry.multiplier is \"0\"",
                "attempts is \"none\"",
                "unknown property enigne. Did you mean engines?",
                "answer.schema.json:1: not valid JSON");
        assertThat(check.err().lines()).hasSize(8).allMatch(line -> line.startsWith("oncebox: "));
        assertThat(CommandOutput.of(home, "run", "--until-idle").err()).isEqualTo(check.err());
    }

    @Test
    void a_secret_that_is_written_as_in_a_shell_would_be_sent_as_it_stands() {
        for (String written :
                List.of("$OPENAI_API_KEY", "${OPENAI_API_KEY}", "{{OPENAI_API_KEY}}", "{{env.OPENAI_API_KEY}}")) {
            said(check(home("engine.default.api-key=" + written)), "Write {{env:OPENAI_API_KEY}}.");
        }
    }

    @Test
    void a_variable_that_is_nearly_there_is_named() {
        String there = System.getenv().keySet().stream()
                .filter(name -> name.length() > 3 && name.matches("[A-Z_]+"))
                .findFirst()
                .orElseThrow();
        said(
                check(home("engine.default.api-key={{env:" + there + "S}}")),
                there + "S, which is not set",
                "Did you mean " + there + ", which is?");
    }

    @Test
    void an_engine_that_nobody_can_reach_is_said_and_offline_it_is_not_looked_for() throws IOException {
        int port;
        try (var nobody = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = nobody.getLocalPort();
        }
        TestHome home = home(
                "engine.default.url=http://127.0.0.1:" + port + "/v1",
                "engine.bare.protocol=json",
                "engine.bare.url=http://127.0.0.1:" + port + "/ask",
                "engine.named.url=https://no-such-host.invalid/v1");

        said(
                check(home),
                "engine.bare.url: http://127.0.0.1:" + port + " cannot be reached",
                "engine.default.url: http://127.0.0.1:" + port + " cannot be reached",
                "engine.named.url: https://no-such-host.invalid cannot be reached: no such host is known");
        assertThat(check(home, "--offline").exit()).isZero();
    }

    @Test
    void a_key_that_is_refused_is_said_without_the_key_and_without_a_prompt() throws IOException {
        try (var listening = new Listening((request, n, exchange) -> Listening.reply(exchange, 401, "{}"))) {
            CommandOutput check = check(
                    home("engine.default.url=" + listening.uri("/v1"), "engine.default.api-key=sk-of-somebody-else"));

            said(check, "engine.default.api-key: ", "refuses this key (401)");
            assertThat(check.err()).doesNotContain("sk-of-somebody-else");
            assertThat(listening.posts()).isEmpty();
            assertThat(listening.polls()).singleElement().satisfies(asked -> {
                assertThat(asked.uri()).isEqualTo("/v1/models");
                assertThat(asked.headers()).containsEntry("authorization", "Bearer sk-of-somebody-else");
            });
        }
    }

    @Test
    void a_server_without_a_list_of_models_is_there_all_the_same() {
        CommandOutput check = check(home());

        assertThat(check.exit()).as(check.err()).isZero();
        assertThat(check.out()).startsWith("All is well");
        assertThat(stub.count()).isZero();
    }

    @Test
    void folder_port_and_routes_are_said_together() throws IOException {
        try (var taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            TestHome home = home("http.port=" + taken.getLocalPort());
            home.write("config/jobs/summaries/job.properties", "");
            home.write("inbox/sumaries/.keep", "");
            home.write("archive", "a file where a folder should be");
            copyRoutes(home);
            home.write(
                    "routes/extra.camel.yaml",
                    "- route:\n    id: other\n    from:\n      uri: direct:other\n      steps: []\n");

            said(
                    check(home),
                    "archive: a file has the name that a folder needs",
                    "inbox/sumaries: there is no job \"sumaries\"",
                    "Did you mean summaries?",
                    "extra.camel.yaml:1: route: its id is other. Call it extra,",
                    "extra.camel.yaml:1: route: it has no description.",
                    "http.port: 127.0.0.1:" + taken.getLocalPort() + " cannot be had");
        }
    }

    @Test
    void a_ledger_in_use_is_no_mistake() throws Exception {
        TestHome home = home();
        try (var working = new Working(home)) {
            CommandOutput check = check(home);

            assertThat(check.exit()).isEqualTo(1);
            assertThat(check.err()).contains("is in use by", "All else is well so far");
        }
    }
}
