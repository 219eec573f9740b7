package dev.oncebox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.oncebox.ShellCommand.Result;
import dev.oncebox.stub.Stub;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Asks beside a runtime that has the ledger: they record and look, and take over when the runtime is gone. */
@Execution(ExecutionMode.CONCURRENT)
class AskBesideProof {

    @TempDir
    private Path folder;

    @TempDir
    private Path elsewhere;

    private Stub stub;

    @BeforeEach
    void start() throws IOException {
        stub = Stub.start(Stub.Options.defaults().withBodies());
    }

    @AfterEach
    void stop() {
        stub.close();
    }

    private AskHome home(String... properties) {
        return new AskHome(new TestHome(folder, stub, properties), elsewhere);
    }

    private Launched runtime(AskHome home) {
        Launched run = Launched.quickly(home.home(), "", "run");
        await().until(() -> home.home().read("run.log").contains("Taking files"));
        return run;
    }

    private void waitForCount(long count) {
        await().pollInterval(Duration.ofMillis(10)).until(() -> stub.count() >= count);
    }

    private static void exits(int exit, Result asked) {
        assertThat(asked.exit()).as(asked.err()).isEqualTo(exit);
    }

    @Test
    void who_brought_it_in_is_told_queued_and_who_comes_later_still_processing() {
        AskHome home = home();
        Path file = home.file("b.md", "Slow. [[stub: delay=60s]]");
        try (Launched run = runtime(home)) {
            Result first = home.ask(file, "--wait", "2s");
            exits(42, first);
            assertThat(first.err()).contains("It is sent and not answered yet.");
            exits(3, home.ask(file, "--wait", "0s"));
            stub.release();
            exits(0, home.ask(file));
            assertThat(run.isAlive()).isTrue();
        }
        assertThat(stub.count()).isEqualTo(1);
    }

    @Test
    void a_deleted_answer_comes_back_from_the_runtime() throws IOException {
        AskHome home = home();
        Path file = home.file("b.md", "How many bees?");
        try (Launched run = runtime(home)) {
            exits(0, home.ask(file));
            Files.delete(home.answer(file));
            exits(0, home.ask(file));
            assertThat(run.isAlive()).isTrue();
        }
        assertThat(home.answer(file)).hasContent("[call 1] How many bees?");
        assertThat(stub.count()).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource({"resend, 0, 2", "hold, 3, 1"})
    void an_ask_takes_over_when_the_runtime_is_killed_in_the_middle_of_the_call(
            String onDoubt, int exit, int accepted) {
        AskHome home = home("engine.default.on-doubt=" + onDoubt);
        Path file = home.file("b.md", "Slow. [[stub: delay=60s;]]");
        try (Launched run = runtime(home);
                Launched ask = home.begin(file)) {
            waitForCount(1);
            assertThat(run.kill()).isTrue();
            assertThat(ask.exit()).isEqualTo(exit);
        }
        assertThat(stub.count()).isEqualTo(accepted);
        exits(exit, home.ask(file));
        assertThat(stub.count()).isEqualTo(accepted);
    }

    @Test
    void a_used_up_budget_of_the_runtime_is_said_before_the_waiting_is_over() {
        AskHome home = home("budget.calls=1");
        try (Launched run = runtime(home)) {
            exits(0, home.ask(home.file("a.md", "One.")));
            Result second = home.ask(home.file("b.md", "Two."));
            exits(42, second);
            assertThat(second.err()).contains("(budget)");
            assertThat(run.isAlive()).isTrue();
        }
        assertThat(stub.count()).isEqualTo(1);
    }
}
