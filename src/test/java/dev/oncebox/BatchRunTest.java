package dev.oncebox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.math.BigDecimal;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Calls that a provider takes together: when they are submitted, what they cost, and who else may answer them. */
class BatchRunTest extends StubbedHome {

    private TestHome batches(String vendor, String... properties) {
        List<String> all = new ArrayList<>(List.of(
                "engine.default.protocol=" + vendor + "-batch",
                "engine.default.poll=50ms",
                "engine.default.lost-after=10s",
                "engine.default.batch.wait=100ms"));
        for (String property : properties) {
            String name = property.substring(0, property.indexOf('=') + 1);
            all.removeIf(line -> line.startsWith(name));
            all.add(property);
        }
        return home(all.toArray(String[]::new));
    }

    private static String items(int count, String directive) {
        return Evidence.batch(count, directive);
    }

    private void assertSubmittedOnce(int calls) {
        assertThat(stub.submissions()).hasSize(calls).allSatisfy((key, times) -> assertThat(times)
                .isEqualTo(1));
        assertThat(stub.charged()).isEqualTo(stub.submissions());
    }

    @ParameterizedTest
    @ValueSource(strings = {"openai", "anthropic"})
    void all_that_waits_is_one_batch_and_one_post(String vendor) {
        TestHome home = batches(vendor);
        home.drop("x.jsonl", items(40, ""));

        assertThat(home.runUntilIdle()).isZero();

        assertSubmittedOnce(40);
        assertThat(stub.count()).isEqualTo(1);
        assertThat(all(home.lines("outbox/x.jsonl"), "/id")).hasSize(40).startsWith("i1", "i2", "i3");
        assertThat(all(home.lines("outbox/x.jsonl"), "/charged")).containsOnly("new");
        assertThat(home.journal("x.jsonl").stream()
                        .filter(event -> event.path("key").isTextual())
                        .map(event -> event.path("event").asText())
                        .distinct())
                .contains("ATTEMPT", "SENT", "QUEUED", "COMPLETE");
    }

    @Test
    void no_batch_has_more_calls_than_it_may() {
        TestHome home = batches("openai", "engine.default.batch.calls=8", "engine.default.batch.wait=300ms");
        home.drop("x.jsonl", items(20, ""));

        assertThat(home.runUntilIdle()).isZero();

        assertSubmittedOnce(20);
        assertThat(stub.count()).isEqualTo(3);
        assertThat(number(home, "SELECT max(calls) FROM batch")).isEqualTo(8);
    }

    @ParameterizedTest
    @ValueSource(strings = {"openai", "anthropic"})
    void no_batch_is_larger_than_it_may_be_and_one_call_that_is_goes_alone(String vendor) {
        TestHome home = batches(vendor, "engine.default.batch.size=2KB");
        String filling = "x".repeat(700);
        home.drop(
                "x.jsonl",
                "{\"id\":1,\"text\":\"a %s\"}\n{\"id\":2,\"text\":\"b %s\"}\n{\"id\":3,\"text\":\"c %s\"}\n{\"id\":4,\"text\":\"d %s\"}\n"
                        .formatted(filling, filling, filling.repeat(5), filling));

        assertThat(home.runUntilIdle()).isZero();

        assertSubmittedOnce(4);
        assertThat(number(home, "SELECT max(calls) FROM batch")).isEqualTo(2);
        assertThat(number(home, "SELECT sum(calls) FROM batch WHERE sent > 0")).isEqualTo(4);
        assertThat(all(home.lines("outbox/x.jsonl"), "/id")).containsExactly("1", "2", "3", "4");
    }

    @Test
    void a_batch_is_of_one_model() {
        TestHome home = batches("openai", "engine.default.batch.wait=500ms");
        home.write("config/jobs/one/job.properties", "model=m1\n");
        home.write("config/jobs/two/job.properties", "model=m2\n");
        home.drop("one/x.jsonl", items(5, ""));
        home.drop("two/x.jsonl", items(6, ""));

        assertThat(home.runUntilIdle()).isZero();

        assertSubmittedOnce(11);
        assertThat(all(home.lines("outbox/one/x.jsonl"), "/model")).containsOnly("m1");
        assertThat(all(home.lines("outbox/two/x.jsonl"), "/model")).containsOnly("m2");
        assertThat(number(home, "SELECT count(*) FROM event WHERE kind = 'REFUSED'"))
                .isZero();
    }

    @Test
    void a_batch_that_is_not_full_waits_for_its_time() {
        TestHome home = batches("openai", "engine.default.batch.wait=1500ms");
        home.drop("x.jsonl", items(3, ""));
        long start = System.nanoTime();

        assertThat(home.runUntilIdle()).isZero();

        assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(Duration.ofMillis(1400));
        assertSubmittedOnce(3);
        assertThat(stub.count()).isEqualTo(1);
    }

