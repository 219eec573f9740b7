package dev.oncebox.proof;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.oncebox.TestHome;
import dev.oncebox.cli.OnceboxCommand;
import dev.oncebox.files.DurableFile;
import dev.oncebox.proof.SeededDrops.Dropped;
import java.io.IOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** What everything that was dropped has come to, in the ledger and in the folders. */
final class Ends {

    private static final int DECISIONS = 10;

    private Ends() {}

    private static String seed() {
        return "seed " + Figures.SEED;
    }

    /** What a killed node was writing: to the others it may be somebody's for an hour. */
    static void sweepAfterTheDead(TestHome home) throws IOException {
        for (String folder : List.of("outbox", "rejected")) {
            DurableFile.sweep(home.path(folder));
        }
    }

    /** What nobody waits for, since it is answered and out of the inbox, is left to whoever is there after the lease. */
    static void recordWhatTheDeadHadArchived(TestHome home, String ledger) {
        if (Balance.number(ledger, "SELECT count(*) FROM file WHERE archived = 0") > 0) {
            await().atMost(Duration.ofMinutes(1))
                    .until(() -> Balance.number(
                                    ledger,
                                    "SELECT count(*) FROM node WHERE ended IS NULL"
                                            + " AND lease > EXTRACT(EPOCH FROM clock_timestamp()) * 1000")
                            == 0);
            assertThat(home.runUntilIdle()).isZero();
        }
    }

    static void aPersonSendsWhatIsInDoubtAgain(TestHome home, String ledger) {
        for (int i = 0; i < DECISIONS && !inDoubt(ledger).isEmpty(); i++) {
            for (String key : inDoubt(ledger)) {
                assertThat(OnceboxCommand.run(
                                "doubt", "resend", key, "--home", home.root().toString()))
                        .isZero();
            }
            assertThat(home.runUntilIdle()).isIn(0, 4);
        }
    }

    private static List<String> inDoubt(String ledger) {
        List<String> keys = new ArrayList<>();
        try (Connection connection = Balance.open(ledger);
                ResultSet rows =
                        connection.createStatement().executeQuery("SELECT key FROM call WHERE state = 'DOUBT'")) {
            while (rows.next()) {
                keys.add(HexFormat.of().formatHex(rows.getBytes(1)));
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        return keys;
    }

    static void assertLedger(String ledger, Collection<Dropped> files) {
        assertThat(Balance.number(ledger, "SELECT count(*) FROM call WHERE state NOT IN ('DONE', 'DEAD')"))
                .as("calls without an end, " + seed())
                .isZero();
        assertThat(Balance.number(ledger, "SELECT count(*) FROM call WHERE state = 'DEAD'"))
                .as("dead letters, " + seed())
                .isEqualTo(files.stream()
                        .flatMap(file -> file.prompts().stream())
                        .filter(SeededDrops::isFatal)
                        .count());
        assertThat(Balance.number(ledger, "SELECT count(*) FROM file WHERE state <> 'DELIVERED' OR archived = 0"))
                .as("files not delivered and archived, " + seed())
                .isZero();
    }

    static void assertFiles(TestHome home, Collection<Dropped> files) {
        Set<String> outbox = new TreeSet<>();
        Set<String> archive = new TreeSet<>();
        Set<String> rejected = new TreeSet<>();
        for (Dropped file : files) {
            if (file.prompts().isEmpty()) {
                rejected.addAll(List.of(file.path(), file.path() + ".error.json"));
            } else {
                archive.add(file.path());
                outbox.addAll(file.isBatch() ? assertBatch(home, file) : assertSingle(home, file));
            }
        }
        assertThat(home.files("inbox")).as(seed()).isEmpty();
        assertThat(new TreeSet<>(home.files("outbox"))).as(seed()).isEqualTo(outbox);
        assertThat(new TreeSet<>(home.files("archive"))).as(seed()).isEqualTo(archive);
        assertThat(new TreeSet<>(home.exists("rejected") ? home.files("rejected") : List.of()))
                .as(seed())
                .isEqualTo(rejected);
    }

    private static Set<String> assertSingle(TestHome home, Dropped file) {
        if (file.hasFatal()) {
            return Set.of(file.path() + ".error.json");
        }
        assertThat(asAsked(home.read("outbox/" + file.path()))).as(file.path()).isEqualTo(asAsked(file.content()));
        return Set.of(file.path());
    }

    /** Each id once and in order in one of the two files, and an answer is the item's own text. */
    private static Set<String> assertBatch(TestHome home, Dropped file) {
        String errors = file.output().replaceFirst("\\.[a-z]+$", ".errors.jsonl");
        var ends = new TreeMap<Integer, String>();
        for (String output : file.hasFatal() ? List.of(file.output(), errors) : List.of(file.output())) {
            int before = 0;
            for (JsonNode line : items(home, output)) {
                int n = Integer.parseInt(line.path("id").asText().substring(1));
                assertThat(n).as(output).isGreaterThan(before);
                before = n;
                String end = output.equals(errors)
                        ? "error"
                        : asAsked(line.path("answer").asText());
                assertThat(ends.put(n, end)).as(output).isNull();
            }
        }
        assertThat(new ArrayList<>(ends.values()))
                .as(file.path())
                .isEqualTo(file.prompts().stream()
                        .map(prompt -> SeededDrops.isFatal(prompt) ? "error" : asAsked(prompt))
                        .toList());
        Set<String> files = new TreeSet<>(Set.of(file.output(), file.output() + ".receipt.json"));
        if (file.hasFatal()) {
            files.add(errors);
        }
        return files;
    }

    private static Iterable<JsonNode> items(TestHome home, String output) {
        if (output.endsWith(".json")) {
            return home.json("outbox/" + output);
        }
        return output.endsWith(".csv") ? rows(home.read("outbox/" + output)) : home.lines("outbox/" + output);
    }

    /** No cell has a comma in it. */
    private static List<JsonNode> rows(String table) {
        List<String> rows = table.lines().toList();
        List<String> names = List.of(rows.get(0).split(","));
        List<JsonNode> items = new ArrayList<>();
        for (String row : rows.subList(1, rows.size())) {
            String[] cells = row.replace("\"", "").split(",");
            items.add(JsonNodeFactory.instance
                    .objectNode()
                    .put("id", cells[names.indexOf("id")])
                    .put("answer", cells[names.indexOf("answer")]));
        }
        return items;
    }

    /** A prompt that differs from an earlier one in white space alone gets that one's answer. */
    private static String asAsked(String text) {
        return text.replaceAll("\\s+", " ").strip();
    }
}
