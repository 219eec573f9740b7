package dev.oncebox.proof;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oncebox.CrashPoint;
import dev.oncebox.Launched;
import dev.oncebox.TestHome;
import dev.oncebox.stub.Stub;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;

/**
 * A file goes through a provider's batches while the process dies, once or twice, at a named moment.
 *
 * <p>A batch that is recorded as sent when the process dies, and did not leave, is looked for in vain and sent then,
 * whichever batch reached the named moment. What did leave must be found: sent again, it would count twice.
 */
final class BatchCrashTrial implements AutoCloseable {

    private static final int ITEMS = 7;

    private static final ExecutorService TWO_AT_ONCE = Executors.newFixedThreadPool(2, task -> {
        Thread thread = new Thread(task, "batch-crash-trials");
        thread.setDaemon(true);
        return thread;
    });

    /**
     * Where it dies.
     *
     * @param pass which time the moment is reached by the first process
     * @param again whether the next one dies there as well, at its first time
     */
    record Cell(String vendor, CrashPoint at, int pass, boolean again) {

        private List<String> deaths() {
            return again ? List.of(at + ":" + pass, at + ":1") : List.of(at + ":" + pass);
        }
    }

    private final Cell cell;
    private final Path temporary;
    private final Stub stub =
            Stub.start(Stub.Options.defaults().withScript("echo batch-ready=200ms batch-lag=1 list-lag=1 always"));
    private final TestHome home;

    private BatchCrashTrial(Cell cell, Path folder) throws IOException {
        this.cell = cell;
        this.temporary = Files.createDirectories(folder.resolve("tmp"));
        this.home = new TestHome(
                Files.createDirectories(folder.resolve("home")),
                stub,
                "engine.default.protocol=" + cell.vendor() + "-batch",
                "engine.default.poll=50ms",
                "engine.default.lost-after=5s",
                "engine.default.on-doubt=resend",
                "engine.default.batch.calls=3",
                "engine.default.batch.wait=50ms");
        var lines = new StringBuilder();
        IntStream.rangeClosed(1, ITEMS).forEach(i -> lines.append(item(i)));
        home.drop("x.jsonl", lines.toString());
    }

    private static String item(int i) {
        return "{\"id\":\"i" + i + "\",\"text\":\"Question " + i + "\"}\n";
    }

    /** Lives through all of the cells, two at a time. */
    static Stream<DynamicTest> each(List<Cell> cells, Path folder) {
        return cells.stream()
                .map(cell -> {
                    var lived = CompletableFuture.runAsync(() -> live(cell, folder), TWO_AT_ONCE);
                    return DynamicTest.dynamicTest(cell.toString(), () -> {
                        try {
                            lived.join();
                        } catch (CompletionException e) {
                            throw e.getCause();
                        }
                    });
                })
                .toList()
                .stream();
    }

    private static void live(Cell cell, Path folder) {
        try (var trial = new BatchCrashTrial(cell, Files.createTempDirectory(folder, "cell"))) {
            trial.dieAndLiveOn();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private void dieAndLiveOn() {
        for (String at : cell.deaths()) {
            try (Launched dying = launch("-Doncebox.crash-at=" + at)) {
                assertThat(dying.exit()).as("it dies at " + at).isEqualTo(137);
            }
            assertThat(Balance.broken(home.path("data/ledger.db"))).isEmpty();
        }
        try (Launched last = launch("")) {
            assertThat(last.exit()).as(home.read("run.log")).isZero();
        }
        assertEnd();
    }

    private Launched launch(String option) {
        return Launched.quickly(home, "-Djava.io.tmpdir=" + temporary + " " + option, "run", "--until-idle");
    }

    private void assertEnd() {
        Map<String, Integer> once = new TreeMap<>();
        List<String> ids = new ArrayList<>();
        List<String> inDoubt = new ArrayList<>();
        home.lines("outbox/x.jsonl").forEach(line -> {
            once.put(line.path("key").asText(), 1);
            ids.add(line.path("id").asText());
            assertThat(line.path("answer").asText())
                    .endsWith("Question " + line.path("id").asText().substring(1));
            if (!line.path("charged").asText().equals("new")) {
                inDoubt.add(line.path("key").asText());
            }
        });
        assertThat(ids)
                .isEqualTo(
                        IntStream.rangeClosed(1, ITEMS).mapToObj(i -> "i" + i).toList());
        assertThat(stub.submissions()).as("submitted once, wherever that was").isEqualTo(once);
        assertThat(stub.charged()).isEqualTo(once);
        assertThat(home.files("outbox")).containsExactly("x.jsonl", "x.jsonl.receipt.json");
        Path ledger = home.path("data/ledger.db");
        assertThat(Balance.number(ledger, "SELECT count(*) FROM batch WHERE state <> 'ENDED'"))
                .as("batches left open")
                .isZero();
        assertThat(Balance.number(ledger, "SELECT count(DISTINCT call) FROM event WHERE kind = 'IN_DOUBT'"))
                .isEqualTo(inDoubt.size());
        assertThat(Balance.broken(ledger)).isEmpty();
        assertThat(Balance.number(ledger, "SELECT count(*) FROM call WHERE state <> 'DONE'"))
                .isZero();
        assertThat(home.files("inbox")).isEmpty();
        assertThat(temporary.toFile().list((folder, name) -> name.startsWith("oncebox-")))
                .as("temporary files")
                .isEmpty();
    }

    @Override
    public void close() {
        stub.close();
    }
}