    @Test
    void a_full_batch_does_not_wait() {
        TestHome home = batches("openai", "engine.default.batch.wait=10m", "engine.default.batch.calls=3");
        home.drop("x.jsonl", items(6, ""));

        assertThat(home.runUntilIdle()).isZero();

        assertSubmittedOnce(6);
    }

    @ParameterizedTest
    @ValueSource(strings = {"openai", "anthropic"})
    void who_asks_the_same_while_the_batch_is_under_way_joins_it(String vendor) {
        TestHome home = batches(vendor);
        home.drop("x.jsonl", items(2, "[[stub: batch-ready=60m]]"));
        var run = CompletableFuture.supplyAsync(home::runUntilIdle);
        await().until(() -> stub.submissions().size() == 2);

        home.drop("y.jsonl", items(3, "[[stub: batch-ready=60m]]"));
        await().until(() -> stub.submissions().size() == 3);
        stub.release();

        assertThat(run.join()).isZero();
        assertSubmittedOnce(3);
        assertThat(all(home.lines("outbox/y.jsonl"), "/charged")).containsExactly("reused", "reused", "new");
    }

    @Test
    void costs_are_counted_once_however_often_a_batch_is_asked_for() {
        TestHome home = batches(
                "openai",
                "engine.default.price.input=1000000",
                "engine.default.price.output=3000000",
                "budget.cost=1000000");
        home.drop("x.jsonl", items(5, "[[stub: batch-polls=6 batch-content=503,cut]]"));

        assertThat(home.runUntilIdle()).isZero();

        BigDecimal expected = home.lines("outbox/x.jsonl").stream()
                .map(line -> line.at("/usage/prompt_tokens")
                        .decimalValue()
                        .add(line.at("/usage/completion_tokens").decimalValue().multiply(new BigDecimal(3)))
                        .multiply(new BigDecimal("0.5")))
                .reduce(BigDecimal.ZERO, BigDecimal::add);
        assertThat(expected).isPositive();
        assertThat(home.json("outbox/x.jsonl.receipt.json").path("cost").decimalValue())
                .isEqualByComparingTo(expected);
        assertThat(home.status().path("cost").decimalValue()).isEqualByComparingTo(expected);
        assertThat(number(home, "SELECT sum(cost) FROM event"))
                .isEqualTo(expected.movePointRight(9).longValueExact());
        assertSubmittedOnce(5);
    }

    @ParameterizedTest
    @ValueSource(strings = {"openai", "anthropic"})
    void no_more_calls_are_submitted_than_a_run_may(String vendor) {
        TestHome home = batches(vendor);
        home.drop("x.jsonl", items(12, ""));

        assertThat(home.runUntilIdle("--max-calls", "7")).isEqualTo(4);

        assertSubmittedOnce(7);
        assertThat(home.status().at("/calls/done").asInt()).isEqualTo(7);
        assertThat(home.runUntilIdle("--max-calls", "7")).isZero();
        assertSubmittedOnce(12);
    }

    @Test
    void what_was_submitted_uses_up_the_budget_of_a_period_even_before_it_is_answered() {
        TestHome home = batches("openai", "budget.calls=6", "budget.period=300d");
        home.drop("x.jsonl", items(9, "[[stub: batch-polls=3]]"));

        assertThat(home.runUntilIdle()).isEqualTo(4);
        assertThat(home.runUntilIdle()).isEqualTo(4);

        assertSubmittedOnce(6);
        assertThat(home.status().at("/budget/reason").asText()).contains("6 of 6 calls");
    }

    @Test
    void a_budget_in_money_ends_the_submissions() {
        TestHome home = batches(
                "openai",
                "engine.default.price.input=1000000",
                "engine.default.price.output=1000000",
                "engine.default.batch.calls=2",
                "budget.cost=10");
        home.drop("x.jsonl", items(40, ""));

        assertThat(home.runUntilIdle()).isEqualTo(4);

        assertThat(stub.submissions().size()).isLessThan(40);
        assertThat(home.status().at("/budget/reason").asText()).isNotEmpty();
        assertThat(number(home, "SELECT count(*) FROM batch WHERE state <> 'ENDED'"))
                .isZero();
    }

    @Test
    void refusals_that_cost_nothing_use_up_no_budget() {
        TestHome home = batches("openai", "budget.calls=3");
        home.drop("x.jsonl", items(3, "[[stub: batch-expired=1; batch-failed=token_limit_exceeded]]"));

        assertThat(home.runUntilIdle()).isZero();

        assertThat(stub.charged()).hasSize(3).allSatisfy((key, times) -> assertThat(times)
                .isEqualTo(1));
    }

