package dev.oncebox.proof;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.oncebox.Evidence;
import dev.oncebox.Launched;
import dev.oncebox.TestHome;
import dev.oncebox.stub.Stub;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Stream;

/** A batch on its way through a running distribution, while something breaks. */
final class Trial implements AutoCloseable {

    static final int ITEMS = 60;
    static final int CONCURRENCY = 4;
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    final Path folder;
    final Stub stub;
    final TestHome home;
    final Path ledger;
    private Launched run;

    /** A home whose ledger stands apart, so that a fault of one does not touch the other. */
    Trial(Path folder, String... properties) throws IOException {
        this(folder, Files.createDirectories(folder.resolve("ledger")).resolve("ledger.db"), properties);
    }

    private Trial(Path folder, Path ledger, String... properties) throws IOException {
        this.folder = folder;
        this.ledger = ledger;
        stub = Stub.start(
                Stub.Options.defaults().withDelay(Duration.ofMillis(100)).withBodies());
        Path root = Files.createDirectories(folder.resolve("home"));
        List<String> all = new ArrayList<>(
                List.of("engine.default.concurrency=" + CONCURRENCY, "ledger.url=jdbc:sqlite:" + ledger));
        all.addAll(List.of(properties));
        home = new TestHome(root, stub, all.toArray(String[]::new));
    }

    /** A home whose ledger stands in it, as it does for most people. */
    static Trial whole(Path folder, String... properties) throws IOException {
        return new Trial(folder, folder.resolve("home/data/ledger.db"), properties);
    }

    /** Starts the runtime and returns when it is in the middle of the batch. */
    Trial start(String... environment) throws IOException {
        launch(environment);
        drop();
        return this;
    }

    /** Starts the runtime on an empty inbox. */
    void launch(String... environment) throws IOException {
        // not on the file system that will be full
        Path log = Files.createFile(folder.resolve("run.log"));
        Files.createSymbolicLink(home.path("run.log"), log);
        run = Launched.within(List.of(environment), home, "run");
        awaitLog("Taking files from");
    }

    void drop() {
        home.drop("x.jsonl", Evidence.batch(ITEMS));
        awaitSends(6);
    }

    Launched run() {
        return run;
    }

    void awaitSends(long count) {
        until(() -> stub.count() >= count);
    }

    static void until(Callable<Boolean> condition) {
        await().atMost(PATIENCE).pollInterval(Duration.ofMillis(10)).until(condition);
    }

    String log() throws IOException {
        return Files.readString(folder.resolve("run.log"));
    }

    void awaitLog(String words) {
        until(() -> log().contains(words));
    }

    /**
     * From now on nothing new is sent; what was recorded as sent before may still arrive.
     *
     * @param time how long it is watched
     */
    void assertSendsNothingFor(Duration time) {
        long before = stub.count();
        assertThat(run.endsWithin(time)).as("ended instead of waiting").isFalse();
        assertThat(stub.count() - before)
                .as("sends while nothing can be recorded")
                .isLessThanOrEqualTo(CONCURRENCY);
        assertThat(stub.count()).isLessThan(ITEMS);
    }

    /** Waits for the answers, and stops the runtime, which must have lost and repeated nothing. */
    void assertGoesOnToTheEnd() {
        awaitAnswers();
        assertStops();
        assertThat(stub.count()).as("sends").isEqualTo(ITEMS);
        assertEnd();
    }

    void awaitAnswers() {
        until(() -> home.exists("outbox/x.jsonl")
                && Balance.number(ledger, "SELECT count(*) FROM file WHERE state <> 'DELIVERED' OR archived = 0") == 0);
    }

    void assertStops() {
        run.signal("TERM");
        assertThat(run.exit()).isZero();
    }

    void assertEnd() {
        Evidence.assertAnswers(home.lines("outbox/x.jsonl"), ITEMS, stub);
        assertThat(home.files("outbox")).containsExactly("x.jsonl", "x.jsonl.receipt.json");
        assertThat(home.files("archive")).containsExactly("x.jsonl");
        assertThat(Evidence.accepted(stub)).hasSize(ITEMS);
        Balance.assertEnd(home, ledger, stub);
        assertThat(home.files("rejected")).isEmpty();
    }

    /** What the endpoint was paid for is in the ledger or beside it. */
    void assertPaidRepliesAreKept() throws IOException, SQLException {
        Set<String> kept = new HashSet<>();
        try (Connection connection = Balance.open(ledger)) {
            kept.addAll(Balance.events(connection, "COMPLETE").keySet());
        }
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.filter(file -> file.getFileName().toString().matches(".*rescued.*\\.jsonl"))
                    .toList()) {
                Files.readAllLines(file).forEach(line -> kept.add(key(line)));
            }
        }
        assertThat(kept).as("paid and kept").containsAll(Evidence.accepted(stub).keySet());
    }

    /** Puts the replies that were kept in the temporary folder beside the ledger, as the log says. */
    void putBack(Path temporary) throws IOException {
        try (Stream<Path> files = Files.list(temporary)) {
            for (Path file :
                    files.filter(each -> each.toString().endsWith(".jsonl")).toList()) {
                Files.write(
                        home.path("data/rescued.jsonl"),
                        Files.readAllBytes(file),
                        StandardOpenOption.CREATE,
                        StandardOpenOption.APPEND);
            }
        }
    }

    private static String key(String rescued) {
        assertThat(rescued).matches("\\{\"key\":\"[0-9a-f]{64}\",.*\"body\":\"[A-Za-z0-9+/=]+\"}");
        return rescued.substring(8, 72);
    }

    /** The next start, on healthy storage. */
    void assertNextStartReachesTheEnd() {
        try (Launched next = Launched.untilIdle(home)) {
            assertThat(next.exit()).isZero();
        }
        assertEnd();
    }

    @Override
    public void close() {
        if (run != null) {
            run.close();
        }
        stub.close();
    }
}
