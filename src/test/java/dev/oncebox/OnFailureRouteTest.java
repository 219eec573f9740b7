package dev.oncebox;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.oncebox.stub.Stub;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Dead Letter Channel and retries: what each failure costs, and what follows it. */
class OnFailureRouteTest extends StubbedHome {

    @Test
    void an_endpoint_that_cannot_be_reached_costs_nothing_and_burns_no_attempt() throws IOException {
        TestHome home = patientHome();
        int port = stub.port();
        stub.close();
        home.drop("a.md", "later");

        for (int run = 0; run < 4; run++) {
            assertThat(home.runUntilIdle()).as("parked").isEqualTo(4);
            makeDue(home);
        }

        assertThat(home.events("a.md")).filteredOn("REFUSED"::equals).hasSize(4);
        assertThat(home.journal("a.md").toString()).contains("connection_refused");
        assertThat(number(home, "SELECT attempts + doubts FROM call")).isZero();
        assertThat(home.files("outbox")).isEmpty();

        stub = Stub.start(Stub.Options.defaults().withPort(port));
        assertThat(home.runUntilIdle()).isZero();
        assertThat(home.read("outbox/a.md")).startsWith("[call 1]");
        assertThat(stub.count()).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource({"nosuchhost.invalid, unknown_host", "127.0.0.1:1, connection_refused"})
    void an_address_that_leads_nowhere_is_told_in_the_journal(String host, String code) {
        TestHome home = patientHome("engine.default.url=http://" + host + "/v1");
        home.drop("a.md", "where");

        assertThat(home.runUntilIdle()).isEqualTo(4);

        assertThat(home.journal("a.md").toString()).contains(code, "\"charged\":\"no\"");
        assertThat(home.status().at("/calls/ready").asInt()).isEqualTo(1);
    }

    @Test
    void refusals_that_cost_nothing_are_repeated_until_it_is_time_to_give_up() {
        TestHome home = home("retry.give-up=0ms");
        home.drop("a.md", "[[stub: 503 always]]");

        assertThat(home.runUntilIdle()).isEqualTo(4);

        assertThat(home.events("a.md")).containsSubsequence("SENT", "REFUSED", "DEAD_LETTER", "DELIVERED");
        assertThat(home.json("outbox/a.md.error.json").at("/error/message").asText())
                .contains("503");
    }

    @ParameterizedTest
    @CsvSource({"400", "404", "405", "413", "422", "400 context_length_exceeded", "429 insufficient_quota", "401", "403"
    })
    void a_refused_request_is_dead_at_once_and_a_refused_account_waits(String status) {
        TestHome home = patientHome();
        home.drop("x.jsonl", "\"[[stub: " + status + " always]] a\"\n\"fine\"\n");
        boolean account = status.startsWith("429") || status.startsWith("401") || status.startsWith("403");

        assertThat(home.runUntilIdle()).isEqualTo(4);

        assertThat(stub.count()).isEqualTo(2);
        assertThat(number(home, "SELECT count(*) FROM event WHERE kind = 'REFUSED' AND charged = 'NO'"))
                .isEqualTo(1);
        assertThat(home.status().at(account ? "/calls/ready" : "/calls/dead").asInt())
                .isEqualTo(1);
        if (!account) {
            JsonNode error = home.lines("outbox/x.errors.jsonl").get(0);
            assertThat(error.path("line").asInt()).isEqualTo(1);
            assertThat(error.at("/error/message").asText()).contains(status.substring(0, 3), "asked for this error");
            JsonNode receipt = home.json("outbox/x.jsonl.receipt.json");
            assertThat(receipt.path("failed").asInt()).isEqualTo(1);
            assertThat(receipt.path("answered").asInt()).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @CsvSource({"500, server_error", "502, server_error", "close, connection_lost", "reset, connection_lost"})
    void what_may_have_been_charged_is_repeated_within_the_attempts_and_then_dead(String trouble, String code) {
        TestHome home = home();
        home.write("config/jobs/default/job.properties", "attempts=2");
        home.drop("x.jsonl", "\"[[stub: " + trouble + " always]] a\"\n\"[[stub: " + trouble + "]] b\"\n");

        assertThat(home.runUntilIdle()).isEqualTo(4);

        assertThat(stub.count()).isEqualTo(4);
        JsonNode error = home.lines("outbox/x.errors.jsonl").get(0);
        assertThat(error.at("/error/code").asText()).isEqualTo(code);
        assertThat(home.events(error.path("key").asText()))
                .containsSubsequence("SENT", "IN_DOUBT", "ATTEMPT", "SENT", "IN_DOUBT", "DEAD_LETTER", "DELIVERED");
        assertThat(home.journal(error.path("key").asText()).toString()).contains("\"charged\":\"unknown\"");
        JsonNode answer = home.lines("outbox/x.jsonl").get(0);
        assertThat(answer.path("charged").asText()).as("perhaps paid twice").isEqualTo("unknown");
        assertThat(home.json("outbox/x.jsonl.receipt.json").at("/calls/inDoubt").asInt())
                .isEqualTo(2);
        assertThat(home.json("outbox/x.jsonl.receipt.json").path("cost").isNull())
                .isTrue();
    }

    @ParameterizedTest
    @CsvSource({"500", "close", "hang"})
    void under_hold_a_doubt_waits_for_a_person_and_is_never_sent_again(String trouble) {
        TestHome home = home("engine.default.on-doubt=hold", "engine.default.timeout=500ms");
        home.drop("a.md", "[[stub: " + trouble + "]]");
        for (int run = 0; run < 2; run++) {
            assertThat(home.runUntilIdle()).isEqualTo(4);
            home.drop("a.md", "[[stub: " + trouble + "]]");
        }

        assertThat(home.status().at("/calls/doubt").asInt()).isEqualTo(1);
        assertThat(home.status().at("/items/pending").asInt()).isEqualTo(1);
        assertThat(home.files("outbox")).isEmpty();
        assertThat(stub.count()).isEqualTo(1);
    }

    @Test
    void an_endpoint_that_de_duplicates_is_asked_again_even_under_hold() {
        TestHome home = home("engine.default.on-doubt=hold", "engine.default.deduplicates=true");
        home.drop("x.jsonl", "\"[[stub: 500]] a\"\n");

        assertThat(home.runUntilIdle()).isZero();

        assertThat(stub.count()).isEqualTo(2);
        assertThat(stub.counts().keys()).isEqualTo(1);
        assertThat(home.lines("outbox/x.jsonl").get(0).path("charged").asText()).isEqualTo("new");
    }

    @Test
    void an_answer_that_was_cut_is_kept_never_used_and_asked_again() {
        TestHome home = home();
        home.drop("a.md", "[[stub: cut]] all of it");

        assertThat(home.runUntilIdle()).isZero();

        assertThat(home.events("a.md")).containsSubsequence("SENT", "INCOMPLETE", "ATTEMPT", "SENT", "COMPLETE");
        assertThat(home.read("outbox/a.md")).isEqualTo("[call 2] all of it");
        assertThat(number(home, "SELECT count(*) FROM reply WHERE status = 200 AND length(body) > 0"))
                .isEqualTo(2);
        assertThat(stub.count()).isEqualTo(2);
    }

    @Test
    void an_error_under_a_success_counts_as_its_code_would() {
        TestHome home = patientHome();
        home.drop("a.md", "[[stub: error200 always]]");

        assertThat(home.runUntilIdle()).isEqualTo(4);

        assertThat(home.events("a.md")).endsWith("SENT", "REFUSED");
        assertThat(number(home, "SELECT attempts + doubts FROM call")).isZero();
    }

    @Test
    void dropping_a_file_again_retries_the_dead_calls_that_were_certainly_not_charged_and_no_other() {
        TestHome home = home();
        String batch = """
                "[[stub: 400]] not charged"
                "[[stub: 500; 500; 500]] perhaps charged"
                "[[stub: empty]] charged"
                "fine"
                """;
        home.drop("x.jsonl", batch);
        assertThat(home.runUntilIdle()).isEqualTo(4);
        assertThat(all(home.lines("outbox/x.errors.jsonl"), "/id")).containsExactly("1", "2", "3");
        assertThat(stub.count()).isEqualTo(1 + 3 + 1 + 1);

        home.drop("x.jsonl", batch);
        assertThat(home.runUntilIdle()).isEqualTo(4);

        assertThat(stub.count()).isEqualTo(7);
        assertThat(home.status().at("/calls/dead").asInt()).isEqualTo(2);
        assertThat(home.files("outbox")).contains("x~2.jsonl", "x~2.errors.jsonl");
        assertThat(all(home.lines("outbox/x~2.jsonl"), "/id")).containsExactly("1", "4");
        assertThat(all(home.lines("outbox/x~2.errors.jsonl"), "/id")).containsExactly("2", "3");

        home.drop("other.md", "[[stub: empty]] charged");
        assertThat(home.runUntilIdle()).isEqualTo(4);
        assertThat(stub.count()).as("another file finds the dead call dead").isEqualTo(7);
        assertThat(home.files("outbox")).contains("other.md.error.json");
    }

    @Test
    void secrets_that_an_endpoint_repeats_are_hidden() throws IOException {
        TestHome home = home("engine.default.api-key=sk-very-secret-123");
        home.drop("a.md", "[[stub: 400 header=X-Echo:sk-very-secret-123]] a");
        assertThat(home.runUntilIdle()).isEqualTo(4);

        assertThat(home.read("outbox/a.md.error.json")).doesNotContain("sk-very-secret-123");
        assertThat(home.journal("a.md").toString()).doesNotContain("sk-very-secret-123");
        CommandOutput check = CommandOutput.of(home, "check");
        assertThat(check.out() + check.err()).doesNotContain("sk-very-secret-123");
    }
}
