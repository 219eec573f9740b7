package dev.oncebox;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Guaranteed Delivery: the answer and its call's end are one commit, and everything after can be had again for it. */
class AcceptRouteTest extends StubbedHome {

    @Test
    void a_call_ends_with_its_answer_and_its_reply_in_the_ledger() {
        TestHome home = home();
        home.drop("x.jsonl", "{\"id\":\"a\",\"text\":\"one\"}\n");

        assertThat(home.runUntilIdle()).isZero();

        JsonNode answer = home.lines("outbox/x.jsonl").get(0);
        assertThat(home.events(answer.path("key").asText()))
                .containsExactly("ATTEMPT", "SENT", "COMPLETE", "DELIVERED");
        assertThat(home.events("x.jsonl")).containsExactly("ATTEMPT", "SENT", "COMPLETE", "DELIVERED");
        assertThat(number(home, "SELECT count(*) FROM answer")).isEqualTo(1);
        assertThat(number(home, "SELECT count(*) FROM reply WHERE status = 200"))
                .isEqualTo(1);
        assertThat(answer.path("usage").path("total_tokens").asInt()).isPositive();
        assertThat(answer.path("model").asText()).isEqualTo("test");
    }

    @Test
    void what_is_lost_from_the_outbox_comes_back_from_the_ledger_unpaid_even_with_the_endpoint_gone()
            throws IOException {
        TestHome home = home();
        home.drop("x.jsonl", "\"one\"\n\"two\"\n");
        home.drop("b.md", "three");
        assertThat(home.runUntilIdle()).isZero();
        List<String> files = home.files("outbox");
        List<String> before =
                files.stream().map(name -> home.read("outbox/" + name)).toList();
        stub.close();
        for (String name : files) {
            Files.delete(home.path("outbox/" + name));
        }

        for (String name : List.of("x.jsonl", "b.md")) {
            home.drop(name, home.read("archive/" + name));
        }
        assertThat(home.runUntilIdle()).isZero();

        assertThat(home.files("outbox")).isEqualTo(files);
        assertThat(files.stream().map(name -> home.read("outbox/" + name)).toList())
                .isEqualTo(before);
        assertThat(home.status().path("sent").asInt()).isEqualTo(3);
        assertThat(home.events("b.md"))
                .contains("DELIVERED")
                .filteredOn("SENT"::equals)
                .hasSize(1);
    }

    @Test
    void what_is_known_is_reused_and_the_journal_says_so() {
        TestHome home = home();
        home.drop("first.md", "the same question");
        assertThat(home.runUntilIdle()).isZero();

        home.drop("second.txt", "the  same\nquestion\n");
        assertThat(home.runUntilIdle()).isZero();

        assertThat(home.read("outbox/second.txt")).isEqualTo(home.read("outbox/first.md"));
        assertThat(home.events("second.txt")).contains("CACHE_HIT", "DELIVERED");
        assertThat(home.status().path("reused").asInt()).isEqualTo(1);
        assertThat(home.status().path("new").asInt()).isEqualTo(1);
        assertThat(stub.count()).isEqualTo(1);
    }

    @Test
    void a_route_that_ends_without_settling_leaves_a_doubt_and_no_call_that_is_open_for_ever() {
        TestHome home = home("engine.default.on-doubt=hold");
        copyRoutes(home);
        home.write(
                "routes/5-accept.camel.yaml",
                home.read("routes/5-accept.camel.yaml").replace("uri: ledger:settle", "uri: log:forgotten?level=OFF"));
        home.drop("a.md", "answered, and not settled");

        assertThat(home.runUntilIdle()).isEqualTo(4);

        assertThat(home.events("a.md")).endsWith("ATTEMPT", "SENT", "IN_DOUBT");
        assertThat(number(home, "SELECT count(*) FROM reply"))
                .as("what was paid is kept")
                .isEqualTo(1);
        assertThat(stub.count()).isEqualTo(1);
    }

    @Test
    void a_failure_of_the_error_handling_itself_leaves_a_doubt_and_no_call_that_is_open_for_ever() {
        TestHome home = home("engine.default.on-doubt=hold");
        copyRoutes(home);
        home.write(
                "routes/on-failure.camel.yaml",
                home.read("routes/on-failure.camel.yaml").replace("method: failed", "method: read"));
        home.drop("a.md", "[[stub: empty]]");

        assertThat(home.runUntilIdle()).isEqualTo(4);

        assertThat(home.events("a.md")).endsWith("ATTEMPT", "SENT", "IN_DOUBT");
        assertThat(stub.count()).isEqualTo(1);
    }
}
