package dev.oncebox;

import static dev.oncebox.Evidence.accepted;
import static dev.oncebox.Evidence.count;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.oncebox.proof.Figures;
import dev.oncebox.stub.Stub;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** kill -9 at random moments, again and again; {@code -Doncebox.seed} repeats a run's choice of moments. */
class KillProof {

    private static final int ITEMS = 40;
    private static final int CONCURRENCY = 4;
    private static final Duration ENDPOINT_DELAY = Duration.ofMillis(150);

    @TempDir
    private Path folder;

    private final long seed = Figures.SEED;
    private final Random random = new Random(seed);
    private Stub stub;

    /** Kills of a living process, and sends that were in flight at one of them. */
    private record Kills(int hit, long inFlight) {}

    @BeforeEach
    void start() throws IOException {
        stub = Stub.start(Stub.Options.defaults().withDelay(ENDPOINT_DELAY).withBodies());
    }

    @AfterEach
    void stop() {
        stub.close();
    }

    private TestHome home(String onDoubt) {
        var home = new TestHome(
                folder, stub, "engine.default.concurrency=" + CONCURRENCY, "engine.default.on-doubt=" + onDoubt);
        home.write("config/jobs/default/job.properties", "attempts=100\n");
        home.drop("x.jsonl", Evidence.batch(ITEMS));
        return home;
    }

    @Test
    void after_twenty_kills_every_item_is_answered_once_and_only_calls_in_flight_were_sent_again() {
        TestHome home = home("resend");
        Kills kills = killAgainAndAgain(home, 20);
        try (Launched last = Launched.untilIdle(home)) {
            assertThat(last.exit()).as("seed " + seed).isZero();
        }
        List<JsonNode> journal = home.journal("x.jsonl");
        report("resend", kills, journal);

        Evidence.assertAnswers(home.lines("outbox/x.jsonl"), ITEMS, stub);
        assertThat(home.files("outbox")).containsExactly("x.jsonl", "x.jsonl.receipt.json");
        assertThat(home.files("archive")).containsExactly("x.jsonl");
        assertThat(home.files("inbox")).isEmpty();
        assertThat(accepted(stub)).as("seed " + seed).hasSize(ITEMS);
        assertThat(stub.count()).as("seed " + seed).isLessThanOrEqualTo(ITEMS + kills.inFlight());
        Evidence.assertJournalCovers(stub, journal);
        assertThat(count(journal, "COMPLETE").values()).hasSize(ITEMS).containsOnly(1);
        assertThat(count(journal, "IN_DOUBT").values().stream()
                        .mapToLong(i -> i)
                        .sum())
                .as("doubts, seed " + seed)
                .isEqualTo(kills.inFlight());
    }

    @Test
    void with_on_doubt_hold_nothing_is_ever_sent_twice_and_the_rest_waits_for_a_person() {
        TestHome home = home("hold");
        Kills kills = killAgainAndAgain(home, 8);
        try (Launched last = Launched.untilIdle(home)) {
            assertThat(last.exit()).as("seed " + seed).isEqualTo(kills.inFlight() > 0 ? 4 : 0);
        }
        List<JsonNode> journal = home.journal("x.jsonl");
        report("hold", kills, journal);

        assertThat(accepted(stub).values()).as("seed " + seed).containsOnly(1);
        JsonNode calls = home.status().path("calls");
        assertThat(calls.path("doubt").asLong()).as("seed " + seed).isEqualTo(kills.inFlight());
        assertThat(calls.path("done").asLong()).isEqualTo(ITEMS - kills.inFlight());
        assertThat(calls.path("dead").asLong()).isZero();
        assertThat(count(journal, "SENT").values()).hasSize(ITEMS).containsOnly(1);
        assertThat(home.files("outbox")).hasSize(kills.inFlight() > 0 ? 0 : 2);
    }

    /** Starts and kills: before the first send, in the middle of calls, between them, and late. */
    private Kills killAgainAndAgain(TestHome home, int times) {
        int hit = 0;
        Set<String> inFlight = new HashSet<>();
        for (int i = 0; i < times; i++) {
            try (Launched run = Launched.untilIdle(home)) {
                if (i < 3 || random.nextInt(6) == 0) {
                    run.endsWithin(Duration.ofMillis(random.nextInt(1200)));
                } else {
                    long enough = stub.count() + 1 + random.nextInt(7);
                    await().pollInterval(Duration.ofMillis(2)).until(() -> stub.count() >= enough || !run.isAlive());
                    run.endsWithin(Duration.ofMillis(random.nextInt(170)));
                }
                hit += run.kill() ? 1 : 0;
            }
            inFlight.addAll(openSends(home));
        }
        return new Kills(hit, inFlight.size());
    }

    /** The sends without an outcome, each named by its key and number; a process killed at its start leaves them. */
    private static Set<String> openSends(TestHome home) {
        List<JsonNode> journal = home.journal("x.jsonl");
        Map<String, Integer> sent = count(journal, "SENT");
        Map<String, String> last = new HashMap<>();
        journal.forEach(event ->
                last.put(event.path("key").asText(), event.path("event").asText()));
        Set<String> open = new HashSet<>();
        last.forEach((key, event) -> {
            if (event.equals("SENT")) {
                open.add(key + "#" + sent.get(key));
            }
        });
        return open;
    }

    private void report(String policy, Kills kills, List<JsonNode> journal) {
        Figures.say(
                "KillProof %s: %d kills, %d calls in flight at them, %d accepted for %d items, %d SENT",
                policy,
                kills.hit(),
                kills.inFlight(),
                stub.count(),
                ITEMS,
                count(journal, "SENT").values().stream().mapToInt(i -> i).sum());
    }
}
