package dev.oncebox.proof;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.oncebox.Launched;
import dev.oncebox.TestHome;
import dev.oncebox.stub.Call;
import dev.oncebox.stub.Stub;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What people do to the inbox while a process works on it: a great many files in one folder, and others in their place. */
class InboxProof {

    /** {@code -Doncebox.proof.files=1000000} makes it long. */
    private static final int FILES = Integer.getInteger("oncebox.proof.files", 15_000);

    private static final int TEXTS = 500;
    private static final int LINES = 20_000;

    @TempDir
    private Path folder;

    private TestHome home(Stub stub) {
        return new TestHome(folder, stub, "engine.default.concurrency=64", "inbox.poll=500ms", "inbox.settle=500ms");
    }

    @Test
    void a_great_many_files_in_one_folder_are_taken_in_half_a_gigabyte() throws IOException {
        try (Stub stub = Stub.start(Stub.Options.defaults().withLogLimit(1000))) {
            TestHome home = home(stub);
            Path inbox = Files.createDirectories(home.path("inbox"));
            for (int i = 0; i < FILES; i++) {
                Files.writeString(inbox.resolve(i + ".md"), "Note " + i % TEXTS + ".");
            }
            long start = System.nanoTime();
            try (Launched run = Launched.quickly(home, "-Xmx512m", "run", "--until-idle")) {
                int exit = run.exitWithin(
                        Duration.ofMinutes(10).plus(Duration.ofMillis(10).multipliedBy(FILES)));
                assertThat(exit).as(home.read("run.log")).isZero();
            }
            double seconds = (System.nanoTime() - start) / 1e9;

            assertThat(stub.count()).isEqualTo(TEXTS);
            assertThat(home.status().at("/files/taken").asLong()).isEqualTo(FILES);
            assertThat(home.status().at("/files/delivered").asLong()).isEqualTo(FILES);
            assertThat(home.status().at("/items/answered").asLong()).isEqualTo(FILES);
            assertThat(number(inbox)).isZero();
            assertThat(number(home.path("archive"))).isEqualTo(FILES);
            assertThat(number(home.path("outbox"))).isEqualTo(FILES);
            Figures.say("InboxProof, files: %d in %.0f s, %.0f a second", FILES, seconds, FILES / seconds);
        }
    }

    private static long number(Path below) throws IOException {
        try (Stream<Path> files = Files.walk(below)) {
            return files.filter(Files::isRegularFile).count();
        }
    }

    @Test
    void a_file_that_is_replaced_again_and_again_while_it_is_read_is_never_a_mix_of_two() throws IOException {
        try (Stub stub = Stub.start(Stub.Options.defaults().withBodies())) {
            TestHome home = home(stub);
            Path file = home.path("inbox/x.jsonl");
            Files.createDirectories(file.getParent());
            replace(home, file, 0);
            try (Launched run = Launched.quickly(home, "", "run", "--until-idle")) {
                for (int version = 1; version <= 4; version++) {
                    long asked = stub.count();
                    await().atMost(Duration.ofMinutes(2)).until(() -> stub.count() > asked || !run.isAlive());
                    if (version % 2 == 0) {
                        replace(home, file, version);
                    } else {
                        Files.writeString(file, batch(version));
                    }
                }
                assertThat(run.exitWithin(Duration.ofMinutes(5)))
                        .as(home.read("run.log"))
                        .isZero();
            }

            assertThat(stub.calls().stream().map(Call::text)).allSatisfy(text -> assertThat(text)
                    .containsPattern("\"version (\\d) line \\d+ (of \\1 ){9}end\""));
            assertThat(stub.counts().keys()).isEqualTo(stub.count());
            assertThat(home.files("inbox")).isEmpty();
            String last = home.files("outbox").stream()
                    .filter(name -> name.matches("x(~\\d)?\\.jsonl"))
                    .filter(name -> home.read("outbox/" + name).contains("version 4 line 0 "))
                    .findFirst()
                    .orElseThrow();
            assertThat(home.lines("outbox/" + last)).hasSize(LINES);
            Figures.say("InboxProof, replaced: %d requests for %d lines of five versions", stub.count(), 5 * LINES);
        }
    }

    private static String batch(int version) {
        String tail = " " + ("of " + version + " ").repeat(9) + "end\"}\n";
        return IntStream.range(0, LINES)
                .mapToObj(i -> "{\"text\":\"version " + version + " line " + i + tail)
                .collect(Collectors.joining());
    }

    private static void replace(TestHome home, Path file, int version) throws IOException {
        Path other = Files.writeString(home.path("inbox/.other"), batch(version));
        Files.setLastModifiedTime(other, FileTime.from(Instant.EPOCH));
        Files.move(other, file, StandardCopyOption.ATOMIC_MOVE);
    }
}
