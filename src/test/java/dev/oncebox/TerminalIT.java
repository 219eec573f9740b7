package dev.oncebox;

import static org.assertj.core.api.Assertions.as;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.oncebox.ShellCommand.Result;
import dev.oncebox.stub.Stub;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What people see who sit before a terminal (a real one, of the kernel's), and what pipes get. */
class TerminalIT {

    private static final String ONCEBOX = System.getProperty("oncebox.dist") + "/bin/oncebox";
    private static final int CTRL_C = 3;

    @TempDir
    private Path folder;

    private Stub stub;
    private TestHome home;

    @BeforeEach
    void start() throws IOException {
        stub = Stub.start(Stub.Options.defaults());
        home = new TestHome(
                folder.resolve("home"), stub, "engine.default.price.input=1", "engine.default.price.output=1");
    }

    @AfterEach
    void stop() {
        stub.close();
    }

    @Test
    void a_bar_is_drawn_and_ctrl_c_still_lets_calls_in_flight_finish_until_it_comes_again() throws Exception {
        home.drop("x.jsonl", Evidence.batch(3, "[[stub: delay=60s]]"));
        Process terminal = terminal("run --until-idle");
        try (OutputStream keys = terminal.getOutputStream()) {
            awaitScreen(terminal, "0/3 items (");
            // what calls in flight cost is not known until they end, and the first look may come before they are sent
            assertThat(screen()).contains("run   0% [").containsPattern(", 0 new, 0 reused, cost (0|unknown)");
            keys.write(CTRL_C);
            keys.flush();
            awaitScreen(terminal, "A second signal ends at once.");
            assertThat(screen()).containsPattern("\r\u001b\\[K\\d\\d:\\d\\d:\\d\\d\\.\\d+ INFO  Stopping");
            keys.write(CTRL_C);
            keys.flush();
            assertThat(terminal.waitFor(30, TimeUnit.SECONDS)).isTrue();
            assertThat(terminal.exitValue()).isEqualTo(130);
        } finally {
            terminal.destroyForcibly();
        }
    }

    @Test
    void standard_output_has_results_and_nothing_else() throws Exception {
        Path file = Files.writeString(folder.resolve("q.jsonl"), Evidence.batch(3, ""));
        Path plan = folder.resolve("plan.json");
        Process terminal = terminal("plan --json " + file + " > " + plan);
        assertThat(terminal.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(StubbedHome.tree(Files.readString(plan)).at("/total/items").asInt())
                .isEqualTo(3);
        assertThat(screen()).doesNotContain("{");
    }

    @Test
    void a_pipe_gets_no_bar_and_a_quiet_run_says_nothing() {
        home.drop("x.md", "A question.");
        Result quiet = run("run", "--until-idle", "--quiet");
        assertThat(quiet.exit()).isZero();
        assertThat(quiet.out() + quiet.err()).isEmpty();

        home.drop("y.md", "Another one.");
        Result plain = run("run", "--until-idle");
        assertThat(plain.out()).isEmpty();
        assertThat(plain.err()).doesNotContain("\r", "\u001b");
        // a machine that takes ten seconds for it has a line of progress as well
        assertThat(plain.err().lines().filter(line -> !line.contains(" INFO  run: ")))
                .singleElement(as(STRING))
                .contains("Taking files from");
    }

    @Test
    void the_log_is_an_object_a_line_for_programs() {
        home.drop("letter.docx", "What is this?");
        home.drop("dead.jsonl", """
                {"id": "a\\u202e\\nb", "text": "[[stub: 400 always]]"}
                {"id": "c", "text": " [[stub: 400 always]]"}
                """);
        Result run = ShellCommand.of(
                        ONCEBOX, "run", "--until-idle", "--home", home.root().toString())
                .with("LOG_FORMAT", "json")
                .run();
        assertThat(run.exit()).as(run.err()).isEqualTo(4);
        List<JsonNode> lines = run.err().lines().map(StubbedHome::tree).toList();
        assertThat(lines).allSatisfy(line -> {
            assertThat(line.path("ts").asText()).matches("\\d{4}-\\d\\d-\\d\\dT[0-9:.]+Z");
            assertThat(line.path("level").asText()).matches("INFO|WARN|ERROR");
            assertThat(line.path("message").asText()).isNotBlank();
        });
        assertThat(lines).anySatisfy(line -> {
            assertThat(line.path("file").asText()).isEqualTo("letter.docx");
            assertThat(line.path("message").asText()).startsWith("rejected letter.docx");
        });
        assertThat(lines).anySatisfy(line -> {
            assertThat(line.path("key").asText()).matches("[0-9a-f]{64}");
            assertThat(line.path("engine").asText()).isEqualTo("default");
            assertThat(line.path("file").asText()).isEqualTo("dead.jsonl");
            assertThat(line.path("line").asText()).isEqualTo("1");
            assertThat(line.path("item").asText())
                    .startsWith("\"a")
                    .endsWith("b\"")
                    .doesNotContain("\u202e", "\n");
            assertThat(line.path("others").asText()).isEqualTo("1");
            assertThat(line.path("message").asText())
                    .startsWith("call " + line.path("key").asText().substring(0, 12) + " (dead.jsonl, line 1, id ")
                    .contains(", and 1 other item) failed for good: ");
        });
    }

    private Result run(String... command) {
        String[] words = new String[command.length + 3];
        words[0] = ONCEBOX;
        System.arraycopy(command, 0, words, 1, command.length);
        words[command.length + 1] = "--home";
        words[command.length + 2] = home.root().toString();
        return ShellCommand.of(words).run();
    }

    /** A command on a terminal of 120 columns; what is typed there goes to the process, what it shows into a file. */
    private Process terminal(String command) throws IOException {
        Assumptions.assumeTrue(
                ShellCommand.of("sh", "-c", "script --version").run().out().contains("util-linux"),
                "there is no script of util-linux");
        String line = "stty cols 120; exec env TERM=xterm ONCEBOX_HOME=" + home.root() + " " + ONCEBOX + " " + command;
        return new ProcessBuilder(
                        "script", "-qefc", line, folder.resolve("screen").toString())
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    private void awaitScreen(Process terminal, String text) {
        await().until(() -> screen().contains(text) || !terminal.isAlive());
        assertThat(screen()).contains(text);
    }

    private String screen() {
        Path screen = folder.resolve("screen");
        try {
            return Files.exists(screen) ? Files.readString(screen) : "";
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
