package dev.oncebox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.oncebox.ShellCommand.Result;
import dev.oncebox.stub.Stub;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Asks as processes: beside a runtime and beside each other, killed, stopped, and repeated by anything. */
class AskIT {

    /** How many ask for one file at once: {@code -Doncebox.it.asks=200} for the long form. */
    private static final int ASKS = Integer.getInteger("oncebox.it.asks", 12);

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

    private void waitForCount(long count) {
        await().pollInterval(Duration.ofMillis(10)).until(() -> stub.count() >= count);
    }

    private static void exits(int exit, Result asked) {
        assertThat(asked.exit()).as(asked.err()).isEqualTo(exit);
    }

    @Test
    void without_options_for_java_only_the_path_is_said_and_the_second_time_nothing_is_sent() {
        AskHome home = home();
        Path file = home.file("b.md", "How many bees?");
        String[] ask = {AskHome.script(), "ask", "--home", folder.toString(), file.toString()};

        Result first = ShellCommand.of(ask).run();
        assertThat(first.exit()).as(first.err()).isZero();
        assertThat(first.out()).isEqualTo(home.answer(file) + "\n");
        assertThat(home.answer(file)).hasContent("[call 1] How many bees?");
        Result second = ShellCommand.of(ask).run();
        assertThat(second.out()).isEqualTo(first.out());
        assertThat(second.err()).isEmpty();
        assertThat(stub.count()).isEqualTo(1);
    }

    @Test
    void beside_a_runtime_the_runtime_sends_and_every_file_is_answered() {
        AskHome home = home();
        try (Launched run = Launched.quickly(home.home(), "", "run")) {
            home.home().drop("dropped.md", "Dropped.");
            waitForCount(1);
            for (int i = 1; i <= 3; i++) {
                exits(0, home.ask(home.file("b" + i + ".md", "Question " + i)));
            }
            exits(1, home.ask(home.file("bad.md", "No. [[stub: 400 always]]")));
            exits(0, home.ask(home.file("b1.md", "Question 1")));

            home.home().drop("default/in.md", "Dropped and asked for.");
            exits(0, home.ask(folder.resolve("inbox/default/in.md")));
            await().until(() -> home.home().exists("archive/default/in.md"));
            run.signal("TERM");
            assertThat(run.exit()).isZero();
        }
        assertThat(stub.count()).isEqualTo(6);
        assertThat(Evidence.accepted(stub).values()).containsOnly(1);
    }

    @Test
    void a_runtime_that_starts_during_an_ask_waits_for_it_and_a_second_runtime_is_refused() {
        AskHome home = home();
        home.home().drop("dropped.md", "Dropped.");
        Path file = home.file("slow.md", "Slow. [[stub: delay=60s]]");
        try (Launched ask = home.begin(file)) {
            waitForCount(1);
            try (Launched run = Launched.quickly(home.home(), "", "run")) {
                await().until(() -> home.home().read("run.log").contains("Waiting for an ask to end"));
                assertThat(stub.count()).isEqualTo(1);
                stub.release();
                assertThat(ask.exit()).isZero();
                waitForCount(2);
                Result second = ShellCommand.of(AskHome.script(), "run", "--home", folder.toString())
                        .run();
                assertThat(second.exit()).isEqualTo(1);
                assertThat(second.err()).contains("is in use by process " + run.pid());
                exits(0, home.ask(file));
                run.signal("TERM");
                assertThat(run.exit()).isZero();
            }
        }
        assertThat(home.answer(file)).hasContent("[call 1] Slow.");
        assertThat(stub.count()).isEqualTo(2);
    }

    @ParameterizedTest
    @CsvSource({"resend, 0, 2", "hold, 3, 1"})
    void an_ask_that_is_killed_in_the_middle_of_its_call_leaves_a_doubt_to_the_policy(
            String onDoubt, int exit, int accepted) {
        AskHome home = home("engine.default.on-doubt=" + onDoubt);
        Path file = home.file("b.md", "Slow. [[stub: delay=60s;]]");
        try (Launched ask = home.begin(file)) {
            waitForCount(1);
            assertThat(ask.kill()).isTrue();
        }

        Result again = home.ask(file);
        exits(exit, again);
        exits(exit, home.ask(file));

        assertThat(stub.count()).isEqualTo(accepted);
        assertThat(home.home().events("default/b.md")).contains("IN_DOUBT");
        if (exit == 3) {
            assertThat(again.err()).contains("oncebox doubt list");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "AFTER_CLAIM, 1",
        "AFTER_SENT, 1",
        "AFTER_RESPONSE, 2",
        "AFTER_DONE, 1",
        "AFTER_RENAME, 1",
        "AFTER_DELIVERED, 1",
        "AFTER_RECOVERY, 1"
    })
    void an_ask_that_ends_at_any_moment_is_gone_on_with_by_the_next(String moment, int accepted) {
        AskHome home = home();
        Path file = home.file("b.md", "How many bees?");
        try (Launched ask = Launched.quickly(home.home(), "-Doncebox.crash-at=" + moment, "ask", file.toString())) {
            assertThat(ask.exit()).isEqualTo(137);
        }

        exits(0, home.ask(file));

        assertThat(stub.count()).isEqualTo(accepted);
        assertThat(home.home().files("outbox")).containsExactly("default/b.md");
    }

