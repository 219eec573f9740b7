package dev.oncebox;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What {@code oncebox ask} finds out about one file, with nobody else at work. */
class AskTest extends StubbedHome {

    @TempDir
    Path elsewhere;

    private Path file(String name, String content) {
        try {
            return Files.writeString(elsewhere.resolve(name), content);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static CommandOutput ask(TestHome home, Path file, String... more) {
        String[] line = new String[more.length + 2];
        line[0] = "ask";
        System.arraycopy(more, 0, line, 1, more.length);
        line[line.length - 1] = file.toString();
        return CommandOutput.of(home, line);
    }

    private static CommandOutput exits(int exit, CommandOutput asked) {
        assertThat(asked.exit()).as(asked.err()).isEqualTo(exit);
        if (exit != 0) {
            assertThat(asked.out()).isEmpty();
            assertThat(asked.err()).startsWith("oncebox: ").endsWith("\n");
        }
        return asked;
    }

    private static JsonNode json(CommandOutput asked) {
        assertThat(asked.out()).as(asked.err()).endsWith("}\n");
        assertThat(asked.out().lines()).hasSize(1);
        return tree(asked.out());
    }

    @Test
    void the_path_of_the_answer_is_all_that_stands_on_standard_output() {
        TestHome home = home();
        Path file = file("b.md", "How many bees?");

        CommandOutput asked = exits(0, ask(home, file));

        assertThat(asked.out()).isEqualTo(home.path("outbox/default/b.md") + "\n");
        assertThat(home.read("outbox/default/b.md")).isEqualTo("[call 1] How many bees?");
        assertThat(file).hasContent("How many bees?");
        assertThat(home.files("inbox")).isEmpty();
        assertThat(home.files("archive")).isEmpty();
    }

    @Test
    void asking_again_is_free_and_brings_back_an_answer_that_was_deleted() throws IOException {
        TestHome home = home();
        Path file = file("b.md", "How many bees?");
        exits(0, ask(home, file));

        exits(0, ask(home, file));
        Files.delete(home.path("outbox/default/b.md"));
        exits(0, ask(home, file));

        assertThat(home.read("outbox/default/b.md")).isEqualTo("[call 1] How many bees?");
        assertThat(home.files("outbox")).containsExactly("default/b.md");
        assertThat(stub.count()).isEqualTo(1);
    }

    @Test
    void a_dead_letter_stays_one_however_often_and_under_whatever_name_it_is_asked_for() {
        TestHome home = home();
        Path file = file("b.md", "Refused once. [[stub: 400]]");

        CommandOutput first = ask(home, file);
        assertThat(first.exit()).isEqualTo(1);
        assertThat(first.err()).contains("answered 400");
        exits(1, ask(home, file));
        assertThat(exits(1, ask(home, file("other.md", "Refused once. [[stub: 400]]")))
                        .err())
                .contains("answered 400");

        assertThat(stub.count()).isEqualTo(1);
        assertThat(home.exists("outbox/default/b.md.error.json")).isTrue();
    }

    @Test
    void an_invalid_item_and_a_file_of_which_nothing_can_be_read_have_failed_for_good() throws IOException {
        TestHome home = home();

        assertThat(exits(1, ask(home, file("nul.md", "a\0b"))).err()).contains("(nul_character)");
        assertThat(exits(1, ask(home, file("empty.md", ""))).err()).contains("(no_items)");
        assertThat(exits(1, ask(home, file("x.odd", "text"))).err()).contains("(unknown_kind)");

        assertThat(Files.list(elsewhere)).hasSize(3);
        assertThat(home.files("rejected")).isEmpty();
        assertThat(stub.count()).isZero();
    }

    @Test
    void wrong_usage_is_no_failure_of_the_file() throws IOException {
        TestHome home = home();
        Path file = file("b.md", "text");
        Files.createDirectories(home.path("inbox"));
        home.drop("waiting.md", "text");

        assertThat(exits(2, ask(home, elsewhere.resolve("none.md"))).err()).contains("There is no file");
        assertThat(exits(2, ask(home, elsewhere)).err()).contains("no file that can be read");
        assertThat(exits(2, ask(home, file, "--job", "nobody")).err()).contains("no job \"nobody\"", "default");
        assertThat(exits(2, ask(home, file("b.md.tmp", "text"))).err()).contains("not whole yet");
        assertThat(exits(2, ask(home, home.path("inbox/waiting.md"), "--job", "other"))
                        .err())
                .contains("Leave out --job");
        assertThat(json(ask(home, elsewhere.resolve("none.md"), "--json"))
                        .path("exit")
                        .asInt())
                .isEqualTo(2);
        home.write("config/jobs/lost/job.properties", "engines=nowhere");
        assertThat(exits(2, ask(home, file, "--job", "lost")).err()).contains("nowhere");
        assertThat(stub.count()).isZero();
    }

    @Test
    void a_busy_engine_leaves_it_queued_and_is_asked_again_when_it_is_due() {
        TestHome home = patientHome();
        Path file = file("b.md", "Later. [[stub: 503]]");

        CommandOutput busy = ask(home, file, "--wait", "5s");
        assertThat(busy.exit()).isEqualTo(42);
        assertThat(busy.err()).contains("answered 503", "sent again at");
        exits(42, ask(home, file, "--wait", "5s"));
        assertThat(stub.count()).isEqualTo(1);

        makeDue(home);
        exits(0, ask(home, file));
        assertThat(stub.count()).isEqualTo(2);
    }

    @Test
    void what_else_is_due_or_lies_in_the_inbox_is_left_alone() {
        TestHome home = patientHome();
        home.drop("other.jsonl", Evidence.batch(5, "[[stub: 503]]"));
        assertThat(home.runUntilIdle()).isEqualTo(4);
        makeDue(home);
        home.drop("waiting.md", "Not asked for.");
        long before = stub.count();

        exits(0, ask(home, file("b.md", "How many bees?")));

        assertThat(stub.count()).isEqualTo(before + 1);
        assertThat(home.exists("inbox/waiting.md")).isTrue();
        assertThat(home.status().path("calls").path("ready").asInt()).isEqualTo(5);
    }

    @Test
    void a_used_up_budget_is_said_at_once() {
        TestHome home = home("budget.calls=1", "budget.period=24h");
        exits(0, ask(home, file("a.md", "One.")));

        CommandOutput asked = ask(home, file("b.md", "Two."), "--json");

        assertThat(asked.exit()).isEqualTo(42);
        assertThat(json(asked).path("code").asText()).isEqualTo("budget");
        assertThat(asked.err()).contains("budget");
        assertThat(stub.count()).isEqualTo(1);
    }

    @Test
    void an_engine_that_refuses_everybody_is_left_in_peace_and_the_reason_said() {
        TestHome home = home();

        CommandOutput asked = ask(home, file("b.md", "Refused. [[stub: 401 always]]"), "--wait", "3s", "--json");

        assertThat(asked.exit()).isEqualTo(42);
        assertThat(json(asked).path("status").asText()).isEqualTo("queued");
        assertThat(asked.err()).contains("401");
    }

    @Test
    void a_doubt_under_hold_is_no_reason_to_take_another_way() {
        TestHome home = home("engine.default.on-doubt=hold");
        Path file = file("b.md", "Lost. [[stub: close]]");

        assertThat(ask(home, file).exit()).isEqualTo(3);
        CommandOutput again = exits(3, ask(home, file));
        assertThat(again.err()).contains("oncebox doubt list");
        assertThat(stub.count()).isEqualTo(1);

        String key = json(ask(home, file, "--json")).path("key").asText();
        assertThat(CommandOutput.of(home, "doubt", "accept-loss", key).exit()).isZero();
        assertThat(exits(1, ask(home, file)).err()).contains("loss_accepted");
        assertThat(stub.count()).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource({"''", "--wait 500ms"})
    void what_an_asynchronous_engine_has_accepted_is_still_processing(String more) {
        TestHome home = patientHome();
        Path file = file("b.md", "Later. [[stub: 503]]");
        assertThat(ask(home, file, "--wait", "2s").exit()).isEqualTo(42);
        execute(
                home,
                "UPDATE call SET state = 'POLLING', remote = 'http://localhost/jobs/1', due = "
                        + (System.currentTimeMillis() + 3_600_000));

        CommandOutput asked = ask(home, file, ("--json " + more).strip().split(" "));

        assertThat(asked.exit()).isEqualTo(3);
        assertThat(json(asked).path("status").asText()).isEqualTo("processing");
        assertThat(json(asked).path("url").asText()).isEqualTo("http://localhost/jobs/1");
        assertThat(stub.count()).isEqualTo(1);
    }

    @Test
    void a_file_in_the_inbox_keeps_its_place_and_job_and_is_archived_by_the_runtime() {
        TestHome home = home();
        home.write("config/jobs/fast/job.properties", "");
        home.drop("fast/sub/b.md", "How many bees?");
        Path file = home.path("inbox/fast/sub/b.md");

        assertThat(exits(0, ask(home, file)).out()).isEqualTo(home.path("outbox/fast/sub/b.md") + "\n");
        assertThat(file).exists();

        assertThat(home.runUntilIdle()).isZero();
        assertThat(file).doesNotExist();
        assertThat(home.files("archive")).containsExactly("fast/sub/b.md");
        exits(0, ask(home, file));
        assertThat(home.files("outbox")).containsExactly("fast/sub/b.md");
        assertThat(stub.count()).isEqualTo(1);
    }

    @Test
    void a_batch_is_answered_when_it_is_delivered_and_what_failed_in_it_is_said() {
        TestHome home = home();
        Path file = file("x.jsonl", Evidence.batch(20) + "{\"id\":\"bad\"}\n");

        CommandOutput asked = exits(0, ask(home, file));

        assertThat(asked.out()).isEqualTo(home.path("outbox/default/x.jsonl") + "\n");
        assertThat(asked.err()).contains("1 of 21 items");
        Evidence.assertAnswers(home.lines("outbox/default/x.jsonl"), 20, stub);
        exits(1, ask(home, file("none.jsonl", "{\"id\":\"bad\"}\n{\"id\":\"worse\"}\n")));
    }

    @Test
    void with_json_one_object_says_everything_whatever_the_exit_code() {
        TestHome home = home();
        Path file = file("b.md", "How many bees?");

        JsonNode answered = json(ask(home, file, "--json"));

        assertThat(answered.fieldNames())
                .toIterable()
                .containsExactly("status", "exit", "file", "job", "key", "answer", "url", "engine", "code", "message");
        assertThat(answered.path("status").asText()).isEqualTo("answered");
        assertThat(answered.path("exit").asInt()).isZero();
        assertThat(answered.path("file").asText()).isEqualTo(file.toString());
        assertThat(answered.path("job").asText()).isEqualTo("default");
        assertThat(answered.path("key").asText()).isEqualTo(stub.calls().get(0).key());
        assertThat(answered.path("answer").asText())
                .isEqualTo(home.path("outbox/default/b.md").toString());
        assertThat(answered.path("engine").asText()).isEqualTo("default");
        JsonNode failed = json(ask(home, file("c.md", "No. [[stub: 400 always]]"), "--json"));
        assertThat(failed.path("status").asText()).isEqualTo("failed");
        assertThat(failed.path("answer").isNull()).isTrue();
        assertThat(failed.path("code").asText()).isEqualTo("invalid_request_error");
    }

    @Test
    void a_damaged_ledger_is_refused_and_left_as_it_is() throws IOException {
        TestHome home = home();
        Files.createDirectories(home.path("data"));
        Files.writeString(home.path("data/ledger.db"), "This is no database at all, whatever its name says.");

        exits(2, ask(home, file("b.md", "text")));

        assertThat(home.read("data/ledger.db")).startsWith("This is no database");
        assertThat(stub.count()).isZero();
    }
}
