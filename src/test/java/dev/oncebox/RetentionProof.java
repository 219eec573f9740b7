package dev.oncebox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.oncebox.proof.Figures;
import dev.oncebox.stub.Stub;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Base64;
import java.util.HashSet;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A purge that is killed again and again; and beside a runtime at full load a purge and backups, one of which is put in
 * the ledger's place.
 */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RetentionProof {

    private static final int ITEMS = 1500;
    private static final int KILLS = 3;
    private static final int BACKUPS = 3;
    private static final String PURGED = "SELECT count(*) FROM call WHERE code = 'answer_purged'";
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    @TempDir
    private Path folder;

    private final Random random = new Random(Figures.SEED);
    private Stub stub;

    @BeforeEach
    void start() throws IOException {
        stub = Stub.start(Stub.Options.defaults().withDelay(Duration.ofMillis(20)));
    }

    @AfterEach
    void stop() {
        stub.close();
    }

    private TestHome home(int items) {
        var home = new TestHome(folder, stub, "engine.default.concurrency=32", "engine.default.on-doubt=hold");
        home.drop("x.jsonl", batch(items));
        return home;
    }

    /** Texts that cannot be packed. */
    private String batch(int items) {
        var lines = new StringBuilder();
        byte[] noise = new byte[4500];
        for (int n = 1; n <= items; n++) {
            random.nextBytes(noise);
            lines.append("{\"text\":\"" + Base64.getEncoder().encodeToString(noise) + "\"}\n");
        }
        return lines.toString();
    }

    private static long number(Path ledger, String query) {
        try (var connection = DriverManager.getConnection("jdbc:sqlite:" + ledger);
                var statement = connection.createStatement();
                var rows = statement.executeQuery(query)) {
            return rows.getLong(1);
        } catch (SQLException e) {
            throw new IllegalStateException(query, e);
        }
    }

    private static Launched purge(TestHome home) {
        return Launched.quickly(home, "", "purge", "--older-than", "0s");
    }

    @Test
    void a_purge_that_is_killed_leaves_every_call_whole_or_purged_and_the_sums_as_they_were() throws IOException {
        TestHome home = home(ITEMS);
        try (Launched run = Launched.untilIdle(home)) {
            assertThat(run.exitWithin(PATIENCE.multipliedBy(2))).isZero();
        }
        Path ledger = home.path("data/ledger.db");
        JsonNode before = home.status();
        long size = Files.size(ledger);
        int hit = 0;
        for (int i = 0; i < KILLS; i++) {
            long requests = number(ledger, "SELECT count(*) FROM request");
            try (Launched purge = purge(home)) {
                await().atMost(PATIENCE)
                        .pollInterval(Duration.ofMillis(2))
                        .until(() -> !purge.isAlive() || number(ledger, "SELECT count(*) FROM request") < requests);
                hit += purge.kill() ? 1 : 0;
            }
            assertThat(home.status()).isEqualTo(before);
            assertThat(number(ledger, "SELECT count(*) FROM request"))
                    .as("whole or purged, seed " + Figures.SEED)
                    .isEqualTo(number(ledger, "SELECT count(*) FROM answer"))
                    .isEqualTo(number(ledger, "SELECT count(*) FROM reply"))
                    .isEqualTo(ITEMS - number(ledger, PURGED));
        }
        assertThat(hit).as("kills of a living purge").isPositive();
        try (Launched purge = purge(home)) {
            assertThat(purge.exit()).isZero();
        }
        assertThat(home.status()).isEqualTo(before);
        assertThat(number(ledger, "SELECT count(*) FROM request")).isZero();
        long left = Files.size(ledger);
        assertThat(left).isLessThan(size / 3);

        home.drop("y.jsonl", Files.readAllBytes(home.path("archive/x.jsonl")));
        try (Launched run = Launched.untilIdle(home)) {
            assertThat(run.exitWithin(PATIENCE.multipliedBy(2))).isEqualTo(4);
        }
        assertThat(stub.count()).isEqualTo(ITEMS);
        assertThat(home.lines("outbox/y.errors.jsonl"))
                .hasSize(ITEMS)
                .allSatisfy(line -> assertThat(line.at("/error/code").asText()).isEqualTo("answer_purged"));
        Figures.say(
                "RetentionProof purge: %d calls, %d kills in the middle, ledger %d KB before, %d KB after",
                ITEMS, hit, size / 1024, left / 1024);
    }

    @Test
    void beside_a_runtime_at_full_load_a_purge_drops_and_a_backup_copies_and_no_send_is_stopped() throws IOException {
        TestHome home = home(300);
        Path ledger = home.path("data/ledger.db");
        long during = 0;
        try (Launched run = Launched.quickly(home, "", "run")) {
            await().atMost(PATIENCE)
                    .until(() -> home.status().at("/files/delivered").asInt() == 1);
            home.drop("y.jsonl", batch(4 * ITEMS));
            await().atMost(PATIENCE).until(() -> stub.count() > 400);
            try (Launched purge = purge(home)) {
                assertThat(purge.exit()).isZero();
            }
            assertThat(number(ledger, PURGED)).isEqualTo(300);
            for (int i = 1; i <= BACKUPS; i++) {
                long counted = stub.count();
                Path copy = folder.resolve("copy" + i + ".db");
                try (Launched backup = Launched.quickly(home, "", "backup", copy.toString())) {
                    assertThat(backup.exit()).isZero();
                }
                during += stub.count() - counted;
                assertThat(number(copy, "SELECT sum(sends) FROM call"))
                        .as("every send that was counted before it began")
                        .isGreaterThanOrEqualTo(counted);
            }
            assertThat(during).as("sends during backups").isPositive();
            assertThat(run.kill()).isTrue();
        }
        Map<String, Integer> paid = Evidence.accepted(stub);
        assertThat(paid.values()).containsOnly(1);
        Path copy = folder.resolve("copy2.db");
        boolean waits = number(copy, "SELECT count(*) FROM call WHERE state NOT IN ('DONE', 'DEAD')") > 0;
        Set<String> known = keys(copy);
        for (String name : new String[] {"ledger.db-wal", "ledger.db-shm"}) {
            Files.deleteIfExists(ledger.resolveSibling(name));
        }
        Files.move(copy, ledger, StandardCopyOption.REPLACE_EXISTING);
        home.drop("new.md", "new");

        try (Launched run = Launched.untilIdle(home)) {
            assertThat(run.exitWithin(PATIENCE)).isEqualTo(waits ? 4 : 0);
        }

        assertThat(home.read("outbox/new.md")).isNotEmpty();
        Map<String, Integer> afterwards = Evidence.accepted(stub);
        afterwards.keySet().retainAll(known);
        paid.keySet().retainAll(known);
        assertThat(afterwards)
                .as("of what the backup knew nothing was paid, seed " + Figures.SEED)
                .isEqualTo(paid);
        Figures.say(
                "RetentionProof backup: %d sends during %d backups, %d of %d known calls paid at the kill, %d held, paid"
                        + " again 0",
                during,
                BACKUPS,
                paid.size(),
                known.size(),
                home.status().at("/calls/doubt").asLong());
    }

    private static Set<String> keys(Path ledger) {
        try (var connection = DriverManager.getConnection("jdbc:sqlite:" + ledger);
                var statement = connection.createStatement();
                var rows = statement.executeQuery("SELECT lower(hex(key)) FROM call")) {
            Set<String> keys = new HashSet<>();
            while (rows.next()) {
                keys.add(rows.getString(1));
            }
            return keys;
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
