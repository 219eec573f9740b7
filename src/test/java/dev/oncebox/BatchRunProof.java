package dev.oncebox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.oncebox.proof.Figures;
import dev.oncebox.stub.Stub;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Ten thousand calls in provider batches of a thousand, by a process that is killed three times. */
class BatchRunProof {

    private static final int CALLS = 10_000;
    private static final int KILLS = 3;
    private static final String MEMORY = "-Xmx256m";

    private final Random random = new Random(Figures.SEED);

    @TempDir
    private Path folder;

    @Test
    void ten_thousand_calls_are_submitted_and_paid_once_each() throws IOException {
        long start = System.nanoTime();
        try (Stub stub = Stub.start(Stub.Options.defaults().withScript("batch-ready=700ms always"))) {
            var home = new TestHome(
                    folder,
                    stub,
                    "engine.default.protocol=openai-batch",
                    "engine.default.poll=200ms",
                    "engine.default.lost-after=2s",
                    "engine.default.batch.calls=1000",
                    "engine.default.batch.wait=300ms",
                    "engine.default.price.input=2",
                    "engine.default.price.output=8");
            home.drop("x.jsonl", Evidence.batch(CALLS));
            for (int i = 0; i < KILLS; i++) {
                int more = Math.min(CALLS, stub.submissions().size() + 500 + random.nextInt(2500));
                try (Launched dying = Launched.quickly(home, MEMORY, "run", "--until-idle")) {
                    await().pollInterval(Duration.ofMillis(5))
                            .until(() -> stub.submissions().size() >= more || !dying.isAlive());
                    dying.endsWithin(Duration.ofMillis(random.nextInt(1000)));
                    assertThat(dying.kill())
                            .as("it was alive, seed " + Figures.SEED)
                            .isTrue();
                }
            }
            long peak;
            try (Launched last = Launched.quickly(home, MEMORY, "run", "--until-idle")) {
                peak = last.peakMegabytes(Duration.ofSeconds(90));
                assertThat(last.exit()).as("seed " + Figures.SEED).isZero();
            }
            assertPaidOnce(home, stub);
            Figures.say(
                    "BatchRunProof: %d calls in %d batches, %d kills, %d s, at most %d MB at " + MEMORY,
                    CALLS,
                    StubbedHome.number(home, "SELECT count(*) FROM batch WHERE remote IS NOT NULL"),
                    KILLS,
                    TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - start),
                    peak);
        }
    }

    private static void assertPaidOnce(TestHome home, Stub stub) {
        assertThat(stub.submissions()).hasSize(CALLS);
        assertThat(stub.submissions().values()).containsOnly(1);
        assertThat(stub.charged()).isEqualTo(stub.submissions());
        Set<String> keys = new HashSet<>();
        BigDecimal cost = BigDecimal.ZERO;
        List<JsonNode> lines = home.lines("outbox/x.jsonl");
        for (int i = 0; i < lines.size(); i++) {
            JsonNode line = lines.get(i);
            assertThat(line.path("id").asText()).isEqualTo("i" + (i + 1));
            assertThat(line.path("answer").asText()).contains("Question " + (i + 1) + ".");
            keys.add(line.path("key").asText());
            cost = cost.add(line.at("/usage/prompt_tokens").decimalValue())
                    .add(line.at("/usage/completion_tokens").decimalValue().multiply(new BigDecimal(4)));
        }
        assertThat(keys).isEqualTo(stub.submissions().keySet());
        assertThat(home.status().path("cost").decimalValue())
                .as("2 and 8 for a million, at half the price")
                .isEqualByComparingTo(cost.movePointLeft(6));
        assertThat(StubbedHome.number(home, "SELECT count(*) FROM batch WHERE state <> 'ENDED'"))
                .isZero();
    }
}