    @Test
    void many_asks_for_one_file_at_once_are_one_send() throws Exception {
        AskHome home = home();
        Path file = home.file("x.jsonl", Evidence.batch(1));

        List<Result> results = atOnce(home, List.of(), file, ASKS);

        assertThat(results).extracting(Result::exit).isSubsetOf(0, 3, 42).contains(0);
        assertThat(stub.count()).isEqualTo(1);
        Evidence.assertAnswers(home.home().lines("outbox/default/x.jsonl"), 1, stub);
        exits(0, home.ask(file));
        assertThat(stub.count()).isEqualTo(1);
        assertThat(home.home().files("outbox")).hasSize(2);
    }

    @Test
    void asks_for_several_files_at_once_take_turns_and_are_all_answered() throws Exception {
        AskHome home = home();
        List<Path> files = new ArrayList<>();
        for (int i = 1; i <= 5; i++) {
            files.add(home.file("b" + i + ".md", "Question " + i));
        }

        List<Result> results = atOnce(home, files, files.get(0), 3);

        assertThat(results).extracting(Result::exit).containsOnly(0);
        assertThat(stub.count()).isEqualTo(5);
        assertThat(Evidence.accepted(stub).values()).containsOnly(1);
    }

    /** Asks for each of the files, and for one of them so many times more, all at once. */
    private static List<Result> atOnce(AskHome home, List<Path> files, Path repeated, int times)
            throws InterruptedException, ExecutionException {
        List<Path> all = new ArrayList<>(files);
        for (int i = 0; i < times; i++) {
            all.add(repeated);
        }
        Launched.quickOptions();
        ExecutorService threads = Executors.newCachedThreadPool();
        try {
            var together = new CountDownLatch(all.size());
            List<Future<Result>> asked = new ArrayList<>();
            for (Path file : all) {
                asked.add(threads.submit(() -> {
                    together.countDown();
                    together.await();
                    return home.ask(file);
                }));
            }
            List<Result> results = new ArrayList<>();
            for (Future<Result> each : asked) {
                results.add(each.get());
            }
            return results;
        } finally {
            threads.shutdownNow();
        }
    }

    @ParameterizedTest
    @CsvSource({"TERM, 143", "INT, 130"})
    void a_signal_ends_an_ask_once_its_call_is_finished_and_the_answer_is_kept(String signal, int exit) {
        AskHome home = home();
        Path file = home.file("b.md", "Slow. [[stub: delay=2s]]");
        try (Launched ask = home.begin(file)) {
            waitForCount(1);
            ask.signal(signal);
            assertThat(ask.exit()).isEqualTo(exit);
        }
        assertThat(home.home().status().path("calls").path("done").asInt()).isEqualTo(1);

        exits(0, home.ask(file));
        assertThat(stub.count()).isEqualTo(1);
    }

    @Test
    void the_example_takes_another_way_on_a_failure_for_good_and_never_else() throws IOException {
        AskHome home =
                home("retry.delay=300d", "retry.max-delay=300d", "retry.give-up=366d", "engine.default.timeout=3s");
        Path other = home.file("other.sh", "#!/bin/sh\necho \"another way for $1\"\n");
        Files.setPosixFilePermissions(other, PosixFilePermissions.fromString("rwx------"));

        Result answered = example(home, home.file("b.md", "How many bees?"), other);
        assertThat(answered.exit()).as(answered.err()).isZero();
        assertThat(answered.out()).isEqualTo("[call 1] How many bees?");
        Path bad = home.file("bad.md", "No. [[stub: 400 always]]");
        Result failed = example(home, bad, other);
        assertThat(failed.exit()).as(failed.err()).isZero();
        assertThat(failed.out()).isEqualTo("another way for " + bad + "\n");
        Result busy = example(home, home.file("busy.md", "Later. [[stub: 503]]"), other);
        assertThat(busy.exit()).as(busy.err()).isEqualTo(42);
        assertThat(busy.out()).isEmpty();
        assertThat(example(home, elsewhere.resolve("none.md"), other).exit()).isEqualTo(2);
    }

    private static Result example(AskHome home, Path file, Path other) {
        return ShellCommand.of(
                        System.getProperty("oncebox.dist") + "/examples/ask-or-else.sh",
                        file.toString(),
                        other.toString())
                .with("ONCEBOX", AskHome.script())
                .with("ONCEBOX_HOME", home.home().root().toString())
                .with("JAVA_OPTS", Launched.quickOptions())
                .run();
    }
}