    @ParameterizedTest
    @ValueSource(strings = {"openai", "anthropic"})
    void a_line_that_is_always_refused_is_given_up_at_its_time(String vendor) {
        TestHome home = batches(vendor, "retry.give-up=600ms", "retry.max-delay=100ms");
        home.drop("x.jsonl", items(1, "[[stub: 429 always]]") + "\"and one that is answered\"\n");

        assertThat(home.runUntilIdle()).isEqualTo(4);

        assertThat(stub.charged()).hasSize(1);
        assertThat(home.lines("outbox/x.errors.jsonl")
                        .get(0)
                        .at("/error/message")
                        .asText())
                .contains("retry.give-up");
        assertThat(home.lines("outbox/x.jsonl")).hasSize(1);
    }

    @Test
    void a_batch_engine_takes_over_what_another_cannot_answer() {
        TestHome home = batches("openai", "engine.first.url=" + stub.uri("/v1"), "engine.first.model=test");
        home.write("config/jobs/default/job.properties", "engines=first, default\n");
        home.drop("x.jsonl", items(4, "[[stub: 401]]"));

        assertThat(home.runUntilIdle()).isZero();

        assertThat(stub.charged()).isNotEmpty().allSatisfy((key, times) -> assertThat(times)
                .isEqualTo(1));
        assertThat(all(home.lines("outbox/x.jsonl"), "/engine")).hasSize(4).contains("default");
    }

    @ParameterizedTest
    @ValueSource(strings = {"openai", "anthropic"})
    void a_cancelled_batch_is_sent_again_but_for_what_it_answered(String vendor) throws Exception {
        TestHome home = batches(vendor);
        home.drop("x.jsonl", items(5, "[[stub: batch-ready=60m batch-expired=2]]"));
        var run = CompletableFuture.supplyAsync(home::runUntilIdle);
        await().until(() -> stub.submissions().size() == 5
                && number(home, "SELECT count(*) FROM batch WHERE remote IS NOT NULL") == 1);

        String address =
                list(home, "SELECT json_quote(remote) FROM batch").get(0).asText();
        post(address + "/cancel");

        assertThat(run.join()).isZero();
        assertThat(stub.charged()).hasSize(5).allSatisfy((key, times) -> assertThat(times)
                .isEqualTo(1));
        assertThat(stub.submissions().values().stream()
                        .mapToInt(Integer::intValue)
                        .sum())
                .isEqualTo(8);
    }

    private static void post(String address) throws IOException, InterruptedException {
        HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create(address))
                                .POST(HttpRequest.BodyPublishers.noBody())
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void a_file_of_one_item_shows_where_its_batch_is_asked_for() {
        TestHome home = batches("openai");
        home.drop("b.md", "How many bees? [[stub: batch-ready=60m]]");
        var run = CompletableFuture.supplyAsync(home::runUntilIdle);

        await().until(() -> home.exists("outbox/b.md.url"));

        assertThat(home.read("outbox/b.md.url"))
                .contains(stub.uri("/v1/batches/").toString());
        stub.release();
        assertThat(run.join()).isZero();
        assertThat(home.files("outbox")).containsExactly("b.md");
        assertSubmittedOnce(1);
    }

    @Test
    void no_secret_is_sent_elsewhere_or_stored() {
        TestHome home = batches("openai", "engine.default.api-key=sk-quite-secret-indeed");
        home.drop("x.jsonl", items(2, "[[stub: batch-failed=token_limit_exceeded]]"));

        assertThat(home.runUntilIdle()).isZero();

        List<JsonNode> stored =
                list(home, "SELECT json_quote(coalesce(remote, '') || handle || coalesce(said, '')) FROM batch");
        assertThat(stored).isNotEmpty().noneMatch(text -> text.asText().contains("secret"));
    }

    @Test
    void an_engine_of_batches_cannot_recognise_a_repeated_call() {
        refused(batches("openai", "engine.default.deduplicates=true"), "engine.default.deduplicates");
    }

    @Test
    void nothing_is_left_in_the_temporary_folder() {
        Stream.of("openai", "anthropic").forEach(vendor -> {
            TestHome home = batches(vendor);
            home.drop(vendor + ".jsonl", items(3, "[[stub: batch-content=cut,503]] " + vendor));
            assertThat(home.runUntilIdle()).isZero();
        });
        assertThat(new java.io.File(System.getProperty("java.io.tmpdir"))
                        .list((folder, name) -> name.startsWith("oncebox-batch-")))
                .isEmpty();
    }
}
