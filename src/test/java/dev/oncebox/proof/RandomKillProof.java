package dev.oncebox.proof;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.oncebox.Launched;
import dev.oncebox.TestHome;
import dev.oncebox.cli.OnceboxCommand;
import dev.oncebox.proof.SeededDrops.Dropped;
import dev.oncebox.stub.Stub;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Files keep coming, and the process is killed and started again all the while: during its start, its recovery, its
 * work and its farewell. {@code -Doncebox.proof.seconds=N} sets for how long, {@code -Doncebox.seed=S} repeats the
 * drops and the times of the kills.
 */
class RandomKillProof {

    private static final long SECONDS = Long.getLong("oncebox.proof.seconds", 30);
    private static final int CONCURRENCY = 4;
    private static final Set<String> RESENDING = Set.of("default");
    private static final int DECISIONS = 10;

    @TempDir
    private Path folder;

    private final Random random = new Random(Figures.SEED + 1);
    private final SeededDrops drops = new SeededDrops(Figures.SEED);
    private final CountDownLatch over = new CountDownLatch(1);
    private int kills;
    private int starts;

    @Test
    void whenever_it_is_killed_everything_that_was_dropped_comes_to_its_end_as_its_policy_allows() throws Exception {
        var options = Stub.Options.defaults()
                .withDelay(Duration.ofMillis(40))
                .withScript("echo always")
                .withLogLimit(Integer.MAX_VALUE);
        try (Stub stub = Stub.start(options)) {
            TestHome home = home(stub);
            Path ledger = home.path("data/ledger.db");
            long end = System.nanoTime() + Duration.ofSeconds(SECONDS).toNanos();
            CompletableFuture<Void> dropping = CompletableFuture.runAsync(() -> dropUntilOver(home));
            try {
                while (System.nanoTime() < end) {
                    startAndKill(home);
                }
            } finally {
                over.countDown();
                dropping.join();
            }
            try (Launched last = Launched.untilIdle(home)) {
                assertThat(last.exitWithin(Duration.ofMinutes(5))).as(seed()).isIn(0, 4);
            }
            long held = Balance.number(ledger, "SELECT count(*) FROM call WHERE state = 'DOUBT'");
            aPersonSendsWhatIsInDoubtAgain(home, ledger);

            SendRules rules = SendRules.of(ledger, RESENDING);
            Figures.say(
                    "RandomKillProof: %d starts and %d kills in %d s, %d drops, %d calls, %d sends, the endpoint counted"
                            + " %d, %d under way at kills, %d doubts for a person, %d answers",
                    starts,
                    kills,
                    SECONDS,
                    drops.drops(),
                    Balance.number(ledger, "SELECT count(*) FROM call"),
                    rules.sends(),
                    stub.count(),
                    rules.lost(),
                    held,
                    Balance.number(ledger, "SELECT count(*) FROM answer"));
            assertThat(rules.broken(ledger)).as(seed()).isEmpty();
            assertThat(rules.contradictions(stub)).as(seed()).isEmpty();
            assertThat(Balance.broken(ledger)).as(seed()).isEmpty();
            assertThat(rules.lost()).as(seed()).isLessThanOrEqualTo(kills * 2 * CONCURRENCY);
            assertLedgerIsAtItsEnd(ledger);
            assertFiles(home);
            assertThat(kills).as("kills of a living process").isPositive();
        }
    }

    /** Two engines, and each is the other one's fallback. */
    private TestHome home(Stub stub) {
        var home = new TestHome(
                folder,
                stub,
                "engine.default.concurrency=" + CONCURRENCY,
                "engine.default.on-doubt=resend",
                "engine.careful.url=" + stub.uri("/v1"),
                "engine.careful.model=test",
                "engine.careful.concurrency=" + CONCURRENCY,
                "engine.careful.on-doubt=hold");
        home.write("config/jobs/default/job.properties", "engines=default, careful\nattempts=1000\n");
        home.write("config/jobs/careful/job.properties", "engines=careful, default\nmodel=test\nattempts=1000\n");
        return home;
    }

    private static String seed() {
        return "seed " + Figures.SEED;
    }

