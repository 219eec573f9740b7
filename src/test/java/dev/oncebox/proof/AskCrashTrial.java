package dev.oncebox.proof;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oncebox.Launched;
import dev.oncebox.TestHome;
import dev.oncebox.cli.OnceboxCommand;
import dev.oncebox.stub.Stub;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;

/** The same deaths with nobody but {@code ask}: one dies over a call, and only others like it ever go on with it. */
final class AskCrashTrial implements AutoCloseable {

    private final Stub stub;
    private final TestHome home;
    private final Path ledger;
    private final Path file;

    private AskCrashTrial(Path folder, boolean hold) throws IOException {
        stub = Stub.start(Stub.Options.defaults().withBodies().withScript("polls=2 echo always"));
        home = new TestHome(
                Files.createTempDirectory(folder, "home"),
                stub,
                "engine.default.protocol=async",
                "engine.default.url=" + stub.uri("/jobs"),
                "engine.default.answer=/summary",
                "engine.default.poll=400ms",
                "engine.default.on-doubt=" + (hold ? "hold" : "resend"));
        ledger = home.path("data/ledger.db");
        file = Files.writeString(Files.createTempDirectory(folder, "elsewhere").resolve("x.md"), "Question 1.");
    }

    static Stream<DynamicTest> each(List<AsyncCrashCell> cells, Path folder) {
        return cells.stream()
                .map(cell -> DynamicTest.dynamicTest("ask, " + cell, () -> {
                    try (var trial = new AskCrashTrial(folder, cell.hold())) {
                        trial.dieAndAskOn(cell);
                    }
                }));
    }

    private void dieAndAskOn(AsyncCrashCell cell) {
        String at = cell.at() + ":" + cell.pass();
        assertThat(ask("-Doncebox.crash-at=" + at)).as("it dies at " + at).isEqualTo(137);
        assertThat(Balance.broken(ledger)).isEmpty();
        boolean held = cell.isDoubt() && cell.hold();
        assertThat(ask("")).isEqualTo(held ? 3 : 0);
        int before = cell.isUnsent() ? 0 : 1;
        if (held) {
            assertThat(stub.counts().submitted()).isEqualTo(before);
            String key = home.journal("x.md").get(0).path("key").asText();
            assertThat(OnceboxCommand.run(
                            "doubt", "resend", key, "--home", home.root().toString()))
                    .isZero();
            assertThat(ask("")).isZero();
        }
        assertThat(ask("")).as("asked once more, it is looked up").isZero();
        int submissions = before + (cell.isDoubt() ? 1 : 0);
        assertThat(stub.submissions()).hasSize(1).containsValue(submissions);
        assertThat(home.files("outbox")).containsExactly("default/x.md");
        assertThat(home.read("outbox/default/x.md")).isEqualTo("Question 1.");
        assertThat(Balance.broken(ledger)).isEmpty();
        assertThat(SendRules.of(ledger, Set.of("default")).broken(ledger)).isEmpty();
    }

    private int ask(String javaOptions) {
        try (Launched asking = Launched.quickly(home, javaOptions, "ask", "--wait", "30s", file.toString())) {
            return asking.exit();
        }
    }

    @Override
    public void close() {
        stub.close();
    }
}
