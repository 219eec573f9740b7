package dev.oncebox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oncebox.stub.Stub;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** Every row of {@code failure-table.txt}, all in flight together, against an endpoint over real HTTP. */
class FailureTableTest {

    private static final List<FailureRow> ROWS = FailureTable.rows();

    @TempDir
    private static Path folder;

    private static Stub stub;
    private static TestHome home;
    private static TestHome givingUp;

    @BeforeAll
    static void run() throws IOException {
        stub = Stub.start(Stub.Options.defaults().withBodies());
        home = run("home", FailureTable.rows(false));
        givingUp = run("giving-up", FailureTable.rows(true), "retry.give-up=300ms");
    }

    private static TestHome run(String folderName, List<FailureRow> rows, String... more) {
        TestHome made = FailureTable.home(folder.resolve(folderName), stub, rows, more);
        rows.forEach(row -> row.drop(made));
        assertThat(made.runUntilIdle()).as("some are dead, in doubt or waiting").isEqualTo(4);
        return made;
    }

    @AfterAll
    static void stop() {
        stub.close();
    }

    @TestFactory
    Stream<DynamicTest> what_an_endpoint_does_has_the_consequences_of_the_table() {
        var evidence = new FailureEvidence(home, stub);
        var ofGivenUp = new FailureEvidence(givingUp, stub);
        return ROWS.stream()
                .map(row -> DynamicTest.dynamicTest(
                        row.toString(), () -> (row.isUnder("give-up") ? ofGivenUp : evidence).check(row)));
    }

    @Test
    void nothing_was_sent_that_no_row_asked_for() {
        assertThat(new FailureEvidence(home, stub).strangers(ROWS)).isZero();
        assertThat(ROWS).extracting(FailureRow::name).doesNotHaveDuplicates();
        assertThat(ROWS).hasSizeGreaterThan(140);
    }

    @Test
    void nothing_stays_in_flight_and_every_file_is_kept() {
        assertThat(home.status().at("/calls/sent").asInt()).isZero();
        assertThat(home.status().at("/calls/doubt").asLong()).isEqualTo(ending("in doubt"));
        assertThat(home.status().at("/calls/ready").asLong()).isEqualTo(ending("waiting"));
        assertThat(home.files("inbox")).isEmpty();
    }

    private static long ending(String end) {
        return ROWS.stream().filter(row -> row.end().equals(end)).count();
    }
}
