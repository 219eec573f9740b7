package dev.oncebox.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DurableFileTest {

    private final Path folder;

    DurableFileTest(@TempDir Path folder) {
        this.folder = folder;
    }

    @Test
    void a_file_is_hidden_until_it_is_whole() throws IOException {
        try (DurableFile file = write("b.md", "half")) {
            assertThat(names()).containsExactly(".b.md.oncebox.tmp");

            assertThat(file.publish(folder.resolve("b.md"))).isTrue();
            assertThat(names()).containsExactly("b.md");
        }
        assertThat(folder.resolve("b.md")).hasContent("half");
    }

    @Test
    void a_file_that_is_given_up_leaves_nothing() throws IOException {
        write("b.md", "half").close();

        assertThat(names()).isEmpty();
    }

    @Test
    void the_same_bytes_need_not_be_written_again() throws IOException {
        String content = "x".repeat(200_000);
        Path target = Files.writeString(folder.resolve("b.md"), content);
        Object before = Files.readAttributes(target, "unix:ino").get("ino");

        try (DurableFile file = write("b.md", content)) {
            assertThat(file.canBecome(target)).isTrue();
            assertThat(file.publish(target)).isTrue();
        }
        assertThat(names()).containsExactly("b.md");
        assertThat(Files.readAttributes(target, "unix:ino").get("ino")).isEqualTo(before);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "old", "new content", "new contenT!"})
    void other_content_is_never_overwritten_and_another_name_can_be_tried(String old) throws IOException {
        Path target = Files.writeString(folder.resolve("b.md"), old);

        try (DurableFile file = write("b.md", "new content!")) {
            assertThat(file.canBecome(target)).isFalse();
            assertThat(file.publish(target)).isFalse();
            assertThat(file.publish(folder.resolve("b~2.md"))).isTrue();
        }
        assertThat(target).hasContent(old);
        assertThat(folder.resolve("b~2.md")).hasContent("new content!");
        assertThat(names()).containsExactly("b.md", "b~2.md");
    }

    @Test
    void a_folder_or_a_dangling_link_takes_a_name_too() throws IOException {
        Files.createDirectory(folder.resolve("b.md"));
        Files.createSymbolicLink(folder.resolve("c.md"), Path.of("nowhere"));

        try (DurableFile file = write("b.md", "new")) {
            assertThat(file.publish(folder.resolve("b.md"))).isFalse();
            assertThat(file.publish(folder.resolve("c.md"))).isFalse();
        }
        assertThat(folder.resolve("c.md")).isSymbolicLink();
    }

    @Test
    void two_files_of_one_name_can_be_written_at_once() throws IOException {
        try (DurableFile one = write("b.md", "one");
                DurableFile two = write("b.md", "two")) {
            assertThat(two.publish(folder.resolve("b~2.md"))).isTrue();
            assertThat(one.publish(folder.resolve("b.md"))).isTrue();
        }
        assertThat(folder.resolve("b.md")).hasContent("one");
        assertThat(folder.resolve("b~2.md")).hasContent("two");
    }

    @Test
    void missing_folders_are_made() throws IOException {
        try (DurableFile file = DurableFile.create(folder.resolve("a/b/c"), "d.md")) {
            assertThat(file.publish(folder.resolve("a/b/c/d.md"))).isTrue();
        }
        assertThat(folder.resolve("a/b/c/d.md")).isEmptyFile();
    }

    @Test
    void a_file_where_a_folder_is_needed_is_named() throws IOException {
        Path file = Files.writeString(folder.resolve("a"), "");

        assertThatThrownBy(() -> DurableFile.createFolders(file.resolve("b")))
                .isInstanceOf(FileSystemException.class)
                .hasMessageContaining(file.toString())
                .hasMessageContaining("Move it away");
    }

    @ParameterizedTest
    @ValueSource(strings = {"ü 😀\u2028.md", "-rf *?\"'|<>.md", "no extension", "tab\tnew\nline.md"})
    void any_name_will_do(String name) throws IOException {
        try (DurableFile file = write(name, "x")) {
            assertThat(file.publish(folder.resolve(name))).isTrue();
        }
        assertThat(names()).containsExactly(name);
    }

    @Test
    void a_temporary_of_the_longest_name_is_shortened_between_characters() throws IOException {
        String name = "😀".repeat(62) + "abc.md";
        try (DurableFile file = write(name, "x")) {
            assertThat(names()).singleElement().satisfies(temporary -> assertThat(temporary)
                    .startsWith(".😀")
                    .endsWith("😀.oncebox.tmp"));
            assertThat(file.publish(folder.resolve(name))).isTrue();
        }
    }

    @Test
    void a_moved_file_is_in_one_place_only() throws IOException {
        Path from = Files.writeString(folder.resolve("b.md"), "dropped");

        Path to = DurableMove.into(from, folder.resolve("archive/a"), "b.md");

        assertThat(to).isEqualTo(folder.resolve("archive/a/b.md")).hasContent("dropped");
        assertThat(from).doesNotExist();
        assertThatThrownBy(() -> DurableMove.into(from, folder.resolve("archive/a"), "b.md"))
                .isInstanceOf(NoSuchFileException.class);
    }

    @Test
    void a_move_never_overwrites() throws IOException {
        Path archive = folder.resolve("archive");
        for (String content : new String[] {"one", "two", "three", "two"}) {
            Path from = Files.writeString(folder.resolve("b.md"), content);
            DurableMove.into(from, archive, "b.md");
            assertThat(from).doesNotExist();
        }
        assertThat(archive.resolve("b.md")).hasContent("one");
        assertThat(archive.resolve("b~2.md")).hasContent("two");
        assertThat(archive.resolve("b~3.md")).hasContent("three");
        assertThat(archive).isDirectoryNotContaining("glob:**4*");
    }

    @Test
    void who_moves_a_file_is_told_of_a_comparison_while_the_file_is_still_there() throws IOException {
        Path archive = folder.resolve("archive");
        List<String> told = new ArrayList<>();
        for (String content : new String[] {"one", "two", "one", "two"}) {
            Path from = Files.writeString(folder.resolve("b.md"), content);
            DurableMove.into(from, archive, "b.md", () -> told.add(Files.readString(from)));
        }

        // the same size is not the same bytes, and what was moved was compared with nothing
        assertThat(told).containsExactly("one", "two");
        assertThat(archive).isDirectoryNotContaining("glob:**3*");
    }

    @Test
    void a_file_moved_to_where_it_is_stays() throws IOException {
        Path from = Files.writeString(folder.resolve("b.md"), "dropped");

        assertThat(DurableMove.into(from, folder, "b.md")).hasContent("dropped");
    }

    @Test
    void only_forgotten_temporaries_are_swept() throws IOException {
        Path below = Files.createDirectories(folder.resolve("a/b"));
        Files.writeString(below.resolve(".x.jsonl.oncebox.tmp"), "half");
        Files.writeString(folder.resolve(".y.md.2.oncebox.tmp"), "half");
        Files.writeString(folder.resolve("z.oncebox.tmp"), "a user's");
        Files.writeString(folder.resolve(".z.tmp"), "a user's");
        try (DurableFile file = write("b.md", "being written")) {
            assertThat(DurableFile.sweep(folder)).isEqualTo(2);

            assertThat(file.publish(folder.resolve("b.md"))).isTrue();
        }
        assertThat(below).isEmptyDirectory();
        assertThat(names()).containsExactly(".z.tmp", "a", "b.md", "z.oncebox.tmp");
        assertThat(DurableFile.sweep(folder.resolve("missing"))).isZero();
    }

    @Test
    void a_temporary_that_another_process_writes_is_not_swept() throws Exception {
        Path temporary = folder.resolve(".b.md.oncebox.tmp");
        Process other = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        SlowWriter.class.getName(),
                        folder.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try {
            assertThat(other.getInputStream().read()).isEqualTo('!');
            assertThat(DurableFile.sweep(folder)).isZero();
            assertThat(temporary).exists();
        } finally {
            other.destroyForcibly().waitFor();
        }
        assertThat(DurableFile.sweep(folder)).isEqualTo(1);
        assertThat(temporary).doesNotExist();
    }

    /** Begins a file, says so, and waits to be killed. */
    static final class SlowWriter {
        public static void main(String[] arguments) throws IOException {
            DurableFile.create(Path.of(arguments[0]), "b.md");
            System.out.print('!');
            System.out.flush();
            System.in.read();
        }
    }

    private DurableFile write(String name, String content) throws IOException {
        DurableFile file = DurableFile.create(folder, name);
        file.out().write(content.getBytes(StandardCharsets.UTF_8));
        return file;
    }

    private Stream<String> names() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList().stream();
        }
    }
}
