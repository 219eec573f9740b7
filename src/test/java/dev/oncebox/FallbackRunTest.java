package dev.oncebox;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What one engine cannot answer another one is asked, and every payment on the way is shown. */
class FallbackRunTest extends StubbedHome {

    private ScriptedEngine first;

    @BeforeEach
    void startFirst() throws IOException {
        first = new ScriptedEngine();
    }

    @AfterEach
    void closeFirst() {
        first.close();
    }

    private static String[] with(String[] some, String... more) {
        String[] all = Arrays.copyOf(some, some.length + more.length);
        System.arraycopy(more, 0, all, some.length, more.length);
        return all;
    }

    /** The jobs' engines are "default", which goes by scripts, and {@code name}, the stub. */
    private TestHome pair(String name, String... properties) {
        TestHome home = home(with(
                properties,
                "engine.default.url=" + first.url(),
                "engine." + name + ".url=" + stub.uri("/v1"),
                "engine." + name + ".model=m"));
        home.write("config/jobs/default/job.properties", "engines=default, " + name + "\nattempts=2");
        return home;
    }

    private static List<String> details(TestHome home, String file) {
        return home.journal(file).stream()
                .filter(event -> event.path("event").asText().equals("FALLBACK"))
                .map(event -> event.path("detail").asText())
                .toList();
    }

    @Test
    void a_refused_account_lets_the_next_engine_answer_and_nothing_is_paid_twice() {
        TestHome home = pair("spare");
        home.drop("x.jsonl", "\"first: 401 a\"\n");

        assertThat(home.runUntilIdle()).isZero();

        assertThat(first.count() + stub.count()).isEqualTo(1 + 1);
        JsonNode line = home.lines("outbox/x.jsonl").get(0);
        assertThat(line.path("engine").asText()).isEqualTo("spare");
        assertThat(line.path("charged").asText()).isEqualTo("new");
        assertThat(details(home, "x.jsonl"))
                .singleElement()
                .asString()
                .startsWith("from default to spare: ")
                .doesNotContain("twice");
        assertThat(home.events("x.jsonl"))
                .containsSubsequence("SENT", "REFUSED", "FALLBACK", "ATTEMPT", "SENT", "COMPLETE");
        JsonNode receipt = home.json("outbox/x.jsonl.receipt.json");
        assertThat(receipt.at("/attempts/default/free").asInt()).isEqualTo(1);
        assertThat(receipt.at("/attempts/default/charged").asInt()).isZero();
        assertThat(receipt.at("/attempts/spare/charged").asInt()).isEqualTo(1);
        assertThat(all(list(receipt.at("/sentMoreThanOnce/0/attempts")), "/engine"))
                .containsExactly("default", "spare");
        assertThat(receipt.at("/calls/new").asInt()).isEqualTo(1);
    }

    private static List<JsonNode> list(JsonNode array) {
        List<JsonNode> all = new ArrayList<>();
        array.forEach(all::add);
        return all;
    }

    @Test
    void attempts_that_are_used_up_go_on_elsewhere_and_every_payment_is_shown() {
        TestHome home = pair("spare");
        home.drop("x.jsonl", "\"first: 500 200x a\"\n");

        assertThat(home.runUntilIdle()).isZero();

        assertThat(first.count()).isEqualTo(2);
        assertThat(stub.count()).isEqualTo(3 - 2);
        assertThat(details(home, "x.jsonl")).singleElement().asString().contains("paid twice");
        assertThat(home.lines("outbox/x.jsonl").get(0).path("charged").asText()).isEqualTo("unknown");
        JsonNode receipt = home.json("outbox/x.jsonl.receipt.json");
        assertThat(receipt.at("/calls/inDoubt").asInt()).isEqualTo(1);
        assertThat(receipt.at("/attempts/default/sent").asInt()).isEqualTo(2);
        assertThat(receipt.at("/attempts/default/free").asInt()).isZero();
        assertThat(list(receipt.at("/sentMoreThanOnce/0/attempts"))).hasSize(3);
        assertThat(receipt.path("engines").toString()).isEqualTo("[\"default\",\"spare\"]");
    }

    @Test
    void a_misfit_goes_on_at_once_and_a_bad_request_does_not() {
        TestHome home = pair("spare");
        home.drop("x.jsonl", "\"first: 404 long\"\n\"first: 422 bad\"\n");

        assertThat(home.runUntilIdle()).isEqualTo(4);

        assertThat(all(home.lines("outbox/x.jsonl"), "/id")).containsExactly("1");
        assertThat(all(home.lines("outbox/x.errors.jsonl"), "/id")).containsExactly("2");
        assertThat(stub.count()).isEqualTo(1);
    }

