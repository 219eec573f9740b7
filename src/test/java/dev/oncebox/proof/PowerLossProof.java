package dev.oncebox.proof;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.oncebox.Evidence;
import dev.oncebox.Launched;
import dev.oncebox.TestHome;
import dev.oncebox.stub.Stub;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The power fails at random moments, and everything that was not flushed is gone. What the endpoint was sent, what was
 * delivered and what was dropped must still be known. {@code -Doncebox.proof.rounds} sets how often,
 * {@code -Doncebox.seed} repeats the choice of moments.
 */
class PowerLossProof {

    private static final int CONCURRENCY = 4;
    private static final int LINES = 20;
    private static final int SINGLES = 3;
    private static final String LEDGER = "data/ledger.db";

    @TempDir
    private Path folder;

    private final Random random = new Random(Figures.SEED);
    private final Map<String, String> dropped = new LinkedHashMap<>();
    private int items;
    private Stub stub;
    private Disk disk;
    private TestHome home;

    @BeforeEach
    void makeDisk() throws IOException {
        Volume.needImages(folder);
        stub = Stub.start(
                Stub.Options.defaults().withDelay(Duration.ofMillis(60)).withBodies());
        newDisk("first");
    }

    @AfterEach
    void takeAway() {
        if (disk != null) {
            disk.close();
            stub.close();
        }
    }

    private void newDisk(String name) throws IOException {
        Path scratch = Files.createDirectories(folder.resolve(name));
        disk = new Disk(scratch, folder.resolve("home"));
        home = new TestHome(folder.resolve("home"), stub, "engine.default.concurrency=" + CONCURRENCY);
        home.write("config/jobs/default/job.properties", "attempts=100\n");
        disk.settle();
    }

    @Test
    void after_power_cuts_every_send_is_known_every_delivered_answer_is_there_and_no_dropped_file_is_lost()
            throws IOException {
        int rounds = Figures.rounds(8);
        int deliveries = 0;
        for (int round = 1; round <= rounds; round++) {
            drop(round);
            // the last one late, when much has been delivered
            boolean early = round < rounds && random.nextInt(5) == 0;
            long enough = early ? 0 : round == rounds ? items - LINES : next();
            Acknowledged before = runAndCut(enough, List.of());
            deliveries = Math.max(deliveries, before.deliveries());
            assertThat(lost(before))
                    .as("round " + round + ", seed " + Figures.SEED)
                    .isEmpty();
        }
        try (Launched last = Launched.untilIdle(home)) {
            assertThat(last.exit()).as("seed " + Figures.SEED).isZero();
        }
        Balance.assertEnd(home, home.path(LEDGER), stub);
        assertThat(home.files("rejected")).isEmpty();
        for (int round = 1; round <= rounds; round++) {
            Evidence.assertAnswers(home.lines("outbox/b" + round + ".jsonl"), LINES, stub);
            for (int i = 1; i <= SINGLES; i++) {
                assertThat(home.read("outbox/s" + round + "-" + i + ".md"))
                        .matches("\\[call \\d+] Single " + i + " of round " + round + "\\.");
            }
        }
        long doubts = Balance.number(home.path(LEDGER), "SELECT count(*) FROM event WHERE kind = 'IN_DOUBT'");
        assertThat(home.files("outbox")).hasSize(rounds * (2 + SINGLES));
        assertThat(Evidence.accepted(stub)).hasSize(items);
        assertThat(stub.count()).as("seed " + Figures.SEED).isBetween((long) items, items + doubts);
        if (rounds > 4) {
            assertThat(deliveries).as("deliveries that a cut could have lost").isPositive();
        }
        Figures.say(
                "PowerLossProof: %d cuts survived, %d deliveries before the last one, %d calls in flight at them,"
                        + " %d sends for %d items, %d paid twice, 0 answers lost",
                rounds, deliveries, doubts, stub.count(), items, stub.count() - items);
    }

    /** The proof is worth something only if it fails where nothing is flushed. */
    @Test
    void without_fsync_the_same_cuts_lose_sends_so_that_this_proof_would_see_it() throws IOException {
        List<String> preloaded = List.of("LD_PRELOAD=" + Machine.library("libeatmydata.so"));
        int rounds = 2;
        int lost = 0;
        for (int round = 1; round <= rounds; round++) {
            dropped.clear();
            items = (int) stub.count();
            drop(-round);
            Acknowledged before = runAndCut(next(), preloaded);
            assertThat(Balance.unknownSends(home.path(LEDGER), stub))
                    .as("sends lost in round " + round + ", seed " + Figures.SEED)
                    .isNotEmpty();
            lost += lost(before).size();
            disk.close();
            newDisk("control-" + round);
        }
        Figures.say("PowerLossProof, control: without fsync %d cuts lost %d things, as they must", rounds, lost);
    }

    /** Dropped by somebody who flushes, long before the cut. */
    private void drop(int round) throws IOException {
        items += LINES;
        dropped.put("b" + round + ".jsonl", Evidence.batch(LINES, "Of round " + round + "."));
        for (int i = 1; i <= SINGLES; i++) {
            items++;
            dropped.put("s" + round + "-" + i + ".md", "Single " + i + " of round " + round + ".");
        }
        for (Map.Entry<String, String> file : dropped.entrySet()) {
            if (file.getKey().matches("[bs]" + round + "\\b.*")) {
                home.drop(file.getKey(), file.getValue());
                force(home.path("inbox/" + file.getKey()), StandardOpenOption.WRITE);
            }
        }
        force(home.path("inbox"), StandardOpenOption.READ);
    }

    private static void force(Path path, StandardOpenOption how) throws IOException {
        try (FileChannel channel = FileChannel.open(path, how)) {
            channel.force(true);
        }
    }

    private long next() {
        return Math.min(items, stub.count() + 1 + random.nextInt(2 * LINES));
    }

    /** Lets the runtime work until some moment, cuts the power, and gives it back. */
    private Acknowledged runAndCut(long enough, List<String> environment) throws IOException {
        try (Launched run = Launched.within(environment, home, "run")) {
            await().pollInterval(Duration.ofMillis(2)).until(() -> stub.count() >= enough || !run.isAlive());
            run.endsWithin(Duration.ofMillis(random.nextInt(enough == 0 ? 1200 : 120)));
            assertThat(run.kill()).as("it was alive until the cut").isTrue();
        }
        disk.cut();
        Acknowledged before = Acknowledged.in(home);
        disk.powerUp();
        return before;
    }

    private List<String> lost(Acknowledged before) throws IOException {
        List<String> lost = new ArrayList<>();
        // as long as nothing was sent there may be no ledger yet
        boolean sent = stub.count() > 0;
        if (sent) {
            lost.addAll(Balance.unknownSends(home.path(LEDGER), stub));
        }
        lost.addAll(before.lostAnswers());
        lost.addAll(before.lostFiles(dropped));
        if (sent && lost.isEmpty()) {
            lost.addAll(Balance.broken(home.path(LEDGER)));
            // more calls in flight than there are places would be answers that were recorded and are gone
            if (inFlight() > 2 * CONCURRENCY) {
                lost.add(inFlight() + " calls without an outcome");
            }
        }
        return lost;
    }

    private long inFlight() {
        return Balance.number(home.path(LEDGER), "SELECT count(*) FROM call WHERE state = 'SENT'");
    }
}
