package dev.oncebox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.oncebox.stub.Stub;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A ledger that vanishes under a worker, and a worker that finds another one on its ledger. */
@Execution(ExecutionMode.CONCURRENT)
class LedgerLossProof {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int ITEMS = 40;

    @TempDir
    private Path folder;

    private Stub stub;
    private TestHome home;

    @BeforeEach
    void start() throws IOException {
        stub = Stub.start(
                Stub.Options.defaults().withDelay(Duration.ofMillis(200)).withBodies());
        home = new TestHome(folder, stub, "engine.default.concurrency=2");
        home.drop("x.jsonl", Evidence.batch(ITEMS));
    }

    @AfterEach
    void stop() {
        stub.close();
    }

    private void waitForCount(long count) {
        await().pollInterval(Duration.ofMillis(10)).until(() -> stub.count() >= count);
    }

    @Test
    void a_worker_whose_ledger_is_deleted_ends_and_sends_nothing_more() throws IOException {
        try (Launched run = Launched.quickly(home, "", "run")) {
            waitForCount(6);
            Files.delete(home.path("data/ledger.db"));
            long atLoss = stub.count();

            assertThat(run.exitWithin(Duration.ofSeconds(60))).isEqualTo(1);
            // one look a second, two calls at once of a fifth of a second each
            assertThat(stub.count() - atLoss).isLessThanOrEqualTo(20);
        }
        assertThat(home.read("run.log")).contains("oncebox: The ledger ", " was deleted while Oncebox was running.");
        assertThat(stub.count()).isLessThan(ITEMS);
        assertThat(home.exists("data/ledger.db")).isFalse();
    }

    @Test
    void a_reply_that_comes_long_after_the_ledger_was_lost_is_kept_beside_it() throws IOException {
        Files.delete(home.path("inbox/x.jsonl"));
        home.drop("slow.jsonl", Evidence.batch(2, "[[stub: delay=60s]]"));
        try (Launched run = Launched.quickly(home, "", "run")) {
            waitForCount(2);
            Files.delete(home.path("data/ledger.db"));
            await().until(() -> home.read("run.log").contains("was deleted while Oncebox was running"));
            stub.release();
            assertThat(run.exitWithin(Duration.ofSeconds(60))).isEqualTo(1);
        }
        assertThat(home.exists("data/rescued.jsonl")).as(home.read("run.log")).isTrue();
        assertThat(home.lines("data/rescued.jsonl"))
                .extracting(line -> line.path("key").asText())
                .containsExactlyInAnyOrderElementsOf(Evidence.accepted(stub).keySet());
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void a_worker_whose_ledger_is_replaced_ends_and_once_it_is_put_back_nothing_known_is_paid_again(boolean byCopy)
            throws IOException {
        Path ledger = home.path("data/ledger.db");
        Path aside = home.path("data/aside.db");
        try (Launched run = Launched.quickly(home, "", "run")) {
            waitForCount(6);
            Files.move(ledger, aside);
            Files.write(ledger, byCopy ? Files.readAllBytes(aside) : new byte[0]);
            assertThat(run.exitWithin(Duration.ofSeconds(60))).isEqualTo(1);
        }
        assertThat(home.read("run.log")).contains("oncebox: The ledger ", " was replaced by another file");

        Files.move(aside, ledger, StandardCopyOption.REPLACE_EXISTING);
        List<JsonNode> journal = home.journal("x.jsonl");
        Evidence.assertJournalCovers(stub, journal);
        Set<String> kept = new HashSet<>(Evidence.count(journal, "COMPLETE").keySet());
        if (home.exists("data/rescued.jsonl")) {
            home.lines("data/rescued.jsonl")
                    .forEach(line -> kept.add(line.path("key").asText()));
        }
        assertThat(kept).as("paid and kept").containsAll(Evidence.accepted(stub).keySet());

        long before = stub.count();
        try (Launched next = Launched.untilIdle(home)) {
            assertThat(next.exit()).isZero();
        }
        assertThat(stub.count()).isEqualTo(before + ITEMS - kept.size());
        Evidence.assertAnswers(home.lines("outbox/x.jsonl"), ITEMS, stub);
        Evidence.assertJournalCovers(stub, home.journal("x.jsonl"));
    }

    @Test
    void beside_a_worker_a_second_one_is_refused_and_status_is_told() throws IOException {
        String oncebox = System.getProperty("oncebox.dist") + "/bin/oncebox";
        try (Launched run = Launched.quickly(home, "", "run")) {
            waitForCount(2);

            ShellCommand.Result second =
                    ShellCommand.of(oncebox, "run", "--home", folder.toString()).run();
            assertThat(second.exit()).isEqualTo(1);
            assertThat(second.err()).contains("is in use by process " + run.pid() + " on ");

            ShellCommand.Result status = ShellCommand.of(oncebox, "status", "--json", "--home", folder.toString())
                    .run();
            assertThat(status.exit()).isZero();
            JsonNode json = JSON.readTree(status.out());
            assertThat(json.path("nodes").path(0).path("pid").asLong()).isEqualTo(run.pid());
            assertThat(json.path("items").path("total").asInt()).isEqualTo(ITEMS);
            assertThat(json.path("sent").asInt()).isPositive();
            assertThat(run.isAlive()).isTrue();
            assertThat(Evidence.accepted(stub).values()).containsOnly(1);
        }
    }
}
