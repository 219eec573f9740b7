package dev.oncebox.outbox;

import static dev.oncebox.ledger.DroppedFile.Kind.LINES;
import static dev.oncebox.ledger.DroppedFile.Kind.TEXT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.oncebox.job.Jobs;
import dev.oncebox.ledger.Output;
import dev.oncebox.ledger.SettledFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OutboxNamesTest {

    private static final FileTime LONG_AGO = FileTime.fromMillis(1_000_000_000_000L);

    private final Path home;
    private final Path outbox;

    OutboxNamesTest(@TempDir Path home) {
        this.home = home;
        this.outbox = home.resolve("outbox");
    }

    @Test
    void delivering_again_touches_nothing() throws IOException {
        Asked batch = new Asked().answered("1", "one").failed("2", 1);
        deliver(batch, Asked.file("x.jsonl", LINES));
        for (String name : filesBelow(outbox)) {
            Files.setLastModifiedTime(outbox.resolve(name), LONG_AGO);
        }

        assertThat(deliver(batch, Asked.file("x.jsonl", LINES, "x.jsonl"))).isEqualTo("x.jsonl");
        assertThat(filesBelow(outbox)).containsExactly("x.errors.jsonl", "x.jsonl", "x.jsonl.receipt.json");
        assertThat(filesBelow(outbox)).allSatisfy(name -> assertThat(Files.getLastModifiedTime(outbox.resolve(name)))
                .isEqualTo(LONG_AGO));
    }

    @Test
    void what_was_deleted_comes_back() throws IOException {
        Asked batch = new Asked().answered("1", "one").failed("2", 1);
        deliver(batch, Asked.file("x.jsonl", LINES));
        String answers = Files.readString(outbox.resolve("x.jsonl"));
        Files.delete(outbox.resolve("x.jsonl"));

        assertThat(deliver(batch, Asked.file("x.jsonl", LINES, "x.jsonl"))).isEqualTo("x.jsonl");
        assertThat(outbox.resolve("x.jsonl")).hasContent(answers);
        assertThat(filesBelow(outbox)).hasSize(3);
    }

    @Test
    void another_text_of_the_same_name_takes_the_next_number() throws IOException {
        assertThat(deliver(new Asked().answered("1", "one"), Asked.file("a/b.md", TEXT)))
                .isEqualTo("a/b.md");
        assertThat(deliver(new Asked().answered("1", "two"), Asked.file("a/b.md", TEXT)))
                .isEqualTo("a/b~2.md");
        assertThat(deliver(new Asked().answered("1", "three"), Asked.file("a/b.md", TEXT)))
                .isEqualTo("a/b~3.md");
        assertThat(deliver(new Asked().answered("1", "two"), Asked.file("a/b.md", TEXT)))
                .isEqualTo("a/b~2.md");
        assertThat(outbox.resolve("a/b.md")).hasContent("one");
    }

    @ParameterizedTest
    @ValueSource(strings = {"x.jsonl", "x.errors.jsonl", "x.jsonl.receipt.json"})
    void the_files_of_a_batch_share_a_number(String taken) throws IOException {
        Files.createDirectories(outbox);
        Files.writeString(outbox.resolve(taken), "a user's");
        Asked batch = new Asked().answered("1", "one").failed("2", 1);

        assertThat(deliver(batch, Asked.file("x.jsonl", LINES))).isEqualTo("x~2.jsonl");
        assertThat(filesBelow(outbox))
                .containsExactlyInAnyOrder(taken, "x~2.errors.jsonl", "x~2.jsonl", "x~2.jsonl.receipt.json");
        assertThat(outbox.resolve(taken)).hasContent("a user's");
    }

    @Test
    void a_name_that_is_not_needed_may_be_taken() throws IOException {
        Files.createDirectories(outbox);
        Files.writeString(outbox.resolve("x.errors.jsonl"), "of an earlier try");

        assertThat(deliver(new Asked().answered("1", "one"), Asked.file("x.jsonl", LINES)))
                .isEqualTo("x.jsonl");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a/b~4.md", "a/b~4.md.json", "a/b~4.md.error.json"})
    void a_file_keeps_its_number(String before) throws IOException {
        SettledFile file = Asked.file("a/b.md", TEXT, before);

        assertThat(deliver(new Asked().answered("1", "one"), file)).isEqualTo("a/b~4.md");
        assertThat(deliver(new Asked().failed("1", 1), file)).isEqualTo("a/b~4.md.error.json");
        Files.writeString(outbox.resolve("a/b~4.md"), "edited");
        assertThat(deliver(new Asked().answered("1", "one"), file)).isEqualTo("a/b.md");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a/c~4.md", "b~4.md", "a/b~0.md", "a/b~4.txt", "a/b~4~5.md", "a/b~99999999999.md"})
    void a_number_of_something_else_does_not_count(String before) throws IOException {
        assertThat(deliver(new Asked().answered("1", "one"), Asked.file("a/b.md", TEXT, before)))
                .isEqualTo("a/b.md");
    }

    @Test
    void the_longest_name_is_shortened_where_it_must_be() throws IOException {
        String stem = "ü".repeat(124);
        Asked batch = new Asked().answered("1", "one").failed("2", 1);

        assertThat(deliver(batch, Asked.file(stem + ".jsonl", LINES))).isEqualTo(stem + ".jsonl");
        assertThat(filesBelow(outbox))
                .hasSize(3)
                .contains("ü".repeat(121) + ".errors.jsonl", "ü".repeat(118) + ".jsonl.receipt.json")
                .allSatisfy(name ->
                        assertThat(name.getBytes(StandardCharsets.UTF_8)).hasSizeLessThanOrEqualTo(255));
        assertThat(deliver(new Asked(), Asked.file(stem + ".jsonl", LINES))).isEqualTo("ü".repeat(123) + "~2.jsonl");
    }

    @Test
    void names_that_shortening_makes_equal_are_kept_apart() throws IOException {
        Asked batch = new Asked().answered("1", "one").failed("2", 1);

        assertThat(deliver(batch, Asked.file("x".repeat(242) + ".errors.jsonl", LINES)))
                .isEqualTo("x".repeat(242) + ".erro~2.jsonl");
        assertThat(filesBelow(outbox)).hasSize(3);
    }

    @ParameterizedTest
    @ValueSource(strings = {"../b.md", "a/../../b.md", "/tmp/b.md", "", ".", "a/..", "..", "../outbox-2/b.md"})
    void nothing_is_written_outside(String path) throws IOException {
        assertThatIllegalStateException()
                .isThrownBy(() -> deliver(new Asked().answered("1", "one"), Asked.file(path, TEXT)))
                .withMessageContaining("would leave the outbox");
        assertThat(filesBelow(home)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"away/b.md", "away/deeper/b.md"})
    void a_link_out_of_the_outbox_is_not_followed(String path) throws IOException {
        Files.createDirectories(outbox);
        Path elsewhere = Files.createDirectories(home.resolve("elsewhere"));
        Files.createSymbolicLink(outbox.resolve("away"), elsewhere);

        assertThatIllegalStateException()
                .isThrownBy(() -> deliver(new Asked().answered("1", "one"), Asked.file(path, TEXT)));
        assertThat(elsewhere).isEmptyDirectory();
    }

    @Test
    void the_outbox_itself_may_be_a_link() throws IOException {
        Path elsewhere = Files.createDirectories(home.resolve("elsewhere"));
        Files.createSymbolicLink(outbox, elsewhere);

        deliver(new Asked().answered("1", "one"), Asked.file("a/b.md", TEXT));
        assertThat(elsewhere.resolve("a/b.md")).hasContent("one");
    }

    @Test
    void a_failure_leaves_no_temporaries_and_says_where() throws IOException {
        Asked broken = new Asked().answered("1", "one").failed("2", 1);
        broken.outcomes.add(null);
        assertThatThrownBy(() -> deliver(broken, Asked.file("x.jsonl", LINES)))
                .isInstanceOf(NullPointerException.class);
        assertThatIllegalStateException()
                .isThrownBy(() -> deliver(new Asked().answered("1", "a").answered("2", "b"), Asked.file("b.md", TEXT)));
        assertThat(filesBelow(outbox)).isEmpty();

        Files.writeString(outbox.resolve("a"), "a file");
        assertThatThrownBy(() -> deliver(new Asked().answered("1", "one"), Asked.file("a/b.md", TEXT)))
                .isInstanceOf(FileSystemException.class)
                .hasMessageContaining("a file has the name that a folder needs");
    }

    private @Nullable String deliver(Asked asked, SettledFile file) throws IOException {
        Jobs jobs = Jobs.read(home.resolve("jobs"), Map.of("default", "tiny"));
        Output output = new Outbox(asked.ledger(), jobs, outbox).deliver(asked.counted(file));
        return output == null ? null : output.name();
    }

    /** Hidden ones too. */
    static List<String> filesBelow(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(Files::isRegularFile)
                    .map(file -> folder.relativize(file).toString())
                    .sorted()
                    .toList();
        }
    }
}
