package dev.oncebox;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigDecimal;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Receipts of real runs: by item, by file, and with the ids by which the provider knows the calls. */
class ReceiptRunTest extends StubbedHome {

    private static final String LINES = """
            {"id":"a","text":"one"}
            {"id":"b","text":"one "}
            {"id":"c","text":"[[stub: 400]] two"}
            {"id":"d","text":"[[stub: 503]] three"}
            {"id":"e","text":"[[stub: reset]] four"}
            no item
            """;

    private static List<JsonNode> receipts(TestHome home) {
        CommandOutput told = CommandOutput.of(home, "answers", "--receipt", "x.jsonl");
        assertThat(told.exit()).as(told.err()).isZero();
        return told.out().lines().map(StubbedHome::tree).toList();
    }

    @Test
    void a_receipt_by_item_adds_up_to_the_one_of_the_file() {
        TestHome home = home("engine.default.price.input=1", "engine.default.price.output=1");
        home.drop("x.jsonl", LINES);
        home.runUntilIdle();

        List<JsonNode> items = receipts(home);
        JsonNode receipt = home.json("outbox/x.jsonl.receipt.json");

        assertThat(all(items, "/charged")).containsExactly("new", "reused", "no", "new", "unknown", "no");
        assertThat(all(items, "/attempts")).containsExactly("1", "1", "1", "2", "2", "0");
        assertThat(all(items, "/error"))
                .containsExactly("null", "null", items.get(2).path("error").asText(), "null", "null", "bad_json");
        assertThat(receipt.path("addsUp").asBoolean()).isTrue();
        assertThat(receipt.path("charged").toString()).isEqualTo("{\"new\":2,\"reused\":1,\"unknown\":1}");
        BigDecimal cost = items.stream()
                .filter(item -> item.path("cost").isNumber())
                .map(item -> item.path("cost").decimalValue())
                .reduce(BigDecimal.ZERO, BigDecimal::add);
        assertThat(items.get(4).path("cost").isNull()).as("paid perhaps twice").isTrue();
        assertThat(cost).isPositive().isLessThan(receipt.path("costAtLeast").decimalValue());
        assertThat(items.stream()
                        .mapToLong(item -> item.path("inputTokens").asLong())
                        .sum())
                .isEqualTo(receipt.at("/tokens/input").asLong());
    }

    @Test
    void every_attempt_has_the_providers_own_id_where_its_reply_had_one() {
        TestHome home = home();
        home.drop("x.jsonl", LINES);
        home.runUntilIdle();

        List<JsonNode> items = receipts(home);
        List<JsonNode> events = home.journal("x.jsonl");

        for (int i : new int[] {0, 3, 4}) {
            String id = items.get(i).path("requestId").asText();
            assertThat(id).startsWith("stub-");
            String key = items.get(i).path("key").asText();
            assertThat(events)
                    .filteredOn(event -> event.path("key").asText().equals(key)
                            && event.path("event").asText().equals("COMPLETE"))
                    .singleElement()
                    .extracting(event -> event.path("requestId").asText())
                    .isEqualTo(id);
        }
        assertThat(items.get(5).path("requestId").isNull()).isTrue();
        JsonNode repeated = home.json("outbox/x.jsonl.receipt.json").path("sentMoreThanOnce");
        assertThat(repeated.at("/0/attempts/0/requestId").asText())
                .as("a refusal has one, too")
                .startsWith("stub-")
                .isNotEqualTo(repeated.at("/0/attempts/1/requestId").asText());
        assertThat(repeated.at("/1/attempts/0/requestId").isNull())
                .as("no reply")
                .isTrue();
        assertThat(repeated.at("/1/attempts/1/requestId").asText())
                .isEqualTo(items.get(4).path("requestId").asText());
    }

    @Test
    void a_ledger_that_lost_an_item_is_told_of_and_the_answers_are_delivered() {
        TestHome home = patientHome();
        home.drop("x.jsonl", "{\"text\":\"one\"}\n{\"text\":\"[[stub: 503]] two\"}\n");
        home.runUntilIdle("--max-wait", "1s");
        execute(home, "UPDATE file SET items = items + 1");
        makeDue(home);

        home.runUntilIdle();

        assertThat(home.lines("outbox/x.jsonl")).hasSize(2);
        JsonNode receipt = home.json("outbox/x.jsonl.receipt.json");
        assertThat(receipt.path("addsUp").asBoolean(true)).isFalse();
        assertThat(receipt.at("/differences/0/expected").asInt()).isEqualTo(3);
        assertThat(receipt.at("/differences/0/found").asInt()).isEqualTo(2);
    }
}
