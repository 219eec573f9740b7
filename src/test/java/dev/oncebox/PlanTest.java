package dev.oncebox;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What a plan says is what a run then pays, by the endpoint's own count and by the receipts. */
class PlanTest extends StubbedHome {

    private static JsonNode plan(TestHome home, String... files) {
        CommandOutput planned = CommandOutput.of(
                home,
                Stream.concat(Stream.of("plan", "--json"), Stream.of(files).map(file -> home.path(file)
                                .toString()))
                        .toArray(String[]::new));
        assertThat(planned.exit()).as(planned.err()).isZero();
        return tree(planned.out());
    }

    /** Plans the dropped files, runs, and compares; returns the plan. */
    private JsonNode agrees(TestHome home, String... names) {
        List<String> before = files(home);
        JsonNode plan = plan(home, Stream.of(names).map(name -> "inbox/" + name).toArray(String[]::new));
        assertThat(files(home)).isEqualTo(before);
        long paid = stub.count();

        home.runUntilIdle();

        assertThat(stub.count() - paid)
                .as("%s", plan)
                .isEqualTo(plan.at("/total/toSend").asLong());
        long caused = 0;
        for (int i = 0; i < names.length; i++) {
            JsonNode receipt = home.json("outbox/" + names[i] + ".receipt.json");
            JsonNode file = plan.path("files").get(i);
            for (String count : List.of("items", "invalid", "whitespaceOnly")) {
                assertThat(receipt.path(count)).as(count).isEqualTo(file.path(count));
            }
            caused += receipt.at("/calls/new").asInt();
            assertAddsUp(file);
            List<JsonNode> invalid = IntStream.range(
                            0, file.path("invalidItems").size())
                    .mapToObj(file.path("invalidItems")::get)
                    .toList();
            String errors = "outbox/" + names[i].replace(".jsonl", ".errors.jsonl");
            List<JsonNode> unread = !home.exists(errors)
                    ? List.of()
                    : home.lines(errors).stream()
                            .filter(line -> line.path("key").isNull())
                            .toList();
            assertThat(all(invalid, "/error/code")).isEqualTo(all(unread, "/error/code"));
            assertThat(all(invalid, "/error/message")).isEqualTo(all(unread, "/error/message"));
            assertThat(all(invalid, "/id")).isEqualTo(all(unread, "/id"));
        }
        assertThat(caused).isEqualTo(plan.at("/total/toSend").asLong());
        assertAddsUp(plan.path("total"));
        return plan;
    }

    /** All but what SQLite itself puts beside a database that somebody looks at. */
    private static List<String> files(TestHome home) {
        return home.files("").stream()
                .filter(name -> !name.matches("data/ledger\\.db-(wal|shm)"))
                .toList();
    }

    private static void assertAddsUp(JsonNode sums) {
        long calls = 0;
        for (JsonNode count : sums.path("calls")) {
            calls += count.asLong();
        }
        assertThat(sums.path("invalid").asLong()
                        + sums.path("repeated").asLong()
                        + sums.path("shared").asLong()
                        + calls)
                .as("%s", sums)
                .isEqualTo(sums.path("items").asLong());
    }

    private static String calls(JsonNode plan) {
        return plan.at("/total/calls").toString();
    }

    @Test
    void a_new_file_with_doubles_variants_and_invalid_items_in_a_home_without_a_ledger() {
        TestHome home = home();
        home.drop("x.jsonl", """
                {"text":"one"}
                {"text":" one "}
                not json

                {"id":"a","text":"two"}
                {"id":"a","text":"three"}
                {"id":"a","text":"two"}
                {"nothing":1}
                {"text":"four"}
                {"id":1,"text":"five"}
                {"id":"s","text":"one","sample":1}
                """);

        JsonNode plan = agrees(home, "x.jsonl");

        assertThat(calls(plan)).contains("\"new\":4", "\"answered\":0");
        assertThat(plan.at("/total/repeated").asInt()).isEqualTo(2);
        assertThat(plan.at("/total/whitespaceOnly").asInt()).isEqualTo(1);
        assertThat(plan.at("/files/0/takenBefore").asBoolean(true)).isFalse();
    }

    @Test
    void a_file_that_is_partly_answered_and_one_that_is_dropped_again() {
        TestHome home = home();
        home.drop("x.jsonl", "{\"text\":\"one\"}\n{\"text\":\"two\"}\n");
        agrees(home, "x.jsonl");
        home.drop("y.jsonl", "{\"text\":\"one\\t\"}\n{\"text\":\"three\"}\n{\"text\":\"two\"}\n");

        JsonNode plan = agrees(home, "y.jsonl");

        assertThat(calls(plan)).contains("\"new\":1", "\"answered\":2");
        home.drop("y.jsonl", "{\"text\":\"one\\t\"}\n{\"text\":\"three\"}\n{\"text\":\"two\"}\n");
        JsonNode again = plan(home, "inbox/y.jsonl");
        assertThat(again.at("/files/0/takenBefore").asBoolean()).isTrue();
        assertThat(calls(again)).contains("\"new\":0", "\"answered\":3");
        home.runUntilIdle();
        assertThat(stub.count()).isEqualTo(3);
    }

