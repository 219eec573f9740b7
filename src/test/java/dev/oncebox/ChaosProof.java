package dev.oncebox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.oncebox.proof.Figures;
import dev.oncebox.stub.Stub;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Everything at once: an endpoint that fails in every way, two engines, and kills. {@code -Doncebox.it.chaos} sets how
 * many items, {@code -Doncebox.seed} repeats a run's troubles.
 */
class ChaosProof {

    private static final int ITEMS = Integer.getInteger("oncebox.it.chaos", 5000);
    private static final int KILLS = 3;
    private static final int CONCURRENCY = 32;
    private static final int SELDOM = 20;

    /** What ends a call, or sends it to the other engine, beside what only delays it. */
    private static final List<String> RARE = Stream.concat(
                    RandomTroubles.FINAL.stream(), Stream.of("401", "429 insufficient_quota", "302", "hang"))
            .toList();

    @TempDir
    private Path folder;

    private final long seed = Figures.SEED;
    private final Random random = new Random(seed);
    private final List<String> texts = new ArrayList<>();

    /** What the journal says of one key. */
    private record Sends(int sent, int neverLeft, int lostToKills) {

        static final Sends NONE = new Sends(0, 0, 0);

        Sends plus(Sends other) {
            return new Sends(sent + other.sent, neverLeft + other.neverLeft, lostToKills + other.lostToKills);
        }
    }

    @Test
    void whatever_happens_every_item_has_one_end_and_the_journal_knows_of_every_post() throws Exception {
        try (Stub stub = Stub.start(Stub.Options.defaults().withBodies().withLogLimit(ITEMS * 20))) {
            TestHome home = home(stub);
            long begin = System.nanoTime();
            int hit = 0;
            for (int kill = 1; kill <= KILLS; kill++) {
                long enough = ITEMS * (kill - 1L) / KILLS + random.nextInt(ITEMS / KILLS);
                hit += runAndKill(home, stub, enough) ? 1 : 0;
            }
            try (Launched last = Launched.untilIdle(home)) {
                assertThat(last.exitWithin(Duration.ofMinutes(5)))
                        .as("seed " + seed)
                        .isIn(0, 4);
            }
            double seconds = (System.nanoTime() - begin) / 1e9;

            List<JsonNode> answers = home.lines("outbox/x.jsonl");
            List<JsonNode> errors =
                    home.exists("outbox/x.errors.jsonl") ? home.lines("outbox/x.errors.jsonl") : List.of();
            List<JsonNode> journal = home.journal("x.jsonl");
            Map<String, Sends> sends = sends(journal);
            Figures.say(
                    "ChaosProof: %d items, %d answered, %d failed, %d POSTs, %s, %d kills, %.1f s",
                    ITEMS,
                    answers.size(),
                    errors.size(),
                    stub.count(),
                    sends.values().stream().reduce(Sends.NONE, Sends::plus),
                    hit,
                    seconds);
            assertThat(hit).isEqualTo(KILLS);
            assertEnds(answers, errors);
            assertPosts(stub, sends);
            assertThat(Evidence.count(journal, "FALLBACK"))
                    .as("some went on at the other engine")
                    .isNotEmpty();
            assertThat(home.status().path("calls").path("sent").asInt()).isZero();
            assertThat(home.status().path("calls").path("doubt").asInt()).isZero();
        }
    }

    private TestHome home(Stub stub) {
        var home = new TestHome(
                folder,
                stub,
                "engine.default.url=" + stub.uri("/default/v1"),
                "engine.default.concurrency=" + CONCURRENCY,
                "engine.default.timeout=2s",
                "engine.second.url=" + stub.uri("/second/v1"),
                "engine.second.model=test",
                "engine.second.concurrency=" + CONCURRENCY,
                "engine.second.timeout=2s",
                "retry.delay=10ms",
                "retry.max-delay=50ms");
        home.write("config/jobs/default/job.properties", "engines=default, second\nattempts=100\n");
        var batch = new StringBuilder();
        for (int n = 1; n <= ITEMS; n++) {
            String text = RandomTroubles.text(n, random, RARE, SELDOM);
            texts.add(text);
            batch.append(RandomTroubles.item(n, text));
        }
        home.drop("x.jsonl", batch.toString());
        return home;
    }

    private boolean runAndKill(TestHome home, Stub stub, long enough) {
        try (Launched run = Launched.untilIdle(home)) {
            await().atMost(Duration.ofMinutes(2))
                    .pollInterval(Duration.ofMillis(3))
                    .until(() -> stub.count() > enough || !run.isAlive());
            run.endsWithin(Duration.ofMillis(random.nextInt(200)));
            return run.kill();
        }
    }

    /** Each id once, in order, in one of the two files; and an answer is the item's own text. */
    private void assertEnds(List<JsonNode> answers, List<JsonNode> errors) {
        Map<Integer, JsonNode> ends = new TreeMap<>();
        for (List<JsonNode> lines : List.of(answers, errors)) {
            int before = 0;
            for (JsonNode line : lines) {
                int n = Integer.parseInt(line.path("id").asText().substring(1));
                assertThat(n).as("input order, seed " + seed).isGreaterThan(before);
                assertThat(ends.put(n, line)).as("i" + n + ", seed " + seed).isNull();
                before = n;
            }
        }
        assertThat(ends).as("seed " + seed).hasSize(ITEMS);
        for (JsonNode answer : answers) {
            int n = Integer.parseInt(answer.path("id").asText().substring(1));
            assertThat(answer.path("answer").asText()).as("seed " + seed).isEqualTo(texts.get(n - 1));
        }
        assertThat(answers.size()).isGreaterThan(errors.size());
        assertThat(ends.values()).extracting(line -> line.path("key").asText()).doesNotHaveDuplicates();
    }

    private static Map<String, Sends> sends(List<JsonNode> journal) {
        Predicate<JsonNode> neverLeft = event -> event.path("detail").asText().contains("Nothing was sent");
        Predicate<JsonNode> lost = event -> event.path("detail").asText().startsWith("process_ended");
        Map<String, Sends> sends = new HashMap<>();
        for (JsonNode event : journal) {
            Sends more =
                    switch (event.path("event").asText()) {
                        case "SENT" -> new Sends(1, 0, 0);
                        case "REFUSED" -> new Sends(0, neverLeft.test(event) ? 1 : 0, 0);
                        case "IN_DOUBT" -> new Sends(0, 0, lost.test(event) ? 1 : 0);
                        default -> Sends.NONE;
                    };
            sends.merge(event.path("key").asText(), more, Sends::plus);
        }
        return sends;
    }

    /** What the journal says was sent is what the endpoint has seen; a kill may have come before a send left. */
    private void assertPosts(Stub stub, Map<String, Sends> sends) {
        Map<String, Integer> accepted = Evidence.accepted(stub);
        assertThat(sends.keySet()).containsAll(accepted.keySet());
        sends.forEach((key, told) -> {
            int most = told.sent() - told.neverLeft();
            assertThat(accepted.getOrDefault(key, 0))
                    .as(key + " " + told + ", seed " + seed)
                    .isBetween(most - told.lostToKills(), most);
        });
        Sends all = sends.values().stream().reduce(Sends.NONE, Sends::plus);
        assertThat(all.lostToKills()).isLessThanOrEqualTo(KILLS * 2 * CONCURRENCY);
    }
}
