package dev.oncebox.proof;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.oncebox.Launched;
import dev.oncebox.TestHome;
import dev.oncebox.stub.Stub;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Three nodes with one inbox, one outbox and one ledger in PostgreSQL. Nodes are killed, and paused for longer than
 * their lease; the database crashes and is cut off for a while. {@code -Doncebox.proof.drops=N} makes it long: files
 * that are dropped, of 2.2 items on average.
 */
class NodesProof {

    private static final int DROPS = Integer.getInteger("oncebox.proof.drops", 60);
    private static final int NODES = 3;
    private static final int CONCURRENCY = DROPS > 1000 ? 16 : 4;
    /** After so many drops a node is killed or paused, beside what happens to all of them in turn. */
    private static final int CALM = 200;

    private static final Set<String> RESENDING = Set.of("default");
    private static final Duration LEASE = Duration.ofSeconds(3);
    private static final Duration CUT = DROPS > 1000 ? Duration.ofSeconds(10) : Duration.ofSeconds(4);

    @TempDir
    private Path folder;

    private final Random random = new Random(Figures.SEED + 1);
    private final SeededDrops drops = new SeededDrops(Figures.SEED);
    private final List<Launched> nodes = new ArrayList<>();
    private int kills;
    private int pauses;
    private int starts;

    @Test
    void whatever_happens_to_nodes_and_database_each_item_has_one_end_and_each_send_was_allowed() throws Exception {
        var options = Stub.Options.defaults()
                .withDelay(Duration.ofMillis(300))
                .withScript("echo always")
                .withLogLimit(Integer.MAX_VALUE);
        try (Stub stub = Stub.start(options);
                DatabaseServer server = new DatabaseServer(folder);
                Line line = Line.to(server)) {
            TestHome home = home(stub, line.address());
            for (int i = 0; i < NODES; i++) {
                start(home);
            }
            dropUntil(home, server, DROPS / 6);
            kill(home);
            dropUntil(home, server, DROPS * 2 / 6);
            pause(server);
            dropUntil(home, server, DROPS * 3 / 6);
            server.restart();
            dropUntil(home, server, DROPS * 4 / 6);
            cut(line);
            dropUntil(home, server, DROPS * 5 / 6);
            line.cut();
            kill(home);
            line.mend();
            dropUntil(home, server, DROPS);
            server.restart();

            awaitEnd(server, home);
            for (Launched node : nodes) {
                node.signal("TERM");
            }
            for (Launched node : nodes) {
                assertThat(node.exitWithin(Duration.ofMinutes(1))).as(seed()).isZero();
            }
            assertThat(number(server, "SELECT count(*) FROM node WHERE ended IS NULL"))
                    .as("nodes that did not say goodbye")
                    .isZero();
            long held = number(server, "SELECT count(*) FROM call WHERE state = 'DOUBT'");
            Ends.aPersonSendsWhatIsInDoubtAgain(home, server.url());

            SendRules rules = SendRules.of(server.url(), RESENDING);
            Figures.say(
                    "NodesProof: %d nodes, %d kills, %d pauses, the database cut off by %s, %d drops, %d items, %d calls,"
                            + " %d sends, the endpoint counted %d, %d under way at kills, pauses and cuts, %d doubts for a"
                            + " person, %d answers",
                    NODES,
                    kills,
                    pauses,
                    line.means(),
                    drops.drops(),
                    number(server, "SELECT count(*) FROM item"),
                    number(server, "SELECT count(*) FROM call"),
                    rules.sends(),
                    stub.count(),
                    rules.lost(),
                    held,
                    number(server, "SELECT count(*) FROM answer"));
            assertThat(rules.broken(server.url())).as(seed()).isEmpty();
            assertThat(rules.contradictions(stub)).as(seed()).isEmpty();
            assertThat(Balance.broken(server.url())).as(seed()).isEmpty();
            assertThat(number(server, "SELECT count(*) FROM taking")).isZero();
            Ends.assertLedger(server.url(), drops.files().values());
            Ends.sweepAfterTheDead(home);
            Ends.assertFiles(home, drops.files().values());
        } finally {
            nodes.forEach(Launched::close);
            // what the nodes said is of use where this fails
            Files.copy(
                    folder.resolve("run.log"),
                    Path.of(System.getProperty("oncebox.dist")).resolveSibling("nodes.log"),
                    java.nio.file.StandardCopyOption.REPLACE_EXISTING);
        }
    }

    /** Two engines, and each is the other one's fallback. */
    private TestHome home(Stub stub, String database) {
        var home = new TestHome(
                folder,
                stub,
                "ledger.url=jdbc:postgresql://" + database + "/postgres?user=postgres",
                "ledger.lease=" + LEASE.toMillis() + "ms",
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

    private void start(TestHome home) {
        nodes.add(Launched.quickly(home, "", "run"));
        starts++;
    }

    private static String seed() {
        return "seed " + Figures.SEED;
    }

    private static long number(DatabaseServer server, String query) {
        return Balance.number(server.url(), query);
    }

    /**
     * So many drops, and as many more as it takes until calls are in flight. Every node is there by then: only a start
     * needs the database at once.
     */
    private void dropUntil(TestHome home, DatabaseServer server, int count) {
        awaitStarts(home);
        while (drops.drops() < count) {
            drops.dropInto(home);
            if (drops.drops() % CALM == 0) {
                awaitStarts(home);
                if (random.nextBoolean()) {
                    kill(home);
                } else {
                    pause(server);
                }
            }
        }
        awaitStarts(home);
        until(() -> {
            drops.dropInto(home);
            return number(server, "SELECT count(*) FROM call WHERE state = 'SENT'") >= CONCURRENCY;
        });
    }

    /** One that is killed before never says so. */
    private void awaitStarts(TestHome home) {
        until(() -> home.read("run.log").split("Taking files from").length > starts);
    }

    private void kill(TestHome home) {
        Launched node = nodes.remove(random.nextInt(nodes.size()));
        kills += node.kill() ? 1 : 0;
        node.close();
        start(home);
    }

    /** Until the others have taken over what it had; then it goes on as if nothing had happened. */
    private void pause(DatabaseServer server) {
        Launched node = nodes.get(random.nextInt(nodes.size()));
        pauses++;
        node.signal("STOP");
        until(() -> number(server, "SELECT count(*) FROM node WHERE ended IS NULL AND pid = " + node.pid()) == 0);
        node.signal("CONT");
    }

    /** In-flight calls are answered meanwhile, and nobody can be told. */
    private static void cut(Line line) throws InterruptedException {
        line.cut();
        Thread.sleep(CUT.toMillis());
        line.mend();
    }

    private void awaitEnd(DatabaseServer server, TestHome home) {
        until(() -> home.files("inbox").isEmpty()
                && number(server, "SELECT count(*) FROM call WHERE state NOT IN ('DONE', 'DEAD', 'DOUBT')") == 0
                && number(
                                server,
                                "SELECT count(*) FROM file WHERE state = 'TAKING' OR archived = 0"
                                        + " OR state = 'TAKEN' AND pending = 0")
                        == 0);
    }

    private static void until(Callable<Boolean> condition) {
        await().atMost(Duration.ofMinutes(10))
                .pollInterval(Duration.ofMillis(100))
                .ignoreExceptions()
                .until(condition);
    }
}
