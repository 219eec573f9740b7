package dev.oncebox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oncebox.stub.Stub;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a user sees of the main job: files in, answers out, each request paid once by the endpoint's own count. */
class MainJobTest {

    @TempDir
    private Path folder;

    private Stub stub;

    @BeforeEach
    void start() throws IOException {
        stub = Stub.start(Stub.Options.defaults().withBodies());
    }

    @AfterEach
    void stop() {
        stub.close();
    }

    @Test
    void a_dropped_text_is_answered_under_its_name_and_archived() {
        var home = new TestHome(folder, stub);
        home.drop("a note.md", "Summarise this.\n");

        assertThat(home.runUntilIdle()).isZero();

        assertThat(home.read("outbox/a note.md")).startsWith("[call 1] Summarise this");
        assertThat(home.files("archive")).containsExactly("a note.md");
        assertThat(home.files("inbox")).isEmpty();
        assertThat(stub.count()).isEqualTo(1);
    }

    @Test
    void the_same_file_again_or_under_another_name_or_after_deleting_its_answers_costs_nothing() throws IOException {
        var home = new TestHome(folder, stub);
        String batch = "{\"text\":\"one\"}\n{\"text\":\"two\"}\n";
        home.drop("x.jsonl", batch);
        assertThat(home.runUntilIdle()).isZero();
        String answers = home.read("outbox/x.jsonl");

        home.drop("x.jsonl", batch);
        assertThat(home.runUntilIdle()).isZero();
        assertThat(home.files("outbox")).containsExactly("x.jsonl", "x.jsonl.receipt.json");

        Files.delete(home.path("outbox/x.jsonl"));
        home.drop("x.jsonl", batch);
        home.drop("y.jsonl", batch);
        assertThat(home.runUntilIdle()).isZero();

        assertThat(home.read("outbox/x.jsonl")).isEqualTo(answers);
        assertThat(home.lines("outbox/y.jsonl"))
                .allSatisfy(line -> assertThat(line.path("charged").asText()).isEqualTo("reused"));
        assertThat(stub.count()).isEqualTo(2);
    }
}
