package dev.oncebox;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Ledgers that earlier versions wrote, each killed with a call in flight: nothing of what they paid for is paid for again,
 * and what they had not finished goes on. A draft is a version of the hours in which its migration was still written.
 */
class LedgerUpgradeTest extends StubbedHome {

    private static final Path SAMPLES = Path.of("src/test/resources/ledgers");

    private static final Set<String> NEW = new TreeSet<>();

    static List<String> samples() throws IOException {
        try (Stream<Path> files = Files.list(SAMPLES)) {
            return files.map(file -> file.getFileName().toString().replace(".db.gz", ""))
                    .sorted()
                    .toList();
        }
    }

    /** What is in every sample, and the later files in those of versions that knew such. */
    private TestHome upgraded(String sample) {
        TestHome home = home(
                "engine.default.price.input=1",
                "engine.default.price.output=2",
                "engine.held.url=" + stub.uri("/v1"),
                "engine.held.model=old",
                "engine.held.on-doubt=hold",
                "engine.default.model=old",
                "engine.slow.protocol=async",
                "engine.slow.url=" + stub.uri("/jobs"),
                "engine.slow.answer=/answer",
                "engine.slow.poll=24h");
        home.write("config/jobs/held/job.properties", "engines=held");
        home.write("config/jobs/slow/job.properties", "engines=slow");
        home.write("data/.keep", "");
        try (InputStream packed = Files.newInputStream(SAMPLES.resolve(sample + ".db.gz"));
                InputStream ledger = new GZIPInputStream(packed)) {
            Files.copy(ledger, home.path("data/ledger.db"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return home;
    }

    private static long calls(TestHome home, String state) {
        return number(home, "SELECT count(*) FROM call WHERE state = '" + state + "'");
    }

    @ParameterizedTest
    @MethodSource("samples")
    void it_opens_keeps_every_answer_and_goes_on(String sample) {
        TestHome home = upgraded(sample);
        long done = calls(home, "DONE");
        long waiting = calls(home, "READY") + calls(home, "SENT");
        long polling = calls(home, "POLLING");
        assertThat(done).isGreaterThanOrEqualTo(5);
        assertThat(calls(home, "SENT")).isEqualTo(1);

        makeDue(home);
        home.drop(
                "answered.jsonl",
                "{\"id\":\"one\",\"text\":\"question one\"}\n{\"id\":\"two\",\"text\":\"question  two\"}\n");
        home.drop("by another name.md", "question alone\n");
        assertThat(home.runUntilIdle()).as("a dead letter and a doubt are left").isEqualTo(4);
        assertThat(columns(home)).isEqualTo(columnsOfANewLedger());

        assertThat(prompts())
                .hasSize((int) waiting)
                .contains("question in flight")
                .isSubsetOf("question in flight", "question for tomorrow");
        List<JsonNode> again = home.lines("outbox/answered.jsonl");
        assertThat(all(again, "/answer")).containsExactly("Answer to question one", "Answer to question two");
        assertThat(all(again, "/charged")).containsOnly("reused");
        assertThat(home.read("outbox/by another name.md")).isEqualTo("Answer to question alone");
        assertThat(all(home.lines("outbox/open.jsonl"), "/answer"))
                .contains("Answer to question three")
                .hasSize((int) waiting + 1);
        assertThat(home.lines("outbox/open.errors.jsonl")).hasSize(2);

        JsonNode calls = home.status().path("calls");
        assertThat(calls.path("done").asLong()).isEqualTo(done + waiting);
        assertThat(calls.path("dead").asLong()).isEqualTo(1);
        assertThat(calls.path("doubt").asLong()).isEqualTo(1);
        assertThat(calls.path("polling").asLong()).isEqualTo(polling);
        assertThat(home.events("open.jsonl")).contains("IN_DOUBT", "COMPLETE");
    }

    private Set<String> columnsOfANewLedger() {
        if (!NEW.isEmpty()) {
            return NEW;
        }
        var fresh = new TestHome(folder.resolve("fresh"), stub);
        assertThat(CommandOutput.of(fresh, "check").exit()).isZero();
        NEW.addAll(columns(fresh));
        return NEW;
    }

    /** Every column, index and trigger, by name. */
    private static Set<String> columns(TestHome home) {
        Set<String> names = new TreeSet<>();
        list(
                        home,
                        "SELECT json_quote(m.name || '.' || c.name) FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type = 'table'")
                .forEach(name -> names.add(name.asText()));
        list(
                        home,
                        "SELECT json_quote(type || ' ' || name) FROM sqlite_master WHERE type <> 'table' AND name NOT LIKE 'sqlite_%'")
                .forEach(name -> names.add(name.asText()));
        return names;
    }
}
