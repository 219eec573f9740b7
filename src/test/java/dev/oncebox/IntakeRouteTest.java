package dev.oncebox;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Splitter and Message Store: a file becomes items and calls, and leaves the inbox last. */
class IntakeRouteTest extends StubbedHome {

    @Test
    void a_file_that_replaced_another_after_it_was_read_is_asked_for_although_the_process_died_archiving_it() {
        TestHome home = home();
        home.drop("x.md", "first");
        assertThat(home.runUntilIdle()).isZero();
        // the process moved what it found in the inbox, and died before it saw that this was another file
        home.write("archive/x.md", "second");
        execute(home, "UPDATE file SET archived = 0");

        assertThat(home.runUntilIdle()).isZero();

        assertThat(prompts()).containsExactly("first", "second");
        assertThat(home.read("outbox/x~2.md")).contains("second");
        assertThat(home.files("archive")).containsExactly("x.md");
        assertThat(home.files("inbox")).isEmpty();
    }

    @Test
    void what_an_archive_holds_is_left_alone_when_its_process_died_before_it_told_the_ledger() {
        TestHome home = home();
        home.drop("x.md", "first");
        assertThat(home.runUntilIdle()).isZero();
        home.drop("x.md", "second");
        assertThat(home.runUntilIdle()).isZero();
        execute(home, "UPDATE file SET archived = 0");

        assertThat(home.runUntilIdle()).isZero();

        assertThat(stub.count()).isEqualTo(2);
        assertThat(home.files("archive")).containsExactly("x.md", "x~2.md");
    }

    /** A reason is written before its file leaves the inbox, since a process that died between never gave one. */
    @Test
    void a_file_whose_reason_was_written_by_a_process_that_died_then_is_rejected_with_one_reason() {
        TestHome home = home();
        home.drop("x.jsonl", "\n");
        assertThat(home.runUntilIdle()).isZero();
        home.drop("x.jsonl", "\n");

        assertThat(home.runUntilIdle()).isZero();

        assertThat(home.files("rejected")).containsExactly("x.jsonl", "x.jsonl.error.json");
    }

    @Test
    void a_job_makes_the_request_of_its_texts_parameters_and_the_items_fields() {
        TestHome home = home();
        home.write("config/jobs/tags/system.md", "You tag.\n");
        home.write("config/jobs/tags/prompt.md", "{{#title}}{{title}}: {{/title}}{{text}} <{{meta.lang}}> & {{list}}");
        home.write(
                "config/jobs/tags/job.properties",
                "model=small\ntemperature=0\nmax-tokens=50\nparam.top_p=0.9\nparam.stop=[\"END\"]\nparam.user=me\n");
        home.drop(
                "tags/x.jsonl",
                "{\"id\":1,\"title\":\"T\",\"text\":\"a {{b}} &\",\"meta\":{\"lang\":\"de\"},\"list\":[1.0,2]}\n");

        assertThat(home.runUntilIdle()).isZero();

        assertThat(asked()).containsExactly(tree("""
                                {"model": "small",
                                 "messages": [{"role": "system", "content": "You tag.\\n"},
                                              {"role": "user", "content": "T: a {{b}} & <de> & [1.0,2]"}],
                                 "max_tokens": 50, "stop": ["END"], "temperature": 0, "top_p": 0.9, "user": "me"}
                                """));
    }

    @Test
    void messages_go_as_they_are_and_bring_their_own_system_text_or_get_the_jobs() {
        TestHome home = home();
        home.write("config/jobs/chat/system.md", "Be brief.");
        home.drop("chat/x.jsonl", """
                {"messages":[{"role":"user","content":"one"}]}
                {"messages":[{"role":"system","content":"Own."},{"role":"user","content":"two"}]}
                {"messages":[{"role":"user","content":[{"type":"text","text":"three"}],"name":"x"}]}
                """);

        assertThat(home.runUntilIdle()).isZero();

        assertThat(asked())
                .extracting(body -> body.path("messages").toString())
                .containsExactlyInAnyOrder(
                        "[{\"role\":\"system\",\"content\":\"Be brief.\"},{\"role\":\"user\",\"content\":\"one\"}]",
                        "[{\"role\":\"system\",\"content\":\"Own.\"},{\"role\":\"user\",\"content\":\"two\"}]",
                        "[{\"role\":\"system\",\"content\":\"Be brief.\"},{\"role\":\"user\",\"content\":"
                                + "[{\"type\":\"text\",\"text\":\"three\"}],\"name\":\"x\"}]");
    }

