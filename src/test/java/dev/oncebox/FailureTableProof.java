package dev.oncebox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.oncebox.proof.Figures;
import dev.oncebox.stub.Stub;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** The failure table with a kill -9 after everybody's first attempt, and another one after the second. */
class FailureTableProof {

    /** With these, no further attempt is due before the kill. */
    private static final String[] PATIENT = {"retry.delay=300d", "retry.max-delay=300d", "retry.give-up=366d"};

    private static final long SOON_MILLIS = Duration.ofSeconds(30).toMillis();

    /** Giving up is a matter of time, which a test of kills cannot hold still. */
    private static final List<FailureRow> ROWS = FailureTable.rows(false);

    @TempDir
    private static Path folder;

    private static Stub stub;
    private static TestHome home;
    private static Map<FailureRow, Long> beforeFirstKill;
    private static Map<FailureRow, Long> beforeSecondKill;

    @BeforeAll
    static void run() throws IOException {
        stub = Stub.start(Stub.Options.defaults().withBodies());
        home = FailureTable.home(folder, stub, ROWS, PATIENT);
        ROWS.forEach(row -> row.drop(home));
        runAndKill();
        beforeFirstKill = posts();
        letTimePass();
        runAndKill();
        beforeSecondKill = posts();
        letTimePass();
        FailureTable.home(folder, stub, ROWS);
        try (Launched last = Launched.untilIdle(home)) {
            assertThat(last.exit()).as("some are dead, in doubt or waiting").isEqualTo(4);
        }
    }

    @AfterAll
    static void stop() {
        stub.close();
    }

    /** Kills between two attempts: nothing is in flight, and what is to be repeated waits. */
    private static void runAndKill() {
        try (Launched run = Launched.quickly(home, "", "run")) {
            await().atMost(Duration.ofMinutes(2))
                    .pollInterval(Duration.ofMillis(100))
                    .until(() -> !run.isAlive() || everybodyWaits());
            assertThat(run.kill()).isTrue();
        }
    }

    private static boolean everybodyWaits() {
        return home.exists("archive")
                && home.files("archive").size() == ROWS.size()
                && StubbedHome.number(home, "SELECT count(*) FROM call") == ROWS.size()
                && StubbedHome.number(
                                home,
                                "SELECT count(*) FROM call WHERE state IN ('CLAIMED', 'SENT') OR state = 'READY'"
                                        + " AND engine NOT IN (SELECT name FROM pause) AND due < "
                                        + (System.currentTimeMillis() + SOON_MILLIS))
                        == 0;
    }

    /** Makes due what waits for the backoff, for which no test has the time; what the endpoint asked to wait for stays. */
    private static void letTimePass() {
        String told = ROWS.stream()
                .filter(row -> row.end().equals("waiting"))
                .map(row -> "'" + row.job() + "'")
                .collect(Collectors.joining(", "));
        StubbedHome.execute(home, "UPDATE call SET due = 0 WHERE state = 'READY' AND engine NOT IN (" + told + ")");
    }

    private static Map<FailureRow, Long> posts() {
        var evidence = new FailureEvidence(home, stub);
        return ROWS.stream()
                .collect(Collectors.toMap(Function.identity(), row -> evidence.engines(row).values().stream()
                        .mapToLong(posts -> posts)
                        .sum()));
    }

    @TestFactory
    Stream<DynamicTest> what_an_endpoint_does_has_the_same_consequences_with_kills_in_between() {
        var evidence = new FailureEvidence(home, stub);
        return ROWS.stream().map(row -> DynamicTest.dynamicTest(row.toString(), () -> evidence.check(row)));
    }

    @Test
    void the_kills_came_between_the_attempts_of_most_rows() {
        Map<FailureRow, Long> posts = posts();
        long betweenFirstAndSecond = ROWS.stream()
                .filter(row -> beforeFirstKill.get(row) > 0 && beforeSecondKill.get(row) > beforeFirstKill.get(row))
                .count();
        long betweenSecondAndThird = ROWS.stream()
                .filter(row -> beforeSecondKill.get(row) > 0 && posts.get(row) > beforeSecondKill.get(row))
                .count();
        Figures.say(
                "FailureTableProof: %d rows, %d repeated after the first kill, %d after the second",
                ROWS.size(), betweenFirstAndSecond, betweenSecondAndThird);
        assertThat(betweenFirstAndSecond).isGreaterThan(80);
        assertThat(betweenSecondAndThird).isGreaterThan(8);
    }

    @Test
    void nothing_was_sent_that_no_row_asked_for() {
        assertThat(new FailureEvidence(home, stub).strangers(ROWS)).isZero();
        assertThat(home.status().at("/calls/sent").asInt()).isZero();
    }
}
