package dev.oncebox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Aggregator: a file's answers in the order of its items, whole or not at all, and never over other content. */
class OutboxRouteTest extends StubbedHome {

    @Test
    void answers_stand_in_the_order_of_the_items_and_every_item_once_in_the_two_files() {
        TestHome home = home("engine.default.price.input=1000000", "engine.default.price.output=2000000");
        home.drop("x.jsonl", """
                {"id":"slow","text":"[[stub: delay=300ms]] first"}
                {"id":12345678901234567890,"text":"second"}
                {broken
                {"id":"again","text":" second "}
                {"id":"refused","text":"[[stub: 400]] third"}
                {"text":"fourth"}
                """);

        assertThat(home.runUntilIdle()).isEqualTo(4);

        assertThat(home.files("outbox")).containsExactly("x.errors.jsonl", "x.jsonl", "x.jsonl.receipt.json");
        List<JsonNode> answers = home.lines("outbox/x.jsonl");
        assertThat(home.read("outbox/x.jsonl"))
                .startsWith("{\"id\":\"slow\",\"answer\":\"")
                .contains("\n{\"id\":12345678901234567890,\"answer\":");
        assertThat(all(answers, "/id")).containsExactly("slow", "12345678901234567890", "again", "6");
        assertThat(all(answers, "/charged")).containsExactly("new", "new", "reused", "new");
        assertThat(answers.get(2).path("answer")).isEqualTo(answers.get(1).path("answer"));
        List<JsonNode> errors = home.lines("outbox/x.errors.jsonl");
        assertThat(all(errors, "/id")).containsExactly("3", "refused");
        assertThat(all(errors, "/line")).containsExactly("3", "5");
        assertThat(all(errors, "/error/code")).containsExactly("bad_json", "invalid_request_error");
        assertThat(errors.get(0).path("key").isNull()).isTrue();
        assertThat(errors.get(1).path("key").asText()).hasSize(64);

        JsonNode receipt = home.json("outbox/x.jsonl.receipt.json");
        assertThat(receipt.path("items").asInt()).isEqualTo(6);
        assertThat(receipt.path("answered").asInt()).isEqualTo(4);
        assertThat(receipt.path("failed").asInt()).isEqualTo(1);
        assertThat(receipt.path("invalid").asInt()).isEqualTo(1);
        assertThat(receipt.at("/calls/reused").asInt()).isEqualTo(1);
        assertThat(receipt.path("whitespaceOnly").asInt()).isEqualTo(1);
        long input = 0;
        long output = 0;
        for (JsonNode answer : List.of(answers.get(0), answers.get(1), answers.get(3))) {
            input += answer.at("/usage/prompt_tokens").asLong();
            output += answer.at("/usage/completion_tokens").asLong();
        }
        assertThat(receipt.at("/tokens/input").asLong()).isEqualTo(input);
        assertThat(receipt.at("/tokens/output").asLong()).isEqualTo(output);
        assertThat(receipt.path("cost").decimalValue().longValueExact()).isEqualTo(input + 2 * output);
        assertThat(home.status().path("cost").asLong()).isEqualTo(input + 2 * output);
        assertThat(stub.count()).isEqualTo(4);
    }

    @Test
    void other_content_under_a_name_gets_the_next_number_with_all_its_files() {
        TestHome home = home();
        home.drop("b.md", "first");
        home.drop("x.jsonl", "\"one\"\n{oops\n");
        assertThat(home.runUntilIdle()).isZero();
        home.drop("b.md", "second");
        home.drop("x.jsonl", "\"two\"\n{oops\n");
        assertThat(home.runUntilIdle()).isZero();

        assertThat(home.files("outbox"))
                .containsExactly(
                        "b.md",
                        "b~2.md",
                        "x.errors.jsonl",
                        "x.jsonl",
                        "x.jsonl.receipt.json",
                        "x~2.errors.jsonl",
                        "x~2.jsonl",
                        "x~2.jsonl.receipt.json");
        assertThat(home.read("outbox/b.md")).contains("first");
        assertThat(home.read("outbox/b~2.md")).contains("second");
        assertThat(home.lines("outbox/x~2.jsonl").get(0).path("answer").asText())
                .contains("two");
    }

