package dev.oncebox;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.oncebox.stub.Counts;
import dev.oncebox.stub.Stub;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** Every row of {@code async-table.txt}, all in flight together, each against an endpoint of its own over real HTTP. */
class AsyncTableTest {

    private static final List<AsyncRow> ROWS = AsyncRow.all();
    private static final Set<String> NOT_OF_A_CALL = Set.of("DELIVERED", "CACHE_HIT");

    @TempDir
    private static Path folder;

    private static final List<Stub> STUBS = new ArrayList<>();
    private static TestHome home;

    @BeforeAll
    static void run() throws IOException {
        List<String> properties = new ArrayList<>(List.of("retry.max-delay=60ms"));
        for (AsyncRow row : ROWS) {
            STUBS.add(Stub.start(Stub.Options.defaults().withBodies()));
            properties.addAll(row.engines(stub(row)));
        }
        home = new TestHome(folder, stub(ROWS.get(0)), properties.toArray(String[]::new));
        ROWS.forEach(row -> row.drop(home));
        assertThat(home.runUntilIdle()).as("some are dead, in doubt or waiting").isEqualTo(4);
    }

    private static Stub stub(AsyncRow row) {
        return STUBS.get(row.number() - 1);
    }

    @AfterAll
    static void stop() {
        STUBS.forEach(Stub::close);
    }

    @TestFactory
    Stream<DynamicTest> what_an_endpoint_does_has_the_consequences_of_the_table() {
        return ROWS.stream().map(row -> DynamicTest.dynamicTest(row.toString(), () -> check(row)));
    }

    private static void check(AsyncRow row) {
        checkCounts(row, stub(row).counts());
        List<JsonNode> journal = home.journal(row.file()).stream()
                .filter(event -> !NOT_OF_A_CALL.contains(event.path("event").asText()))
                .toList();
        String key = journal.get(0).path("key").asText();
        checkKeys(row, key);
        String told = journal.stream()
                .map(event -> event.path("event").asText()
                        + (event.path("charged").isTextual()
                                ? "/" + event.path("charged").asText()
                                : "")
                        + " ")
                .collect(Collectors.joining());
        assertThat(told).matches(row.events());
        checkEnd(row, key);
    }

    private static void checkCounts(AsyncRow row, Counts counts) {
        assertThat(row.counted(counts)).as("submissions").isEqualTo(row.submissions());
        long polls = counts.faces().entrySet().stream()
                .filter(face -> face.getKey().startsWith("GET "))
                .mapToLong(Map.Entry::getValue)
                .sum();
        if (row.polls().endsWith("..")) {
            assertThat(polls).isGreaterThanOrEqualTo(Long.parseLong(row.polls().replace("..", "")));
        } else {
            assertThat(polls).as("polls").isEqualTo(Long.parseLong(row.polls()));
        }
    }

    private static void checkKeys(AsyncRow row, String key) {
        assertThat(stub(row).calls()).as("the call's own key on every POST").allMatch(call -> key.equals(call.key()));
    }

    private static void checkEnd(AsyncRow row, String key) {
        String[] end = row.end().split(" ");
        boolean waiting = end[0].equals("waiting");
        if (!row.end().equals("in doubt")) {
            assertThat(home.exists(row.answer() + ".url")).as("the address").isEqualTo(waiting);
        }
        if (waiting || end[0].equals("in")) {
            assertThat(home.exists(row.answer())).isFalse();
            assertThat(StubbedHome.number(
                            home,
                            "SELECT count(*) FROM call WHERE lower(hex(key)) = '" + key + "' AND state = '"
                                    + (waiting ? "POLLING" : "DOUBT") + "'"))
                    .isEqualTo(1);
            if (waiting) {
                assertThat(home.read(row.answer() + ".url"))
                        .startsWith(stub(row).uri() + "/")
                        .endsWith("\n");
            }
            return;
        }
        boolean dead = end[0].equals("dead");
        JsonNode item = home.json(row.answer() + (dead ? ".error.json" : ""));
        assertThat(item.path("key").asText()).isEqualTo(key);
        assertThat(home.exists(row.answer() + (dead ? "" : ".error.json"))).isFalse();
        if (dead) {
            assertThat(item.at("/error/code").asText()).isEqualTo(end[1]);
            assertThat(item.at("/error/message").asText()).isNotBlank();
        } else {
            assertThat(item.path("charged").asText()).isEqualTo(row.end());
            assertThat(item.path("engine").asText())
                    .isEqualTo(row.job() + (row.story().contains("fallback") ? "-spare" : ""));
            assertThat(item.path("answer").isMissingNode()).isFalse();
        }
    }

    @Test
    void nothing_stays_in_flight_and_what_waits_is_asked_for_later() {
        assertThat(home.status().at("/calls/sent").asInt()).isZero();
        assertThat(home.status().at("/calls/ready").asInt()).isZero();
        assertThat(home.status().at("/calls/polling").asLong()).isEqualTo(ending("waiting"));
        assertThat(home.status().at("/calls/doubt").asLong()).isEqualTo(ending("in doubt"));
        assertThat(home.files("inbox")).isEmpty();
        assertThat(home.files("outbox").stream().filter(name -> name.endsWith(".url")))
                .hasSizeLessThanOrEqualTo((int) (ending("waiting") + ending("in doubt")));
        assertThat(ROWS).extracting(AsyncRow::name).doesNotHaveDuplicates();
        assertThat(ROWS).hasSizeGreaterThan(80);
    }

    private static long ending(String end) {
        return ROWS.stream().filter(row -> row.end().equals(end)).count();
    }
}
