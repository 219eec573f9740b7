package dev.oncebox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oncebox.stub.Stub;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Much at once, in little memory. For a look by hand: {@code -Doncebox.it.lines=200000 -Doncebox.it.files=10000}. */
class ManyItemsProof {

    private static final int LINES = Integer.getInteger("oncebox.it.lines", 10_000);
    private static final int FILES = Integer.getInteger("oncebox.it.files", 4_000);
    private static final Stub.Options BRIEF = Stub.Options.defaults().withLogLimit(1000);

    @TempDir
    private Path folder;

    @Test
    void five_hundred_items_with_one_prompt_are_one_call_however_slow() throws IOException {
        try (Stub stub = Stub.start(Stub.Options.defaults().withDelay(Duration.ofSeconds(2)))) {
            var home = new TestHome(folder, stub);
            home.drop("same.jsonl", "{\"text\":\"The same question.\"}\n".repeat(500));
            try (Launched run = Launched.untilIdle(home)) {
                assertThat(run.exit()).isZero();
            }
            assertThat(stub.count()).isEqualTo(1);
            assertThat(home.lines("outbox/same.jsonl")).hasSize(500).allSatisfy(line -> assertThat(
                            line.path("answer").asText())
                    .isEqualTo("[call 1] The same question."));
        }
    }

    @Test
    void a_long_batch_of_distinct_items_is_answered_in_a_quarter_of_a_gigabyte() throws IOException {
        try (Stub stub = Stub.start(BRIEF)) {
            var home = new TestHome(folder, stub, "engine.default.concurrency=64");
            Path batch = home.path("inbox/big.jsonl");
            Files.createDirectories(batch.getParent());
            try (BufferedWriter lines = Files.newBufferedWriter(batch)) {
                for (int i = 1; i <= LINES; i++) {
                    lines.write(
                            "{\"id\":\"i%d\",\"text\":\"Item %d, which says little and differs from all others.\"}\n"
                                    .formatted(i, i));
                }
            }
            run(home, LINES + " lines", Duration.ofMinutes(5));

            assertThat(stub.counts().accepted()).isEqualTo(LINES);
            assertThat(stub.counts().keys()).isEqualTo(LINES);
            assertThat(home.json("outbox/big.jsonl.receipt.json")
                            .path("answered")
                            .asLong())
                    .isEqualTo(LINES);
            assertInOrder(home.path("outbox/big.jsonl"));
        }
    }

    private static void assertInOrder(Path answers) throws IOException {
        try (BufferedReader lines = Files.newBufferedReader(answers)) {
            int n = 0;
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                n++;
                assertThat(line).startsWith("{\"id\":\"i" + n + "\",").contains("] Item " + n + ",");
            }
            assertThat(n).isEqualTo(LINES);
        }
    }

    @Test
    void thousands_of_small_files_are_taken_in_one_go() throws IOException {
        try (Stub stub = Stub.start(BRIEF)) {
            var home = new TestHome(folder, stub, "engine.default.concurrency=64");
            Files.createDirectories(home.path("inbox"));
            for (int i = 1; i <= FILES; i++) {
                Files.writeString(home.path("inbox/" + i + ".md"), "Note " + i + ".");
            }
            run(home, FILES + " files", Duration.ofMinutes(3));

            assertThat(stub.counts().accepted()).isEqualTo(FILES);
            assertThat(home.files("archive")).hasSize(FILES);
            assertThat(home.files("inbox")).isEmpty();
            try (Stream<Path> answers = Files.list(home.path("outbox"))) {
                assertThat(answers).hasSize(FILES).allSatisfy(file -> {
                    String name = file.getFileName().toString();
                    assertThat(Files.readString(file)).endsWith("] Note " + name.replace(".md", "") + ".");
                });
            }
        }
    }

    /** Runs in 256 MB of heap, and prints how long it took and how much memory of all kinds. */
    private static void run(TestHome home, String what, Duration atMost) {
        long start = System.nanoTime();
        try (Launched run = Launched.plainly(home, "-Xmx256m", "run", "--until-idle")) {
            long peak = run.peakMegabytes(atMost);
            assertThat(run.exit()).isZero();
            System.out.printf(
                    "ManyItemsProof %s: %.1f s, %d MB resident%n", what, (System.nanoTime() - start) / 1e9, peak);
            assertThat(peak).isLessThan(600);
        }
    }
}