    @Test
    void what_somebody_else_wrote_into_the_outbox_stays() {
        TestHome home = home();
        home.write("outbox/b.md", "mine");
        home.drop("b.md", "first");

        assertThat(home.runUntilIdle()).isZero();

        assertThat(home.read("outbox/b.md")).isEqualTo("mine");
        assertThat(home.read("outbox/b~2.md")).contains("first");
    }

    @Test
    void arrays_objects_and_texts_are_answered_in_kind() {
        TestHome home = home();
        home.drop("list.json", "[{\"id\":1,\"text\":\"one\"},\"two\"]");
        home.drop("one.json", "{\"id\":\"x\",\"text\":\"three\"}");
        home.drop("note.prompt", "four");
        home.drop("bad.json", "{\"id\":\"y\"}");
        home.drop("refused.txt", "[[stub: 400 context_length_exceeded]] five");

        assertThat(home.runUntilIdle()).isEqualTo(4);

        assertThat(home.files("outbox"))
                .containsExactly(
                        "bad.json.error.json",
                        "list.json",
                        "list.json.receipt.json",
                        "note.prompt",
                        "one.json",
                        "refused.txt.error.json");
        assertThat(home.json("outbox/list.json"))
                .extracting(item -> item.path("id").asText())
                .containsExactly("1", "2");
        assertThat(home.json("outbox/one.json").path("answer").asText()).endsWith("three");
        assertThat(home.json("outbox/bad.json.error.json").at("/error/code").asText())
                .isEqualTo("no_text");
        assertThat(home.json("outbox/refused.txt.error.json").at("/error/code").asText())
                .isEqualTo("context_length_exceeded");
    }

    @Test
    void an_outbox_that_cannot_be_written_is_tried_again_and_nothing_is_paid_twice() throws IOException {
        TestHome home = home();
        home.write("config/jobs/tags/job.properties", "");
        home.write("outbox/tags", "a file where a folder should be");
        home.drop("tags/a.md", "patience");
        Thread mender = new Thread(() -> {
            await().until(() -> stub.count() == 1 && home.files("archive").size() == 1);
            try {
                Files.delete(home.path("outbox/tags"));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        mender.start();

        assertThat(home.runUntilIdle()).isZero();

        assertThat(home.read("outbox/tags/a.md")).contains("patience");
        assertThat(stub.count()).isEqualTo(1);
    }

    @Test
    void an_id_never_becomes_part_of_a_path_and_long_names_are_shortened() {
        TestHome home = home();
        String name = "ä".repeat(120) + ".jsonl";
        home.drop(name, "{\"id\":\"../../../etc/passwd\",\"text\":\"one\"}\n{oops\n");

        assertThat(home.runUntilIdle()).isZero();

        List<String> files = home.files("outbox");
        assertThat(files).hasSize(3).contains(name).allSatisfy(file -> assertThat(
                        file.getBytes(StandardCharsets.UTF_8).length)
                .isLessThanOrEqualTo(255));
        assertThat(home.lines("outbox/" + name).get(0).path("id").asText()).isEqualTo("../../../etc/passwd");
        assertThat(home.files(".")).allMatch(file -> !file.contains("passwd"));
    }

    @Test
    void a_file_that_cannot_be_delivered_does_not_keep_the_others_or_the_run_waiting() {
        TestHome home = home();
        home.write("outbox/tags", "in the way");
        home.write("config/jobs/tags/job.properties", "");
        home.drop("tags/a.md", "One.");
        home.drop("b.md", "Two.");

        assertThat(home.runUntilIdle()).isEqualTo(4);

        assertThat(home.files("outbox")).containsExactlyInAnyOrder("tags", "b.md");
        assertThat(stub.count()).isEqualTo(2);
    }
}