    @Test
    void an_item_without_a_field_of_the_prompt_is_an_error_and_not_a_gap() {
        TestHome home = home();
        home.write("config/jobs/tags/prompt.md", "{{title}}: {{text}}");
        home.drop("tags/x.jsonl", "{\"text\":\"a\"}\n{\"text\":\"b\",\"title\":\"T\"}\n");
        home.drop("tags/plain.md", "a text has no title");

        assertThat(home.runUntilIdle()).isZero();

        assertThat(prompts()).containsExactly("T: b");
        JsonNode error = home.lines("outbox/tags/x.errors.jsonl").get(0);
        assertThat(error.path("line").asInt()).isEqualTo(1);
        assertThat(error.at("/error/code").asText()).isEqualTo("missing_field");
        assertThat(error.at("/error/message").asText()).contains("{{title}}", "prompt.md");
        assertThat(home.json("outbox/tags/plain.md.error.json")
                        .at("/error/code")
                        .asText())
                .isEqualTo("missing_field");
    }

    @Test
    void the_archive_keeps_every_different_file_of_a_name_and_one_of_the_same() {
        TestHome home = home();
        for (String text : List.of("first", "second", "first")) {
            home.drop("note.md", text);
            assertThat(home.runUntilIdle()).isZero();
        }

        assertThat(home.files("archive")).containsExactly("note.md", "note~2.md");
        assertThat(home.read("archive/note.md")).isEqualTo("first");
        assertThat(home.read("archive/note~2.md")).isEqualTo("second");
        assertThat(home.status().at("/files/taken").asInt()).isEqualTo(2);
        assertThat(stub.count()).isEqualTo(2);
    }

    @Test
    void a_known_file_is_archived_anew_where_its_copy_was_changed_or_taken_away() throws IOException {
        TestHome home = home();
        home.drop("note.md", "first");
        assertThat(home.runUntilIdle()).isZero();
        // as large as the file, so that only the bytes tell
        home.write("archive/note.md", "FIRST");
        home.drop("note.md", "first");
        assertThat(home.runUntilIdle()).isZero();
        assertThat(home.files("archive")).containsExactly("note.md", "note~2.md");
        assertThat(home.read("archive/note.md")).isEqualTo("FIRST");
        assertThat(home.read("archive/note~2.md")).isEqualTo("first");

        Files.delete(home.path("archive/note.md"));
        home.drop("note.md", "first");
        assertThat(home.runUntilIdle()).isZero();
        assertThat(home.read("archive/note.md")).isEqualTo("first");
        assertThat(home.files("inbox")).isEmpty();
        assertThat(stub.count()).isEqualTo(1);
    }

    @Test
    void a_file_that_cannot_be_archived_stays_in_the_inbox_and_is_paid_once() throws IOException {
        TestHome home = home();
        home.drop("default/note.md", "once");
        home.write("archive/default", "a file where a folder should be");

        assertThat(home.runUntilIdle()).isEqualTo(4);
        assertThat(home.files("inbox")).containsExactly("default/note.md");
        assertThat(home.files("archive")).containsExactly("default");

        Files.delete(home.path("archive/default"));
        assertThat(home.runUntilIdle()).isZero();

        assertThat(home.files("archive")).containsExactly("default/note.md");
        assertThat(home.files("outbox")).containsExactly("default/note.md");
        assertThat(stub.count()).isEqualTo(1);
    }

    @Test
    void a_large_batch_is_split_recorded_and_joined_in_order() {
        TestHome home = home("engine.default.concurrency=64");
        var batch = new StringBuilder();
        for (int i = 0; i < 2500; i++) {
            batch.append("{\"id\":\"n")
                    .append(i)
                    .append("\",\"text\":\"text ")
                    .append(i % 2000)
                    .append("\"}\n");
        }
        home.drop("big.jsonl", batch.toString());

        assertThat(home.runUntilIdle()).isZero();

        List<JsonNode> answers = home.lines("outbox/big.jsonl");
        assertThat(answers).hasSize(2500);
        for (int i = 0; i < 2500; i++) {
            assertThat(answers.get(i).path("id").asText()).isEqualTo("n" + i);
            assertThat(answers.get(i).path("answer").asText()).endsWith(" text " + i % 2000);
        }
        assertThat(stub.count()).isEqualTo(2000);
        assertThat(stub.counts().keys()).isEqualTo(2000);
    }
}