    @Test
    void calls_that_queue_before_an_engine_that_is_left_in_peace_go_on_elsewhere() {
        TestHome home = pair("spare", PATIENT);
        var lines = new StringBuilder("\"first: 401 a\"\n");
        for (int i = 0; i < 60; i++) {
            lines.append("\"fine ").append(i).append("\"\n");
        }
        home.drop("x.jsonl", lines.toString());

        assertThat(home.runUntilIdle()).isZero();

        assertThat(home.lines("outbox/x.jsonl")).hasSize(61);
        assertThat(first.count()).as("those that were sent before it opened").isLessThan(40);
        assertThat(first.count() + stub.count()).isEqualTo(61 + 1);
        assertThat(details(home, "x.jsonl")).hasSize((int) stub.count()).allSatisfy(detail -> assertThat(detail)
                .startsWith("from default to spare: ")
                .doesNotContain("twice"));
    }

    @Test
    void a_chain_of_three_is_walked_forward() throws IOException {
        try (var third = new ScriptedEngine()) {
            third.always(200);
            TestHome home = pair("spare", "engine.third.url=" + third.url(), "engine.third.model=m");
            home.write("config/jobs/default/job.properties", "engines=default, spare, third\nattempts=1");
            home.drop("x.jsonl", "\"[[stub: 402]] first: 402 a\"\n\"[[stub: 500]] first: 500 b\"\n");

            assertThat(home.runUntilIdle()).isZero();

            assertThat(home.lines("outbox/x.jsonl")).hasSize(2);
            assertThat(first.count() + stub.count() + third.count())
                    .isEqualTo(number(home, "SELECT sum(sends) FROM call"));
            assertThat(home.lines("outbox/x.jsonl").get(0).path("engine").asText())
                    .isEqualTo("third");
            assertThat(home.lines("outbox/x.jsonl").get(0).path("charged").asText())
                    .isEqualTo("new");
        }
    }

    @Test
    void a_fallback_that_fails_as_well_is_the_end_of_the_call() {
        TestHome home = pair("spare");
        home.drop(
                "x.jsonl", "\"[[stub: 500 always]] first: 500 always\"\n\"[[stub: 404 always]] first: 404 always\"\n");

        assertThat(home.runUntilIdle()).isEqualTo(4);

        assertThat(home.lines("outbox/x.errors.jsonl")).hasSize(2);
        assertThat(first.count()).isEqualTo(2 + 1);
        assertThat(stub.count()).isEqualTo(2 + 1);
        assertThat(number(home, "SELECT count(*) FROM event WHERE kind = 'DEAD_LETTER'"))
                .isEqualTo(2);

        assertThat(CommandOutput.of(home, "dead", "retry", "--all").exit()).isZero();
        assertThat(number(home, "SELECT count(*) FROM call WHERE engine = 'default' AND attempts = doubts"))
                .isEqualTo(2);
        assertThat(home.runUntilIdle()).isEqualTo(4);
        assertThat(number(home, "SELECT max(attempts) FROM call"))
                .as("charges are kept")
                .isEqualTo(8);
    }

    @Test
    void what_only_the_first_engine_would_recognise_does_not_leave_it_under_hold() {
        TestHome home = pair("spare", "engine.default.on-doubt=hold", "engine.default.deduplicates=true");
        home.drop("x.jsonl", "\"first: 500 401 always a\"\n");

        assertThat(home.runUntilIdle("--max-wait", "500ms")).isEqualTo(4);

        assertThat(stub.count()).isZero();
        assertThat(home.status().at("/calls/ready").asInt()).isEqualTo(1);
        assertThat(home.events("x.jsonl")).doesNotContain("FALLBACK");
    }

    /** The other job has no second engine: it does not keep the run from its end. */
    @Test
    void a_job_without_a_fallback_does_not_wait_for_ever_beside_one_with() {
        TestHome home = pair("spare");
        home.write("config/jobs/single/job.properties", "engines=default");
        home.drop("x.jsonl", "\"first: 401 always a\"\n");
        home.drop("single/y.jsonl", "\"first: 401 always b\"\n");

        assertThat(home.runUntilIdle("--max-wait", "500ms")).isEqualTo(4);

        assertThat(home.status().at("/calls/ready").asInt()).isEqualTo(1);
    }

    /** Engines are looked at by name; the fallback's must not decide whether the first one is ever asked again. */
    @Test
    void an_engine_that_answers_again_is_asked_again_whatever_its_fallback_is_called() {
        TestHome home = pair("backup", "retry.delay=1ms", "retry.max-delay=1ms");
        home.drop("a.jsonl", "\"first: 401 a\"\n");
        assertThat(home.runUntilIdle()).isZero();
        assertThat(stub.count()).isEqualTo(1);

        for (int n = 0; n < 3; n++) {
            home.drop("b" + n + ".md", "fine " + n);
            assertThat(home.runUntilIdle()).isZero();
        }

        assertThat(stub.count()).isEqualTo(1);
        assertThat(first.count()).isEqualTo(4);
    }

    @Test
    void an_engine_that_a_job_names_twice_is_refused() {
        TestHome home = pair("spare");
        home.write("config/jobs/default/job.properties", "engines=default, spare, default");
        refused(home, "\"default\" is named twice", "job.properties");
    }
}
