package dev.oncebox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.oncebox.stub.Stub;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What people see of accepted calls, change under them, and decide about them, by what the endpoint counts. */
class AsyncOperationsTest extends StubbedHome {

    private static final String[] LATER = {"engine.default.poll=1d"};

    private TestHome homeOf(String... more) {
        return home(Stream.concat(
                        Stream.of(
                                "engine.default.protocol=openai-responses",
                                "engine.default.url=" + stub.uri("/v1"),
                                "engine.default.poll=50ms"),
                        Stream.of(more))
                .toArray(String[]::new));
    }

    private static void askNow(TestHome home) {
        execute(home, "UPDATE call SET due = 0 WHERE state = 'POLLING'");
    }

    private static void rename(TestHome home, String from, String to) {
        home.write(
                "config/application.properties",
                home.read("config/application.properties").replace("engine." + from + ".", "engine." + to + "."));
        home.write("config/jobs/default/job.properties", "engines=" + to);
    }

    private long polls() {
        return stub.counts().face("GET /v1/responses/{id}");
    }

    @Test
    void the_address_stands_in_the_outbox_until_the_answer_does() {
        TestHome home = homeOf();
        home.drop("b.md", "[[stub: ready=60m]] a question");
        home.drop("c.json", "{\"id\":\"c\",\"text\":\"[[stub: ready=60m]] another\"}");
        home.drop("x.jsonl", "{\"text\":\"[[stub: ready=60m]] of many\"}\n");

        var run = CompletableFuture.supplyAsync(home::runUntilIdle);
        await().until(() -> home.exists("outbox/b.md.url") && home.exists("outbox/c.json.url"));
        assertThat(home.read("outbox/b.md.url")).matches("\\Q" + stub.uri("/v1/responses/") + "\\Eresp_\\w+\\n");
        assertThat(home.exists("outbox/b.md")).isFalse();

        await().until(() -> stub.counts().submitted() == 3);
        stub.release();
        assertThat(run.join()).isZero();
        assertThat(home.files("outbox")).containsExactly("b.md", "c.json", "x.jsonl", "x.jsonl.receipt.json");
        assertThat(stub.counts().submitted()).isEqualTo(3);
    }

    @Test
    void an_address_stands_beside_what_was_there_and_is_taken_away_alone() {
        TestHome home = homeOf(LATER);
        home.write("outbox/b.md", "an older answer");
        home.write("outbox/c.md.url", "a link of a person");
        home.drop("b.md", "a question");
        home.drop("c.md", "another");

        assertThat(home.runUntilIdle()).isEqualTo(4);
        assertThat(home.files("outbox")).containsExactly("b.md", "b~2.md.url", "c.md.url", "c~2.md.url");

        askNow(home);
        assertThat(home.runUntilIdle()).isZero();
        assertThat(home.files("outbox")).containsExactly("b.md", "b~2.md", "c.md", "c.md.url");
        assertThat(home.read("outbox/c.md.url")).isEqualTo("a link of a person");
    }

    @Test
    void a_later_item_of_another_file_and_job_joins_a_call_that_is_under_way() {
        TestHome home = homeOf(LATER);
        home.write("config/jobs/other/job.properties", "");
        home.drop("b.md", "a question");
        assertThat(home.runUntilIdle()).isEqualTo(4);
        home.drop("again.md", "a  question");
        home.drop("other/c.md", "a question ");
        home.drop("x.jsonl", "{\"text\":\"a question\"}\n");
        assertThat(home.runUntilIdle()).isEqualTo(4);

        assertThat(home.files("outbox")).containsExactly("again.md.url", "b.md.url", "other/c.md.url");
        assertThat(home.read("outbox/other/c.md.url")).isEqualTo(home.read("outbox/b.md.url"));
        askNow(home);
        assertThat(home.runUntilIdle()).isZero();

        assertThat(stub.submissions()).hasSize(1).containsValue(1);
        assertThat(polls()).isEqualTo(1);
        assertThat(home.files("outbox"))
                .containsExactly("again.md", "b.md", "other/c.md", "x.jsonl", "x.jsonl.receipt.json");
        assertThat(home.read("outbox/again.md"))
                .isEqualTo(home.read("outbox/b.md"))
                .startsWith("[call 1]");
        assertThat(home.lines("outbox/x.jsonl").get(0).path("charged").asText()).isEqualTo("reused");
    }

