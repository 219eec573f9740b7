package dev.oncebox.proof;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.oncebox.Launched;
import dev.oncebox.ShellCommand;
import dev.oncebox.TestHome;
import dev.oncebox.stub.Call;
import dev.oncebox.stub.Stub;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Files made to do harm, all in one inbox and in a heap of 256 MB: each is answered or gets its reason, the good ones
 * beside them are answered, and nothing is written outside the home.
 */
@Execution(ExecutionMode.CONCURRENT)
class BoundsProof {

    private static final int MB = 1 << 20;
    private static final String HEAP = "-Xmx256m";
    /** {@code -Doncebox.proof.files=1000000} makes it long. */
    private static final int FILES = Integer.getInteger("oncebox.proof.files", 5_000);

    private static final List<String> ODD_NAMES = List.of(
            "..md",
            "...md",
            "a..b.md",
            "${sys:user.home}.md",
            "${jndi:ldap:x}.md",
            "{{inbox.dir}}.md",
            "$simple{body}.md",
            "two\nlines\r.md",
            "\u001b[31mred.md",
            "-rf.md",
            "--help.md",
            " space .md",
            "?query=1&x#y%41.md",
            "😀 \u202Etxt.md",
            "e".repeat(252) + ".md",
            "😀".repeat(62) + "ab.md");

    @TempDir
    private Path folder;

    private Launched run(TestHome home, Duration atMost, int exit) throws IOException {
        try (Launched run = Launched.quickly(home, HEAP, "run", "--until-idle")) {
            assertThat(run.exitWithin(atMost)).as(home.read("run.log")).isEqualTo(exit);
            return run;
        }
    }

