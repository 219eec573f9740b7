package dev.oncebox;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.oncebox.stub.Call;
import dev.oncebox.stub.Stub;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;

/** The endpoint's log on one side, the answers and the journal on the other. */
public final class Evidence {

    private Evidence() {}

    /** A batch of distinct items with the ids {@code i1}, {@code i2}, … */
    public static String batch(int items) {
        return batch(items, "");
    }

    /**
     * @param directive see {@link Stub}; part of every text
     */
    public static String batch(int items, String directive) {
        var lines = new StringBuilder();
        for (int i = 1; i <= items; i++) {
            lines.append("{\"id\":\"i%d\",\"text\":\"Question %d. %s\"}\n".formatted(i, i, directive));
        }
        return lines.toString();
    }

    /** How often the endpoint accepted each key. */
    public static Map<String, Integer> accepted(Stub stub) {
        Map<String, Integer> accepted = new TreeMap<>();
        stub.calls().forEach(call -> accepted.merge(String.valueOf(call.key()), 1, Integer::sum));
        return accepted;
    }

    /** Every id once and in order, each with a text that the endpoint gave to a call with the item's own key. */
    public static void assertAnswers(List<JsonNode> answers, int items, Stub stub) {
        assertThat(answers)
                .extracting(line -> line.path("id").asText())
                .containsExactlyElementsOf(
                        IntStream.rangeClosed(1, items).mapToObj(i -> "i" + i).toList());
        Map<Long, String> keys = new HashMap<>();
        for (Call call : stub.calls()) {
            keys.put(call.number(), call.key());
        }
        Set<String> seen = new HashSet<>();
        for (JsonNode line : answers) {
            String answer = line.path("answer").asText();
            assertThat(answer)
                    .matches(
                            "\\[call \\d+] Question " + line.path("id").asText().substring(1) + "\\..*");
            long number = Long.parseLong(answer.substring(6, answer.indexOf(']')));
            assertThat(keys.get(number)).isEqualTo(line.path("key").asText());
            assertThat(seen.add(line.path("key").asText())).isTrue();
        }
    }

    /** How often a journal has an event, by key. */
    public static Map<String, Integer> count(List<JsonNode> journal, String event) {
        Map<String, Integer> counts = new TreeMap<>();
        for (JsonNode line : journal) {
            if (line.path("event").asText().equals(event)) {
                counts.merge(line.path("key").asText(), 1, Integer::sum);
            }
        }
        return counts;
    }

    /**
     * What the endpoint accepted n times was sent at least n times by the journal, and all of these but the last were
     * in doubt.
     */
    public static void assertJournalCovers(Stub stub, List<JsonNode> journal) {
        Map<String, Integer> sent = count(journal, "SENT");
        Map<String, Integer> doubts = count(journal, "IN_DOUBT");
        accepted(stub).forEach((key, times) -> {
            assertThat(sent.getOrDefault(key, 0)).as("SENT of " + key).isGreaterThanOrEqualTo(times);
            assertThat(doubts.getOrDefault(key, 0)).as("IN_DOUBT of " + key).isGreaterThanOrEqualTo(times - 1);
        });
    }
}