    private void dropUntilOver(TestHome home) {
        try {
            boolean more = true;
            while (more) {
                more = !over.await(drops.dropInto(home), TimeUnit.MILLISECONDS);
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private void startAndKill(TestHome home) {
        int where = random.nextInt(10);
        int atStart = random.nextInt(1200);
        int atWork = 1200 + random.nextInt(2800);
        int atEnd = random.nextInt(250);
        starts++;
        try (Launched run = Launched.quickly(home, "", "run")) {
            run.endsWithin(Duration.ofMillis(where < 4 ? atStart : atWork));
            if (where > 7) {
                run.signal("TERM");
                run.endsWithin(Duration.ofMillis(atEnd));
            }
            kills += run.kill() ? 1 : 0;
        }
    }

    private static void aPersonSendsWhatIsInDoubtAgain(TestHome home, Path ledger) {
        for (int i = 0; i < DECISIONS && !inDoubt(ledger).isEmpty(); i++) {
            for (String key : inDoubt(ledger)) {
                assertThat(OnceboxCommand.run(
                                "doubt", "resend", key, "--home", home.root().toString()))
                        .isZero();
            }
            assertThat(home.runUntilIdle()).isIn(0, 4);
        }
    }

    private static List<String> inDoubt(Path ledger) {
        List<String> keys = new ArrayList<>();
        try (Connection connection = Balance.open(ledger);
                ResultSet rows = connection
                        .createStatement()
                        .executeQuery("SELECT lower(hex(key)) FROM call WHERE state = 'DOUBT'")) {
            while (rows.next()) {
                keys.add(rows.getString(1));
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        return keys;
    }

    private void assertLedgerIsAtItsEnd(Path ledger) {
        Collection<Dropped> files = drops.files().values();
        assertThat(Balance.number(ledger, "SELECT count(*) FROM call WHERE state NOT IN ('DONE', 'DEAD')"))
                .as("calls without an end, " + seed())
                .isZero();
        assertThat(Balance.number(ledger, "SELECT count(*) FROM call WHERE state = 'DEAD'"))
                .as("dead letters, " + seed())
                .isEqualTo(files.stream()
                        .flatMap(file -> file.prompts().stream())
                        .filter(SeededDrops::isFatal)
                        .count());
        assertThat(Balance.number(ledger, "SELECT count(*) FROM file WHERE state <> 'DELIVERED' OR archived = 0"))
                .as("files not delivered and archived, " + seed())
                .isZero();
    }

    private void assertFiles(TestHome home) throws IOException {
        Set<String> outbox = new TreeSet<>();
        Set<String> archive = new TreeSet<>();
        Set<String> rejected = new TreeSet<>();
        for (Dropped file : drops.files().values()) {
            if (file.prompts().isEmpty()) {
                rejected.addAll(List.of(file.path(), file.path() + ".error.json"));
            } else {
                archive.add(file.path());
                outbox.addAll(file.isBatch() ? assertBatch(home, file) : assertSingle(home, file));
            }
        }
        assertThat(home.files("inbox")).as(seed()).isEmpty();
        assertThat(new TreeSet<>(home.files("outbox"))).as(seed()).isEqualTo(outbox);
        assertThat(new TreeSet<>(home.files("archive"))).as(seed()).isEqualTo(archive);
        assertThat(new TreeSet<>(home.exists("rejected") ? home.files("rejected") : List.of()))
                .as(seed())
                .isEqualTo(rejected);
    }

    private static Set<String> assertSingle(TestHome home, Dropped file) {
        if (file.hasFatal()) {
            return Set.of(file.path() + ".error.json");
        }
        assertThat(asAsked(home.read("outbox/" + file.path()))).as(file.path()).isEqualTo(asAsked(file.content()));
        return Set.of(file.path());
    }

    /** Each id once and in order in one of the two files, and an answer is the item's own text. */
    private static Set<String> assertBatch(TestHome home, Dropped file) {
        String errors = file.path().replace(".jsonl", ".errors.jsonl");
        var ends = new TreeMap<Integer, String>();
        for (String output : file.hasFatal() ? List.of(file.path(), errors) : List.of(file.path())) {
            int before = 0;
            for (JsonNode line : home.lines("outbox/" + output)) {
                int n = Integer.parseInt(line.path("id").asText().substring(1));
                assertThat(n).as(output).isGreaterThan(before);
                before = n;
                String end = output.equals(errors)
                        ? "error"
                        : asAsked(line.path("answer").asText());
                assertThat(ends.put(n, end)).as(output).isNull();
            }
        }
        assertThat(new ArrayList<>(ends.values()))
                .as(file.path())
                .isEqualTo(file.prompts().stream()
                        .map(prompt -> SeededDrops.isFatal(prompt) ? "error" : asAsked(prompt))
                        .toList());
        Set<String> files = new TreeSet<>(Set.of(file.path(), file.path() + ".receipt.json"));
        if (file.hasFatal()) {
            files.add(errors);
        }
        return files;
    }

    /** A prompt that differs from an earlier one in white space alone gets that one's answer. */
    private static String asAsked(String text) {
        return text.replaceAll("\\s+", " ").strip();
    }
}