    /** Every file below a folder but the home, with its size and time. */
    private Map<String, String> outside(TestHome home) throws IOException {
        Map<String, String> found = new TreeMap<>();
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.filter(each -> !each.startsWith(home.root())).toList()) {
                found.put(
                        file.toString(),
                        Files.readAttributes(file, "size,lastModifiedTime", LinkOption.NOFOLLOW_LINKS)
                                .toString());
            }
        }
        return found;
    }

    private static void write(TestHome home, String name, String start, String repeated, long times, String end)
            throws IOException {
        Path file = home.path("inbox/" + name);
        Files.createDirectories(file.getParent());
        byte[] bytes = repeated.getBytes(StandardCharsets.UTF_8);
        try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file), MB)) {
            out.write(start.getBytes(StandardCharsets.UTF_8));
            for (long i = 0; i < times; i++) {
                out.write(bytes);
            }
            out.write(end.getBytes(StandardCharsets.UTF_8));
        }
    }

    private static String code(TestHome home, String errors) {
        return home.lines(errors).get(0).at("/error/code").asText();
    }

    @Test
    void sizes_and_depths_that_no_memory_holds_are_errors_and_the_neighbours_are_answered() throws IOException {
        try (Stub stub = Stub.start(Stub.Options.defaults())) {
            var home = new TestHome(Files.createDirectories(folder.resolve("home")), stub);
            Map<String, String> before = outside(home);
            String good = "\"}\n{\"id\":\"good\",\"text\":\"fine ";
            write(home, "line.jsonl", "{\"text\":\"", "x".repeat(MB), 300, good + "1\"}\n");
            write(
                    home,
                    "deep.jsonl",
                    "{\"text\":\"a\",\"x\":",
                    "[",
                    100_000,
                    "]".repeat(100_000) + ",\"y\":\"" + good + "2\"}\n");
            write(home, "deep.json", "", "{\"a\":", 100_000, "1" + "}".repeat(100_000));
            write(home, "open.json", "", "[", 20L * MB, "");
            for (int i = 0; i < 8; i++) {
                String last = "{}]}\n{\"id\":\"good\",\"text\":\"fine " + i + "3\"}\n";
                write(home, "values" + i + ".jsonl", "{\"text\":\"a\",\"x\":[", "{},", 5_000_000, last);
                write(home, "text" + i + ".md", "Number " + i + ": ", "word and ", 16 * MB / 9 - 10, "end.");
            }
            write(home, "names.jsonl", "{\"text\":\"a\"", ",\"n\":1", 2_500_000, ",\"z\":\"" + good + "4\"}\n");
            write(home, "digits.jsonl", "{\"text\":\"a\",\"n\":", "7", 5L * MB, ",\"z\":\"" + good + "5\"}\n");
            write(home, "columns.csv", "a", ",a", 1_000_000, "\n");
            try (OutputStream bomb =
                    new GZIPOutputStream(Files.newOutputStream(home.path("inbox/bomb.jsonl.gz")), MB)) {
                for (int i = 0; i < 1000; i++) {
                    bomb.write(new byte[MB]);
                }
            }
            long start = System.nanoTime();
            run(home, Duration.ofMinutes(5), 0);

            assertThat(home.files("inbox")).isEmpty();
            assertThat(code(home, "outbox/line.errors.jsonl")).isEqualTo("too_long");
            assertThat(code(home, "outbox/deep.errors.jsonl")).isEqualTo("bad_json");
            assertThat(code(home, "outbox/names.errors.jsonl")).isIn("bad_json", "too_many_values");
            assertThat(code(home, "outbox/digits.errors.jsonl")).isEqualTo("bad_json");
            for (int i = 0; i < 8; i++) {
                assertThat(code(home, "outbox/values" + i + ".errors.jsonl")).isEqualTo("too_many_values");
                assertThat(home.read("outbox/text" + i + ".md")).contains("Number " + i + ":");
            }
            for (String batch : List.of("line", "deep", "values0", "values7", "names", "digits")) {
                assertThat(home.lines("outbox/" + batch + ".jsonl")).as(batch).hasSize(1);
            }
            assertThat(code(home, "outbox/bomb.errors.jsonl")).isEqualTo("too_long");
            assertThat(home.files("rejected")).contains("columns.csv", "open.json");
            assertThat(stub.count()).isEqualTo(8 + 12 + 0L);
            assertThat(outside(home)).isEqualTo(before);
            Figures.say(
                    "BoundsProof, sizes: 23 files made to do harm in %s, %.0f s",
                    HEAP, (System.nanoTime() - start) / 1e9);
        }
    }

    @Test
    void names_and_texts_in_the_syntax_of_templates_are_names_and_texts() throws IOException {
        try (Stub stub = Stub.start(Stub.Options.defaults().withBodies())) {
            var home = new TestHome(Files.createDirectories(folder.resolve("home")), stub);
            Files.writeString(folder.resolve("secret.md"), "not dropped");
            Map<String, String> before = outside(home);
            home.write("config/jobs/tags/prompt.md", "{{text}} {{other}}");
            String syntax = "{{other}} ${sys:user.home} ${env:PATH} ${jndi:ldap://127.0.0.1/x} ${body} {{env:PATH}} %n";
            home.drop(
                    "tags/x.jsonl",
                    "{\"id\":\"../../${jndi:x}\",\"text\":\"" + syntax + "\",\"other\":\"" + syntax + "\"}\n");
            for (String name : ODD_NAMES) {
                home.write("inbox/default/" + name, "Text of " + name);
            }
            Path inbox = home.path("inbox");
            Files.createSymbolicLink(inbox.resolve("link.md"), folder.resolve("secret.md"));
            Files.createSymbolicLink(inbox.resolve("up"), folder);
            ShellCommand.script("mkfifo '" + inbox + "/pipe.md'; mkdir -p '" + inbox + "/default/folder.md'; mknod '"
                            + inbox + "/device.md' c 1 5 || true")
                    .run();
            home.write("inbox/default/folder.md/inner.md", "Text of inner");
            String forged = "x\n00:00:00.000 ERROR forged\r\u001b[2J.pdf";
            home.write("inbox/" + forged, "of no kind");

            run(home, Duration.ofSeconds(60), 0);

            List<String> answered =
                    ODD_NAMES.stream().filter(name -> !name.startsWith(".")).toList();
            assertThat(home.files("outbox/default")).containsAll(answered).contains("folder.md/inner.md");
            assertThat(home.files("outbox/default")).hasSize(answered.size() + 1);
            JsonNode answer = home.lines("outbox/tags/x.jsonl").get(0);
            assertThat(answer.path("id").asText()).isEqualTo("../../${jndi:x}");
            assertThat(answer.path("answer").asText()).contains("{{other}} ${sys:user.home}");
            assertThat(stub.calls()).anyMatch(call -> call.text().contains(syntax + " " + syntax));
            assertThat(stub.calls().stream().map(Call::text)).noneMatch(text -> text.contains("not dropped"));
            assertThat(stub.count()).isEqualTo(answered.size() + 2);
            assertThat(home.files("rejected")).contains(forged, forged + ".error.json");
            assertThat(Files.isSymbolicLink(inbox.resolve("link.md"))).isTrue();
            assertThat(Files.exists(inbox.resolve("pipe.md"))).isTrue();
            assertThat(outside(home)).isEqualTo(before);
            assertThat(home.read("run.log").lines())
                    .as("a name makes no line of its own in the log")
                    .noneMatch(line -> line.startsWith("00:00:00.000"))
                    .noneMatch(line -> line.indexOf('\u001b') >= 0);
            Figures.say("BoundsProof, names: %d files", ODD_NAMES.size());
        }
    }

    @Test
    void thousands_of_tiny_files_are_taken_in_the_same_memory() throws IOException {
        try (Stub stub = Stub.start(Stub.Options.defaults().withLogLimit(1000))) {
            var home = new TestHome(
                    Files.createDirectories(folder.resolve("home")), stub, "engine.default.concurrency=64");
            for (int i = 0; i < FILES; i++) {
                home.write("inbox/" + i % 100 + "/" + i + ".md", ""); // unknown jobs
                home.write("inbox/default/" + i % 100 + "/" + i + ".md", "Note " + i % 500 + ".");
            }
            long start = System.nanoTime();
            run(home, Duration.ofMinutes(5).plus(Duration.ofMillis(10).multipliedBy(FILES)), 0);

            assertThat(stub.count()).isEqualTo(Math.min(FILES, 500));
            assertThat(home.files("outbox")).hasSize(FILES);
            assertThat(home.files("rejected")).hasSize(2 * FILES);
            assertThat(home.files("inbox")).isEmpty();
            Figures.say("BoundsProof, files: %d in %s, %.0f s", 2 * FILES, HEAP, (System.nanoTime() - start) / 1e9);
        }
    }

    @Test
    void a_file_and_a_folder_that_nobody_may_read_are_said_once_and_hold_up_no_other() throws IOException {
        try (Stub stub = Stub.start(Stub.Options.defaults())) {
            Path root = Files.createDirectories(folder.resolve("home"));
            var home = new TestHome(root, stub);
            home.write("inbox/closed.md", "not for you");
            home.write("inbox/default/shut/inner.md", "not for you either");
            home.write("inbox/open.md", "for you");
            home.write("inbox/default/open/inner.md", "for you, too");
            ShellCommand.script("chmod 000 '" + root + "/inbox/closed.md'; chmod 755 '" + folder + "'; chown -R 65534 '"
                            + root + "'; cd '" + root
                            + "/inbox'; chown 0 closed.md default/shut; chmod 700 default/shut")
                    .run();
            ShellCommand.Result result = ShellCommand.of(
                            "setpriv",
                            "--reuid=65534",
                            "--clear-groups",
                            System.getProperty("oncebox.dist") + "/bin/oncebox",
                            "run",
                            "--until-idle",
                            "--home",
                            root.toString())
                    .run();
            assertThat(result.exit()).as(result.err()).isEqualTo(4);
            assertThat(result.err())
                    .containsOnlyOnce("closed.md stays in the inbox")
                    .containsOnlyOnce("default/shut stays in the inbox");
            assertThat(home.files("outbox")).containsExactly("default/open/inner.md", "open.md");
            assertThat(stub.count()).isEqualTo(2);
            assertThat(home.files("inbox")).containsExactly("closed.md", "default/shut/inner.md");
        }
    }

    @Test
    void a_setting_that_refers_to_itself_for_ever_is_refused() throws IOException {
        try (Stub stub = Stub.start(Stub.Options.defaults())) {
            for (String line : List.of(
                    "camel.main.name={{camel.main.name}}",
                    "engine.default.model={{engine.default.model}}{{env:NONE}}")) {
                var home = new TestHome(Files.createTempDirectory(folder, "home"), stub, line);
                run(home, Duration.ofSeconds(60), 2);
                assertThat(home.read("run.log")).contains("oncebox: ").doesNotContain("\tat ");
            }
            assertThat(stub.count()).isZero();
        }
    }
}
