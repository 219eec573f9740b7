package dev.oncebox.proof;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oncebox.Launched;
import dev.oncebox.TestHome;
import dev.oncebox.stub.Stub;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import java.util.Set;
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
            Ends.aPersonSendsWhatIsInDoubtAgain(home, Balance.address(ledger));

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
            Ends.assertLedger(Balance.address(ledger), drops.files().values());
            Ends.assertFiles(home, drops.files().values());
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
}
