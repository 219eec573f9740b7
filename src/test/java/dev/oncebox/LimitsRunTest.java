package dev.oncebox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.oncebox.config.Home;
import dev.oncebox.config.Settings;
import dev.oncebox.runtime.Worker;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Budgets, rates and engines that are left in peace, by what the endpoint counts. */
class LimitsRunTest extends StubbedHome {

    private static String lines(int count) {
        var lines = new StringBuilder();
        for (int i = 1; i <= count; i++) {
            lines.append("{\"id\":\"i")
                    .append(i)
                    .append("\",\"text\":\"text ")
                    .append(i)
                    .append("\"}\n");
        }
        return lines.toString();
    }

    private static JsonNode status(TestHome home) {
        return tree(CommandOutput.of(home, "status", "--json").out());
    }

    private static List<JsonNode> answers(TestHome home, String file) {
        return CommandOutput.of(home, "answers", file)
                .out()
                .lines()
                .map(StubbedHome::tree)
                .toList();
    }

    private static Worker worker(TestHome home) throws Exception {
        return Worker.prepare(
                Settings.read(new Home(home.root(), Path.of("").toAbsolutePath()), Map.of()), null, loss -> {});
    }

    @ParameterizedTest
    @CsvSource({"true", "false"})
    void a_budget_of_calls_is_kept_to_the_call_and_the_next_run_pays_the_rest(boolean option) {
        TestHome home = option ? home() : home("budget.calls=7");
        String[] limit = option ? new String[] {"--max-calls", "7"} : new String[0];
        home.drop("x.jsonl", lines(18));

        assertThat(home.runUntilIdle(limit)).isEqualTo(4);

        assertThat(stub.count()).isEqualTo(7);
        assertThat(home.exists("outbox/x.jsonl")).isFalse();
        JsonNode status = status(home);
        assertThat(status.at("/calls/done").asInt()).isEqualTo(7);
        assertThat(status.at("/calls/ready").asInt()).isEqualTo(11);
        assertThat(status.at("/budget/reason").asText()).contains("7 of 7 calls in this run");
        assertThat(status.at("/budget/resumesAt").isNull()).isTrue();
        assertThat(CommandOutput.of(home, "status").out()).contains("budget", "7 of 7 calls", "oncebox answers");
        List<String> ids = all(answers(home, "x.jsonl"), "/id");
        assertThat(ids).hasSize(7);
        List<String> inOrder = new ArrayList<>(ids);
        inOrder.sort((a, b) -> Integer.compare(Integer.parseInt(a.substring(1)), Integer.parseInt(b.substring(1))));
        assertThat(ids).isEqualTo(inOrder);

        assertThat(home.runUntilIdle(limit)).isEqualTo(4);
        assertThat(stub.count()).isEqualTo(14);
        assertThat(home.runUntilIdle(limit)).as("reached by nobody").isZero();
        assertThat(stub.count()).isEqualTo(18);
        assertThat(home.lines("outbox/x.jsonl")).hasSize(18);
        assertThat(status(home).has("budget")).isFalse();
    }

    @Test
    void a_budget_that_the_last_item_uses_up_is_no_failure() {
        TestHome home = home("budget.calls=5");
        home.drop("x.jsonl", lines(5));
        assertThat(home.runUntilIdle()).isZero();
        assertThat(stub.count()).isEqualTo(5);
        home.drop("again.jsonl", lines(5));
        assertThat(home.runUntilIdle()).as("all of it is known").isZero();
        assertThat(stub.count()).isEqualTo(5);
    }

    @Test
    void what_costs_nothing_uses_up_no_budget_and_what_may_have_cost_does() {
        TestHome home = home("budget.calls=3", "engine.default.concurrency=1");
        home.drop("a.jsonl", "\"[[stub: 503; 503]] free at first\"\n");
        home.drop("b.jsonl", "\"[[stub: 500]] doubtful\"\n");
        home.drop("c.jsonl", "\"[[stub: 400]] refused\"\n");

        assertThat(home.runUntilIdle()).as("a dead letter").isEqualTo(4);

        assertThat(stub.count()).isEqualTo(3 + 2 + 1);
        assertThat(home.files("outbox")).contains("a.jsonl", "b.jsonl", "c.errors.jsonl");
    }