    @Test
    void an_accepted_call_is_asked_at_the_engine_that_took_it_whatever_engine_its_job_names_by_now()
            throws IOException {
        try (Stub second = Stub.start(Stub.Options.defaults())) {
            String[] both = {
                "engine.default.poll=1d",
                "engine.second.protocol=openai-responses",
                "engine.second.poll=50ms",
                "engine.second.url=" + second.uri("/v1")
            };
            TestHome home = homeOf(both);
            home.write("config/jobs/default/job.properties", "engines=default, second");
            home.drop("b.md", "a question");
            assertThat(home.runUntilIdle()).isEqualTo(4);

            home.write("config/jobs/default/job.properties", "engines=second, default");
            askNow(home);
            home.drop("c.md", "another");
            assertThat(home.runUntilIdle()).isZero();

            assertThat(stub.counts().submitted()).isEqualTo(1);
            assertThat(polls()).isEqualTo(1);
            assertThat(second.counts().submitted())
                    .as("new calls go to the new first")
                    .isEqualTo(1);
            assertThat(home.read("outbox/b.md")).startsWith("[call 1] a question");
        }
    }

    @Test
    void an_engine_that_was_renamed_leaves_its_calls_parked_and_says_so_until_it_is_back() {
        TestHome home = homeOf(LATER);
        home.drop("b.md", "a question");
        assertThat(home.runUntilIdle()).isEqualTo(4);
        askNow(home);
        rename(home, "default", "renamed");

        String said = Logged.during(() -> assertThat(home.runUntilIdle()).isEqualTo(4));

        assertThat(said).contains("1 calls were accepted by engine default");
        assertThat(stub.counts().submitted()).as("not sent anew").isEqualTo(1);
        assertThat(polls()).isZero();
        assertThat(home.files("outbox")).containsExactly("b.md.url");
        assertThat(CommandOutput.of(home, "status").out())
                .containsPattern(
                        "default: 0 in flight, 1 accepted and not answered yet, since \\S+, and nobody asks for them");
        assertThat(tree(CommandOutput.of(home, "status", "--json").out())
                        .at("/engines/default/orphaned")
                        .asBoolean())
                .isTrue();
        assertThat(CommandOutput.of(home, "doubt", "list").out()).contains("accepted, and its engine said: queued");

        rename(home, "renamed", "default");
        assertThat(CommandOutput.of(home, "status").out()).doesNotContain("nobody asks");
        assertThat(CommandOutput.of(home, "doubt", "list").out()).startsWith("No call is in doubt");
        assertThat(home.runUntilIdle()).isZero();
        assertThat(stub.counts().submitted()).isEqualTo(1);
        assertThat(home.files("outbox")).containsExactly("b.md");
    }

    @Test
    void an_engine_that_answers_at_once_by_now_is_sent_nothing_that_it_has_accepted_before() {
        TestHome home = homeOf(LATER);
        home.drop("b.md", "a question");
        assertThat(home.runUntilIdle()).isEqualTo(4);

        TestHome changed = home();
        String said = Logged.during(() -> assertThat(changed.runUntilIdle()).isEqualTo(4));

        assertThat(said).contains("no asynchronous engine of this name is configured");
        assertThat(stub.count()).isEqualTo(1);
        assertThat(CommandOutput.of(changed, "status").out()).contains("nobody asks for them");
    }

