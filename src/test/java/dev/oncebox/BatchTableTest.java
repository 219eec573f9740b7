package dev.oncebox;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.oncebox.stub.Stub;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Every row of {@code batch-table.txt}, all in flight together, against a provider over real HTTP. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class BatchTableTest {

    private static final List<BatchRow> ROWS = BatchRow.all();

    @TempDir
    private static Path folder;

    private static Stub stub;
    private static TestHome home;

    @BeforeAll
    static void run() throws IOException {
        stub = Stub.start(Stub.Options.defaults().withBodies());
        List<String> properties = new ArrayList<>(List.of("retry.max-delay=60ms"));
        ROWS.forEach(row -> properties.addAll(row.engines(stub.uri().toString())));
        home = new TestHome(folder, stub, properties.toArray(String[]::new));
        ROWS.forEach(row -> row.drop(home));
        assertThat(home.runUntilIdle()).as("some are dead or in doubt").isEqualTo(4);
    }

    @AfterAll
    static void stop() {
        stub.close();
    }

    @TestFactory
    Stream<DynamicTest> what_a_provider_does_has_the_consequences_of_the_table() {
        return ROWS.stream().map(row -> DynamicTest.dynamicTest(row.toString(), () -> check(row)));
    }

    private void check(BatchRow row) {
        Map<String, String> keys = keys(row);
        for (int i = 0; i < BatchRow.ITEMS.size(); i++) {
            String item = BatchRow.ITEMS.get(i);
            assertCounted(
                    "submitted, " + item,
                    stub.submissions().get(keys.get(item)),
                    row.submitted().get(i));
            assertCounted(
                    "charged, " + item,
                    stub.charged().get(keys.get(item)),
                    row.charged().get(i));
            assertEnd(row, item, row.end().get(i), keys.get(item));
        }
        assertThat(home.exists("outbox/" + row.file() + ".receipt.json")).isEqualTo(row.isDelivered());
    }

    private static void assertCounted(String what, Integer counted, String expected) {
        int times = counted == null ? 0 : counted;
        if (expected.endsWith("..")) {
            assertThat(times).as(what).isBetween(Integer.parseInt(expected.replace("..", "")), 3);
        } else {
            assertThat(times).as(what).isEqualTo(Integer.parseInt(expected));
        }
    }

    private static void assertEnd(BatchRow row, String item, String end, String key) {
        if (end.equals("in doubt") || end.equals("-")) {
            assertThat(StubbedHome.number(
                            home,
                            "SELECT count(*) FROM call WHERE lower(hex(key)) = '" + key + "'" + " AND state = '"
                                    + (end.equals("-") ? "DONE" : "DOUBT") + "'"))
                    .as(item + " " + end)
                    .isEqualTo(1);
        } else if (end.startsWith("dead ")) {
            JsonNode line = line("outbox/" + row.job() + "/x.errors.jsonl", item);
            assertThat(line.at("/error/code").asText()).as(item).isEqualTo(end.substring(5));
        } else {
            JsonNode line = line("outbox/" + row.file(), item);
            assertThat(line.path("charged").asText()).as(item).isEqualTo(end);
            assertThat(line.path("key").asText()).isEqualTo(key);
            String answer = line.path("answer").toString();
            assertThat(row.isUnder("schema") || answer.contains(row.name() + " " + item))
                    .as("its own answer: " + answer)
                    .isTrue();
        }
    }

    private static JsonNode line(String file, String item) {
        assertThat(home.exists(file)).as(file).isTrue();
        List<JsonNode> lines = home.lines(file).stream()
                .filter(line -> line.path("id").asText().equals(item))
                .toList();
        assertThat(lines).as(item + " in " + file).hasSize(1);
        return lines.get(0);
    }

    private static Map<String, String> keys(BatchRow row) {
        Map<String, String> keys = new HashMap<>();
        for (JsonNode item : StubbedHome.list(
                home,
                "SELECT json_object('id', i.id, 'key', lower(hex(c.key))) FROM item i JOIN call c ON c.id = i.call"
                        + " JOIN file f ON f.id = i.file WHERE f.path = '" + row.file() + "'")) {
            keys.put(
                    StubbedHome.tree(item.path("id").asText()).asText(),
                    item.path("key").asText());
        }
        assertThat(keys).as("items of " + row.file()).hasSize(BatchRow.ITEMS.size());
        return keys;
    }

    @Test
    void no_batch_is_left_open_and_nothing_in_flight() {
        assertThat(StubbedHome.number(home, "SELECT count(*) FROM batch WHERE state <> 'ENDED'"))
                .isZero();
        assertThat(home.status().at("/calls/sent").asInt()).isZero();
        assertThat(home.status().at("/calls/polling").asInt()).isZero();
        assertThat(home.status().at("/calls/ready").asInt()).isZero();
    }

    @Test
    void the_table_is_whole() {
        assertThat(ROWS).hasSizeGreaterThan(100);
        assertThat(ROWS).extracting(row -> row.vendor() + row.name()).doesNotHaveDuplicates();
    }
}
