package dev.oncebox.proof;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.oncebox.Launched;
import dev.oncebox.TestHome;
import dev.oncebox.cli.OnceboxCommand;
import dev.oncebox.stub.Stub;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;

/** Lives through one death over a call that an asynchronous engine accepts, and looks at what is left. */
final class AsyncCrashTrial implements AutoCloseable {

    private final Stub stub;
    private final TestHome home;
    private final Path ledger;

    AsyncCrashTrial(Path folder, String script, boolean hold) throws IOException {
        stub = Stub.start(Stub.Options.defaults().withBodies().withScript(script));
        home = new TestHome(
                Files.createTempDirectory(folder, "home"),
                stub,
                "engine.default.protocol=async",
                "engine.default.url=" + stub.uri("/jobs"),
                "engine.default.answer=/summary",
                "engine.default.poll=400ms",
                "engine.default.on-doubt=" + (hold ? "hold" : "resend"));
        ledger = home.path("data/ledger.db");
        home.drop("x.md", "Question 1.");
    }

    static Stream<DynamicTest> each(List<AsyncCrashCell> cells, Path folder) {
        return cells.stream()
                .map(cell -> DynamicTest.dynamicTest(cell.toString(), () -> {
                    try (var trial = new AsyncCrashTrial(folder, "polls=2 echo always", cell.hold())) {
                        trial.dieAndLiveOn(cell);
                    }
                }));
    }

    private void dieAndLiveOn(AsyncCrashCell cell) {
        String at = cell.at() + ":" + cell.pass();
        try (Launched dying = Launched.quickly(home, "-Doncebox.crash-at=" + at, "run", "--until-idle")) {
            assertThat(dying.exit()).as("it dies at " + at).isEqualTo(137);
        }
        assertThat(Balance.broken(ledger)).isEmpty();
        assertThat(home.files("outbox").stream().filter(name -> !Balance.isTemporary(name)))
                .as("nothing half")
                .isSubsetOf("x.md", "x.md.url");
        boolean held = cell.isDoubt() && cell.hold();
        try (Launched next = Launched.untilIdle(home)) {
            assertThat(next.exit()).isEqualTo(held ? 4 : 0);
        }
        int before = cell.isUnsent() ? 0 : 1;
        if (held) {
            assertThat(stub.counts().submitted()).isEqualTo(before);
            assertThat(home.files("outbox")).isEmpty();
            String key = home.journal("x.md").get(0).path("key").asText();
            assertThat(OnceboxCommand.run(
                            "doubt", "resend", key, "--home", home.root().toString()))
                    .isZero();
            assertThat(home.runUntilIdle()).isZero();
        }
        assertEnd(before + (cell.isDoubt() ? 1 : 0));
    }

    /** The process is killed while the job is asked for, at no moment that it knows of. */
    void killWhilePolling(int polls) {
        try (Launched dying = Launched.quickly(home, "", "run")) {
            await().pollInterval(Duration.ofMillis(5)).until(() -> stub.counts().face("GET /jobs/{id}") >= polls);
            assertThat(dying.kill()).isTrue();
        }
    }

    void liveOn() {
        try (Launched next = Launched.untilIdle(home)) {
            assertThat(next.exit()).isZero();
        }
    }

    void assertEnd(int submissions) {
        assertThat(stub.submissions()).hasSize(1).containsValue(submissions);
        assertThat(stub.counts().submitted()).as("submissions").isEqualTo(submissions);
        assertThat(home.files("outbox"))
                .as("the answer, and no address any more")
                .containsExactly("x.md");
        assertThat(home.read("outbox/x.md")).isEqualTo("Question 1.");
        assertThat(home.files("inbox")).isEmpty();
        assertThat(home.files("archive")).containsExactly("x.md");
        assertThat(Balance.broken(ledger)).isEmpty();
        assertThat(SendRules.of(ledger, Set.of("default")).broken(ledger)).isEmpty();
    }

    @Override
    public void close() {
        stub.close();
    }
}