    @Test
    void files_that_share_calls_are_counted_once() {
        TestHome home = home();
        home.drop("a.jsonl", "{\"text\":\"one\"}\n{\"text\":\"two\"}\n");
        home.drop("b.jsonl", "{\"text\":\"two\"}\n{\"text\":\"three\"}\n{\"text\":\"three\"}\n");

        JsonNode plan = agrees(home, "a.jsonl", "b.jsonl");

        assertThat(plan.at("/total/toSend").asInt()).isEqualTo(3);
        assertThat(plan.at("/files/1/shared").asInt()).isEqualTo(1);
        assertThat(plan.at("/files/1/repeated").asInt()).isEqualTo(1);
    }

    @Test
    void an_id_that_was_used_with_other_content_is_a_conflict() {
        TestHome home = home();
        home.write("config/jobs/default/job.properties", "key=id");
        home.drop("a.jsonl", "{\"id\":\"k\",\"text\":\"one\"}\n{\"text\":\"none\"}\n");
        agrees(home, "a.jsonl");
        home.drop("b.jsonl", """
                {"id":"k","text":"other"}
                {"id":"k","text":" one "}
                {"id":"m","text":"two"}
                {"id":"m","text":"three"}
                """);

        JsonNode plan = agrees(home, "b.jsonl");

        assertThat(plan.at("/total/invalid").asInt()).isEqualTo(3);
    }

    @Test
    void dead_letters_that_cost_nothing_are_sent_again_and_others_are_not() {
        TestHome home = home();
        home.write("config/jobs/default/job.properties", "attempts=1");
        home.drop(
                "x.jsonl", "{\"text\":\"[[stub: 400]] one\"}\n{\"text\":\"[[stub: reset]] two\"}\n{\"text\":\"3\"}\n");
        home.runUntilIdle();
        assertThat(stub.count()).isEqualTo(3);
        home.drop("y.jsonl", "{\"text\":\"[[stub: 400]] one\"}\n{\"text\":\"[[stub: reset]] two\"}\n");

        JsonNode plan = agrees(home, "y.jsonl");

        assertThat(calls(plan)).contains("\"new\":0", "\"retried\":1", "\"dead\":1");
    }

    @Test
    void what_waits_or_is_in_doubt_is_told_and_not_counted_as_new() {
        TestHome home = patientHome("engine.default.on-doubt=hold");
        home.drop("x.jsonl", "{\"text\":\"[[stub: reset]] one\"}\n{\"text\":\"[[stub: 503]] two\"}\n");
        home.runUntilIdle("--max-wait", "1s");
        home.drop("y.jsonl", "{\"text\":\"[[stub: reset]]  one\"}\n{\"text\":\"[[stub: 503]] two\"}\n");

        JsonNode plan = plan(home, "inbox/y.jsonl");

        assertThat(calls(plan)).contains("\"new\":0", "\"waiting\":1", "\"inDoubt\":1");
        assertThat(plan.at("/total/estimate/price").asInt(-1)).isZero();
    }

    @Test
    void a_file_that_a_process_had_begun_to_read_when_it_died_causes_its_calls_itself() {
        TestHome home = patientHome();
        home.drop("x.jsonl", "{\"text\":\"[[stub: 503]] one\"}\n{\"text\":\"two\"}\n");
        home.runUntilIdle("--max-wait", "1s");
        execute(home, "UPDATE file SET state = 'TAKING', archived = 0");
        makeDue(home);
        home.drop("x.jsonl", "{\"text\":\"[[stub: 503]] one\"}\n{\"text\":\"two\"}\n");

        JsonNode plan = plan(home, "inbox/x.jsonl");

        assertThat(calls(plan)).contains("\"new\":1", "\"waiting\":0", "\"answered\":1");
        assertThat(plan.at("/files/0/takenBefore").asBoolean(true)).isFalse();
        home.runUntilIdle();
        assertThat(stub.count()).isEqualTo(3);
        assertThat(home.json("outbox/x.jsonl.receipt.json").at("/calls/new").asInt())
                .isEqualTo(2);
    }

    @Test
    void a_job_is_the_one_of_the_folder_or_of_the_option() {
        TestHome home = home();
        home.write("config/jobs/other/prompt.md", "Say: {{text}}");
        home.drop("other/x.jsonl", "{\"text\":\"one\"}\n");
        agrees(home, "other/x.jsonl");
        home.write("elsewhere.jsonl", "{\"text\":\"one\"}\n");

        assertThat(calls(plan(home, "elsewhere.jsonl", "elsewhere.jsonl"))).contains("\"new\":1");
        CommandOutput other = CommandOutput.of(
                home,
                "plan",
                "--json",
                "--job",
                "other",
                home.path("elsewhere.jsonl").toString());
        assertThat(calls(tree(other.out()))).contains("\"answered\":1");
        assertThat(home.path("elsewhere.jsonl")).hasContent("{\"text\":\"one\"}");
    }
}
