package dev.oncebox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.oncebox.stub.Stub;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The first signal stops gracefully, the second at once. */
class SignalIT {

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

    @ParameterizedTest
    @CsvSource({"TERM, run, 0", "TERM, run --until-idle, 143", "INT, run --until-idle, 130"})
    void the_first_signal_sends_nothing_new_and_keeps_the_answers_of_calls_in_flight(
            String signal, String command, int exit) {
        var home = new TestHome(folder, stub, "engine.default.concurrency=2");
        home.drop("x.jsonl", Evidence.batch(5, "[[stub: delay=60s]]"));
        try (Launched run = Launched.quickly(home, "", command.split(" "))) {
            waitForCount(2);
            run.signal(signal);
            await().until(() -> home.read("run.log").contains("A second signal ends at once."));
            stub.release();
            assertThat(run.exit()).isEqualTo(exit);
        }
        assertThat(stub.count()).isEqualTo(2);
        assertThat(home.status().path("calls").path("done").asInt()).isEqualTo(2);
        assertThat(home.status().path("calls").path("ready").asInt()).isEqualTo(3);

        try (Launched next = Launched.untilIdle(home)) {
            assertThat(next.exit()).isZero();
        }
        assertThat(stub.count()).isEqualTo(5);
        assertThat(Evidence.accepted(stub).values()).containsOnly(1);
        Evidence.assertAnswers(home.lines("outbox/x.jsonl"), 5, stub);
    }

    @ParameterizedTest
    @CsvSource({"TERM, 143, resend, 4, 0", "INT, 130, hold, 2, 4"})
    void the_second_signal_ends_at_once_and_the_next_start_goes_by_the_policy(
            String signal, int exit, String onDoubt, int accepted, int nextExit) {
        var home = new TestHome(folder, stub, "engine.default.on-doubt=" + onDoubt);
        home.drop("x.jsonl", Evidence.batch(2, "[[stub: delay=60s]]"));
        try (Launched run = Launched.quickly(home, "", "run")) {
            waitForCount(2);
            run.signal(signal);
            await().until(() -> home.read("run.log").contains("A second signal ends at once."));
            run.signal(signal);
            assertThat(run.exit()).isEqualTo(exit);
        }
        try (Launched next = Launched.untilIdle(home)) {
            assertThat(next.exit()).isEqualTo(nextExit);
        }
        assertThat(stub.count()).isEqualTo(accepted);
        assertThat(Evidence.accepted(stub)).hasSize(2);
        Evidence.assertJournalCovers(stub, home.journal("x.jsonl"));
        assertThat(home.status().path("calls").path("doubt").asInt()).isEqualTo(nextExit == 4 ? 2 : 0);
    }

    private void waitForCount(long count) {
        await().pollInterval(Duration.ofMillis(10)).until(() -> stub.count() >= count);
    }
}