    @Test
    void a_person_gives_up_an_accepted_call_and_the_engine_is_told() {
        TestHome home = homeOf(LATER);
        home.drop("b.md", "[[stub: polls=9]] a question");
        assertThat(home.runUntilIdle()).isEqualTo(4);
        String key = home.journal("b.md").get(0).path("key").asText();

        CommandOutput given = CommandOutput.of(home, "doubt", "accept-loss", key.substring(0, 12));

        assertThat(given.exit()).isZero();
        assertThat(given.out()).contains(key + "  is given up", "default was told to give it up, and says: cancelled");
        assertThat(stub.counts().face("POST /v1/responses/{id}/cancel")).isEqualTo(1);
        assertThat(CommandOutput.of(home, "doubt", "accept-loss", key).exit())
                .as("it has its end")
                .isEqualTo(1);
        assertThat(home.runUntilIdle()).isEqualTo(4);
        assertThat(polls()).isZero();
        assertThat(stub.counts().submitted()).isEqualTo(1);
        assertThat(home.files("outbox")).containsExactly("b.md.error.json");
        assertThat(home.json("outbox/b.md.error.json").at("/error/code").asText())
                .isEqualTo("loss_accepted");
        assertThat(home.events("b.md")).contains("IN_DOUBT", "DEAD_LETTER").doesNotContain("COMPLETE");
        assertThat(number(home, "SELECT doubts FROM call")).isEqualTo(1);

        assertThat(CommandOutput.of(home, "dead", "retry", key).exit()).isZero();
        askNow(home);
        homeOf();
        assertThat(home.runUntilIdle()).as("all that a person can still do").isZero();
        assertThat(stub.counts().submitted()).isEqualTo(2);
    }

    @Test
    void a_late_result_of_a_call_that_was_given_up_is_kept_and_not_delivered() {
        TestHome home = homeOf();
        home.drop("b.md", "[[stub: ready=60m]] a question");
        var run = CompletableFuture.supplyAsync(home::runUntilIdle);
        await().until(() -> home.exists("outbox/b.md.url"));
        String key = home.journal("b.md").get(0).path("key").asText();

        CommandOutput given = CommandOutput.of(home, "doubt", "accept-loss", key);

        assertThat(given.exit()).as(given.err()).isZero();
        assertThat(run.join()).isEqualTo(4);
        assertThat(home.files("outbox")).containsExactly("b.md.error.json");
        assertThat(home.events("b.md")).doesNotContain("COMPLETE");
    }

    @Test
    void an_engine_that_cannot_be_told_is_named_with_the_address_and_the_call_is_given_up_all_the_same() {
        TestHome home = homeOf(
                "engine.jobs.protocol=async",
                "engine.jobs.url=" + stub.uri("/jobs"),
                "engine.jobs.poll=1d",
                "engine.default.poll=1d");
        home.write("config/jobs/plain/job.properties", "engines=jobs");
        home.drop("b.md", "a question");
        home.drop("plain/c.md", "another");
        assertThat(home.runUntilIdle()).isEqualTo(4);
        String url = home.read("outbox/plain/c.md.url").strip();
        stub.reset();

        CommandOutput jobs = giveUp(home, "plain/c.md");
        CommandOutput forgotten = giveUp(home, "b.md");

        assertThat(jobs.out()).contains("No way is known to tell jobs. Its job may go on at " + url);
        assertThat(forgotten.out()).contains("default could not be told (it answered 404). Its job may go on at");
        assertThat(home.runUntilIdle()).isEqualTo(4);
        assertThat(home.files("outbox")).containsExactly("b.md.error.json", "plain/c.md.error.json");
    }

    private static CommandOutput giveUp(TestHome home, String file) {
        String key = home.journal(file).get(0).path("key").asText();
        CommandOutput given = CommandOutput.of(home, "doubt", "accept-loss", key);
        assertThat(given.exit()).isZero();
        return given;
    }
}