    @Test
    void a_budget_of_a_period_holds_across_runs() {
        TestHome home = home("budget.calls=4", "budget.period=300d");
        home.drop("x.jsonl", lines(9));
        assertThat(home.runUntilIdle()).isEqualTo(4);
        assertThat(home.runUntilIdle()).isEqualTo(4);
        assertThat(stub.count()).isEqualTo(4);
        assertThat(status(home).at("/budget/reason").asText()).contains("4 of 4 calls in this period");
        assertThat(Instant.parse(status(home).at("/budget/resumesAt").asText())).isAfter(Instant.now());
        assertThat(CommandOutput.of(home, "run", "--until-idle", "--max-calls", "0")
                        .exit())
                .isEqualTo(2);
    }

    @Test
    void a_budget_in_money_is_passed_by_no_more_than_the_first_calls() {
        TestHome home = home(
                "budget.cost=0.001",
                "engine.default.price.input=10",
                "engine.default.price.output=10",
                "engine.default.concurrency=1");
        home.drop("x.jsonl", lines(60));
        assertThat(home.runUntilIdle()).isEqualTo(4);
        assertThat(stub.count()).isBetween(2L, 59L);
        assertThat(status(home).path("cost").decimalValue()).isLessThanOrEqualTo(new BigDecimal("0.001"));
        assertThat(status(home).at("/budget/reason").asText()).contains("of 0.001 in this run");
        assertThat(answers(home, "x.jsonl")).hasSize((int) stub.count());
    }

    @Test
    void requests_of_a_minute_come_evenly() throws Exception {
        TestHome home = home("engine.default.requests-per-minute=600", "engine.default.concurrency=64");
        home.drop("x.jsonl", lines(200));
        long begun = System.nanoTime();
        try (Worker worker = worker(home)) {
            worker.start();
            await().until(() -> stub.count() > 40);
            double seconds = (System.nanoTime() - begun) / 1e9;
            assertThat(stub.count())
                    .as("after %s s", seconds)
                    .isLessThanOrEqualTo(31 + (long) (seconds * 571 / 60 + 1));
        }
    }

    @Test
    void what_the_engine_says_of_its_limits_is_kept() {
        TestHome home = home("engine.default.concurrency=4");
        String says = "header=x-ratelimit-limit-requests:10 header=x-ratelimit-remaining-requests:REST"
                + " header=x-ratelimit-reset-requests:1s";
        home.drop("a.md", "[[stub: " + says.replace("REST", "0") + "]] a");
        assertThat(home.runUntilIdle()).isZero();
        home.drop(
                "b.md",
                "[[stub: header=x-ratelimit-limit-requests:999999999999999"
                        + " header=x-ratelimit-remaining-requests:5 header=x-ratelimit-reset-requests:999999999d"
                        + " header=x-ratelimit-limit-tokens:60000000001 header=x-ratelimit-remaining-tokens:60000000001"
                        + " header=x-ratelimit-reset-tokens:0s]] b");
        assertThat(home.runUntilIdle()).as("no header costs an answer").isZero();
        assertThat(home.events("b.md")).containsSubsequence("SENT", "COMPLETE").doesNotContain("IN_DOUBT");
        assertThat(stub.count()).isEqualTo(2);
    }

    @Test
    void a_call_that_may_come_back_tomorrow_is_parked_and_the_others_go_on() {
        TestHome home = home();
        home.drop("x.jsonl", "\"[[stub: 429 retry-after=86400 always]] tomorrow\"\n" + lines(6));

        assertThat(home.runUntilIdle()).isEqualTo(4);

        assertThat(stub.count()).isEqualTo(7);
        assertThat(answers(home, "x.jsonl")).hasSize(6);
        JsonNode engine = status(home).at("/engines/default");
        assertThat(engine.path("breaker").asText()).isEqualTo("closed");
        assertThat(engine.path("waiting").asInt()).isEqualTo(1);
        Instant resumes = Instant.parse(engine.path("resumesAt").asText());
        assertThat(Duration.between(Instant.now(), resumes)).isBetween(Duration.ofHours(23), Duration.ofHours(25));
        assertThat(CommandOutput.of(home, "status").out()).contains("1 waiting for later, the first until ");

        home.drop("y.md", "another");
        assertThat(home.runUntilIdle()).isEqualTo(4);
        assertThat(stub.count()).as("not earlier after a restart").isEqualTo(8);
        assertThat(home.exists("outbox/y.md")).isTrue();
    }

