package dev.oncebox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.oncebox.intake.RequestKey;
import dev.oncebox.job.Keying;
import dev.oncebox.ledger.Request;
import dev.oncebox.stub.Stub;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.TreeMap;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Long files in a heap of 512 MB. In full: {@code -Doncebox.proof.lines=1000000 -Doncebox.proof.long-lines=100000}, which
 * takes some 25 GB of the temporary folder.
 */
class ScaleProof {

    private static final int LINES = Integer.getInteger("oncebox.proof.lines", 5_000);
    private static final int LONG_LINES = Integer.getInteger("oncebox.proof.long-lines", 300);
    private static final int LONG = 100_000;
    private static final Duration PATIENCE = Duration.ofHours(3);
    private static final Stub.Options BRIEF = Stub.Options.defaults().withLogLimit(20);

    @TempDir
    private Path folder;

    @Test
    void a_second_drop_is_answered_by_the_ledger_alone() throws Exception {
        try (Stub stub = Stub.start(BRIEF)) {
            var home = new TestHome(folder, stub, "engine.default.concurrency=64");
            write(home, "first.jsonl", LINES, ScaleProof::shortLine);
            run(home, LINES + " short lines", LINES);
            assertThat(stub.counts().accepted()).isEqualTo(LINES);
            assertThat(stub.counts().keys()).isEqualTo(LINES);

            write(home, "second.jsonl", LINES, ScaleProof::shortLine);
            run(home, "the same again", LINES);
            assertThat(stub.counts().accepted())
                    .as("sends after the second drop")
                    .isEqualTo(LINES);
            assertThat(home.json("outbox/second.jsonl.receipt.json")
                            .at("/charged/reused")
                            .asInt())
                    .isEqualTo(LINES);
            assertInOrder(home.path("outbox/second.jsonl"), LINES);

            double again = LINES / seconds(home, "second.jsonl");
            double plain = LINES / plainLoop(home);
            System.out.printf(
                    "ScaleProof second drop: %,.0f lines/s from the intake to the delivery; a plain loop that reads,"
                            + " hashes and looks up: %,.0f lines/s; ratio %.2f%n",
                    again, plain, again / plain);
        }
    }

    /** What a program would do that did nothing else: read, make the key, look up. Takes this many seconds. */
    private static double plainLoop(TestHome home) throws IOException, SQLException {
        var json = new ObjectMapper();
        long start = System.nanoTime();
        int found = 0;
        try (Connection ledger = DriverManager.getConnection("jdbc:sqlite:" + home.path("data/ledger.db"));
                PreparedStatement look = ledger.prepareStatement(
                        "SELECT c.state, a.body FROM call c JOIN answer a ON a.call = c.id WHERE c.key = ?");
                BufferedReader lines = Files.newBufferedReader(home.path("archive/second.jsonl"))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                String text = json.readTree(line).path("text").asText();
                var request = new Request(null, text, null, "test", new TreeMap<>(), null, null);
                look.setBytes(1, RequestKey.of(request, Keying.WHITESPACE));
                try (ResultSet row = look.executeQuery()) {
                    found += row.next() && row.getBytes(2).length > 0 ? 1 : 0;
                }
            }
        }
        assertThat(found).isEqualTo(LINES);
        return (System.nanoTime() - start) / 1e9;
    }

    private static double seconds(TestHome home, String file) throws SQLException {
        try (Connection ledger = DriverManager.getConnection("jdbc:sqlite:" + home.path("data/ledger.db"));
                PreparedStatement look =
                        ledger.prepareStatement("SELECT delivered - received FROM file WHERE path = ?")) {
            look.setString(1, file);
            try (ResultSet row = look.executeQuery()) {
                assertThat(row.next()).isTrue();
                return row.getLong(1) / 1e3;
            }
        }
    }

    @Test
    void lines_of_100_kilobytes_pass_through_a_bounded_heap() throws Exception {
        String filling = "All work and no play makes a long line. ".repeat(LONG / 40);
        try (Stub stub = Stub.start(BRIEF)) {
            var home = new TestHome(folder, stub, "engine.default.concurrency=16");
            write(
                    home,
                    "long.jsonl",
                    LONG_LINES,
                    n -> "{\"id\":\"i" + n + "\",\"text\":\"[[stub: say=yes always]] Item " + n + ", " + filling
                            + "\"}\n");
            run(home, LONG_LINES + " lines of 100 KB", LONG_LINES);
            assertThat(stub.counts().accepted()).isEqualTo(LONG_LINES);
            assertThat(stub.counts().keys()).isEqualTo(LONG_LINES);
        }
    }

    @Test
    void a_slow_first_line_holds_nothing_back_but_the_end_of_its_file() throws Exception {
        try (Stub stub = Stub.start(BRIEF)) {
            var home = new TestHome(folder, stub, "engine.default.concurrency=64", "engine.default.timeout=3h");
            write(
                    home,
                    "slow.jsonl",
                    LINES,
                    n -> n == 1
                            ? "{\"id\":\"i1\",\"text\":\"[[stub: hang; say=late]] Item 1, which hangs.\"}\n"
                            : shortLine(n));
            home.drop("other.md", "Another file is not held back.");
            try (Launched run = Launched.plainly(home, "-Xmx512m", "run")) {
                await().atMost(PATIENCE)
                        .pollInterval(Duration.ofMillis(500))
                        .until(() -> home.exists("data/ledger.db")
                                && home.status().at("/calls/done").asInt() == LINES);
                assertThat(home.status().at("/calls/sent").asInt())
                        .as("the first, in flight")
                        .isEqualTo(1);
                assertThat(home.exists("outbox/other.md")).isTrue();
                assertThat(home.exists("outbox/slow.jsonl")).isFalse();
                assertThat(run.kill()).isTrue();
            }
            run(home, "the rest after a kill", LINES);
            assertThat(stub.counts().accepted())
                    .as("the first twice: on-doubt=resend")
                    .isEqualTo(LINES + 2);
            assertThat(home.lines("outbox/slow.jsonl").get(0).path("answer").asText())
                    .isEqualTo("late");
        }
    }

    private static String shortLine(int n) {
        return "{\"id\":\"i" + n + "\",\"text\":\"Item " + n + ", which says little and differs from all others.\"}\n";
    }

    private static void write(TestHome home, String name, int lines, IntFunction<String> line) throws IOException {
        Path written = home.path("inbox/." + name);
        Files.createDirectories(written.getParent());
        try (BufferedWriter out = Files.newBufferedWriter(written)) {
            for (int n = 1; n <= lines; n++) {
                out.write(line.apply(n));
            }
        }
        Files.move(written, written.resolveSibling(name));
    }

    private static void assertInOrder(Path answers, int expected) throws IOException {
        try (BufferedReader lines = Files.newBufferedReader(answers)) {
            int n = 0;
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                n++;
                assertThat(line).startsWith("{\"id\":\"i" + n + "\",").contains("] Item " + n + ",");
            }
            assertThat(n).isEqualTo(expected);
        }
    }

    private static void run(TestHome home, String what, int lines) {
        long start = System.nanoTime();
        try (Launched run = Launched.plainly(home, "-Xmx512m", "run", "--until-idle")) {
            long peak = run.peakMegabytes(PATIENCE);
            assertThat(run.exit()).isZero();
            double seconds = (System.nanoTime() - start) / 1e9;
            System.out.printf(
                    "ScaleProof %s: %.1f s, %,.0f lines/s, %d MB resident%n", what, seconds, lines / seconds, peak);
            assertThat(peak).as("MB resident").isLessThan(900);
        }
    }
}
