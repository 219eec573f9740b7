package dev.oncebox.outbox;

import static dev.oncebox.ledger.DroppedFile.Kind.LINES;
import static dev.oncebox.ledger.DroppedFile.Kind.TEXT;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.oncebox.job.Jobs;
import dev.oncebox.ledger.Output;
import dev.oncebox.ledger.SettledFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whether something was written again is seen by its bytes: the ledger has other answers by then, which no real one has. */
class SealTest {

    private static final SettledFile NEW = Asked.file("a/x.jsonl", LINES);

    private final Path home;
    private final Path answers;
    private final Path errors;
    private final Path receipt;
    private Output first;

    SealTest(@TempDir Path home) {
        this.home = home;
        Path folder = home.resolve("outbox/a");
        this.answers = folder.resolve("x.jsonl");
        this.errors = folder.resolve("x.errors.jsonl");
        this.receipt = folder.resolve("x.jsonl.receipt.json");
    }

    @BeforeEach
    void deliver() throws IOException {
        first = deliver(asked("one"), NEW);
        assertThat(first.name()).isEqualTo("a/x.jsonl");
    }

    @Test
    void what_stands_as_it_was_left_is_not_written_again() throws IOException {
        FileTime left = Files.getLastModifiedTime(answers);
        assertThat(deliver(asked("other"), again())).isEqualTo(first);
        assertThat(answers).content().contains("\"one\"");
        assertThat(Files.getLastModifiedTime(answers)).isEqualTo(left);
    }

    @Test
    void each_of_the_files_comes_back_when_it_is_deleted() throws IOException {
        for (Path file : new Path[] {answers, errors, receipt}) {
            String left = Files.readString(file);
            Files.delete(file);
            Output back = deliver(asked("one"), again());
            assertThat(back.name()).isEqualTo(first.name());
            assertThat(file).hasContent(left);
            first = back;
        }
        assertThat(deliver(asked("other"), again())).isEqualTo(first);
    }

    @Test
    void a_change_is_noticed_though_length_and_time_are_what_they_were() throws IOException {
        FileTime left = Files.getLastModifiedTime(answers);
        byte[] mine = Files.readString(answers).replace("one", "eno").getBytes(UTF_8);
        Files.write(answers, mine, StandardOpenOption.TRUNCATE_EXISTING);
        Files.setLastModifiedTime(answers, left);

        Output second = deliver(asked("one"), again());
        assertThat(second.name()).isEqualTo("a/x~2.jsonl");
        assertThat(answers).hasBinaryContent(mine);
        assertThat(answers.resolveSibling("x~2.jsonl")).content().contains("\"one\"");
    }

    @Test
    void a_link_that_leads_to_the_same_is_no_file_of_ours() throws IOException {
        Path elsewhere = home.resolve("elsewhere");
        Files.move(answers, elsewhere);
        Files.createSymbolicLink(answers, elsewhere);
        Output second = deliver(asked("other"), again());
        assertThat(second.name()).isEqualTo("a/x~2.jsonl");
    }

    @Test
    void a_single_text_has_one_as_well() throws IOException {
        Output text = deliver(new Asked().answered("1", "one"), Asked.file("b.md", TEXT));
        assertThat(deliver(new Asked().answered("1", "other"), Asked.file("b.md", TEXT, text)))
                .isEqualTo(text);
        assertThat(home.resolve("outbox/b.md")).hasContent("one");
    }

    private static Asked asked(String answer) {
        return new Asked().answered("1", answer).failed("2", 3);
    }

    private SettledFile again() {
        return Asked.file("a/x.jsonl", LINES, first);
    }

    private Output deliver(Asked asked, SettledFile file) throws IOException {
        Jobs jobs = Jobs.read(home.resolve("jobs"), Map.of("default", "tiny"));
        @Nullable Output output = new Outbox(asked.ledger(), jobs, home.resolve("outbox")).deliver(asked.counted(file));
        assertThat(output).isNotNull();
        return output;
    }
}