    @Test
    void an_engine_that_refuses_everybody_is_left_in_peace_and_that_can_be_seen_beside_the_worker() throws Exception {
        TestHome home = home("retry.delay=300d", "retry.max-delay=300d", "engine.default.concurrency=1");
        home.drop("x.jsonl", "\"[[stub: 401 always]] a\"\n" + lines(20));
        try (Worker worker = worker(home)) {
            worker.start();
            await().until(() ->
                    status(home).at("/engines/default/breaker").asText().equals("open"));
            JsonNode engine = status(home).at("/engines/default");
            assertThat(engine.path("reason").asText()).contains("401");
            assertThat(engine.path("inFlight").asInt()).isZero();
            assertThat(Instant.parse(engine.path("resumesAt").asText())).isAfter(Instant.now());
            assertThat(status(home).path("nodes")).hasSize(1);
            assertThat(CommandOutput.of(home, "status").out()).contains("breaker open, resumes at");
        }
        long sent = stub.count();
        assertThat(status(home).at("/engines/default/breaker").asText())
                .as("remembered")
                .isEqualTo("open");
        assertThat(home.runUntilIdle()).as("one probe").isIn(0, 4);
        assertThat(stub.count()).isGreaterThan(sent);
    }

    @Test
    void a_run_until_idle_ends_after_its_patience_where_everything_is_refused() {
        TestHome home = home("retry.max-delay=20ms");
        home.drop("x.jsonl", "\"[[stub: 401 always]] a\"\n\"[[stub: 403 always]] b\"\n");
        long begun = System.nanoTime();
        assertThat(home.runUntilIdle("--max-wait", "1s")).isEqualTo(4);
        assertThat(Duration.ofNanos(System.nanoTime() - begun))
                .isBetween(Duration.ofMillis(900), Duration.ofSeconds(8));
        assertThat(number(home, "SELECT sum(attempts) FROM call")).isZero();
        assertThat(status(home).at("/calls/ready").asInt()).isEqualTo(2);
    }

    @Test
    void a_half_open_breaker_never_hangs() {
        TestHome home = home("retry.delay=1ms", "retry.max-delay=1ms");
        var lines = new StringBuilder();
        for (int i = 0; i < 6; i++) {
            lines.append("\"[[stub: 401; 503; reset; 401]] ").append(i).append("\"\n");
        }
        home.drop("x.jsonl", lines.toString());
        assertThat(home.runUntilIdle()).isZero();
        assertThat(home.lines("outbox/x.jsonl")).hasSize(6);
        assertThat(status(home).at("/engines/default/breaker").asText()).isEqualTo("closed");
    }

    @Test
    void every_reply_can_be_seen_as_it_came_but_for_the_secrets() {
        TestHome home = home("engine.default.api-key=sk-very-secret-123");
        home.drop("a.md", "[[stub: 503; cut]] sk-very-secret-123");
        assertThat(home.runUntilIdle()).isZero();
        String key = home.journal("a.md").get(0).path("key").asText();

        CommandOutput shown = CommandOutput.of(home, "journal", key.substring(0, 12), "--replies");

        assertThat(shown.exit()).isZero();
        List<JsonNode> replies = shown.out().lines().map(StubbedHome::tree).toList();
        assertThat(all(replies, "/attempt")).containsExactly("1", "2", "3");
        assertThat(all(replies, "/status")).containsExactly("503", "200", "200");
        assertThat(replies.get(0).path("body").asText()).contains("asked for this error");
        assertThat(replies.get(2).path("body").asText()).contains("[call 3]");
        assertThat(replies.get(0).toString() + replies.get(1)).doesNotContain("sk-very-secret-123");
        assertThat(CommandOutput.of(home, "journal", "00000000", "--replies").exit())
                .isEqualTo(1);
    }

    /** The engine said that nothing is left for a day: an idle run must not wait for it, and status must say so. */
    @Test
    void a_limit_that_an_engine_announces_for_hours_parks_its_calls() {
        TestHome home = home("engine.default.concurrency=1");
        home.drop(
                "x.jsonl",
                "\"[[stub: header=x-ratelimit-limit-requests:10 header=x-ratelimit-remaining-requests:0"
                        + " header=x-ratelimit-reset-requests:1d]] a\"\n\"b\"\n");

        assertThat(home.runUntilIdle()).isEqualTo(4);

        assertThat(stub.count()).isEqualTo(1);
        JsonNode engine = home.status().at("/engines/default");
        assertThat(engine.path("breaker").asText()).as("no fault of the engine").isEqualTo("closed");
        assertThat(Instant.parse(engine.path("resumesAt").asText()))
                .isAfter(Instant.now().plus(Duration.ofMinutes(30)));
        assertThat(engine.path("reason").asText()).contains("limit");
    }
}
