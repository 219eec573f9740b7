package dev.oncebox.outbox;

import static dev.oncebox.ledger.DroppedFile.Kind.LINES;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.oncebox.ledger.Charged;
import dev.oncebox.ledger.EventKind;
import dev.oncebox.ledger.Outcome;
import dev.oncebox.ledger.SettledFile;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class ReceiptTest {

    @Test
    void a_receipt_adds_up() throws IOException {
        Asked batch = new Asked()
                .answered("1", "one")
                .reused("2", "one")
                .sharing(1)
                .doubtful("3", "three")
                .failed("4", 0)
                .invalid("bad_json");

        assertThat(write(batch)).isEqualTo("""
                        {
                          "file" : "a/x.jsonl",
                          "job" : "default",
                          "sha256" : "01ab",
                          "items" : 5,
                          "answered" : 3,
                          "failed" : 1,
                          "invalid" : 1,
                          "charged" : {
                            "new" : 1,
                            "reused" : 1,
                            "unknown" : 1
                          },
                          "addsUp" : true,
                          "calls" : {
                            "new" : 1,
                            "reused" : 1,
                            "inDoubt" : 1
                          },
                          "whitespaceOnly" : 1,
                          "tokens" : {
                            "input" : 10,
                            "output" : 14
                          },
                          "cost" : null,
                          "costAtLeast" : 0.000024,
                          "engines" : [ "default", "spare" ],
                          "attempts" : {
                            "default" : {
                              "sent" : 2,
                              "charged" : 1,
                              "free" : 0,
                              "unknown" : 1,
                              "cost" : 0.000024
                            },
                            "spare" : {
                              "sent" : 1,
                              "charged" : 0,
                              "free" : 1,
                              "unknown" : 0,
                              "cost" : 0
                            }
                          },
                          "received" : "2025-11-29T12:00:00.000Z",
                          "firstSent" : "2025-11-29T12:00:00.001Z",
                          "lastAnswered" : "2025-11-29T12:00:01.003Z"
                        }
                        """);
    }

    @Test
    void a_call_that_went_on_at_another_engine_shows_what_each_attempt_cost() throws IOException {
        JsonNode receipt = read(new Asked()
                .doubtful("1", "one")
                .sentBefore(new Outcome.Attempt(1, "first", EventKind.TIMEOUT, Charged.UNKNOWN, null, null)));

        assertThat(receipt.at("/engines").toString()).isEqualTo("[\"default\",\"first\"]");
        assertThat(receipt.at("/attempts/first/unknown").asInt()).isEqualTo(1);
        assertThat(receipt.at("/attempts/first/cost").isNull()).isTrue();
        assertThat(receipt.at("/attempts/default/charged").asInt()).isEqualTo(1);
        assertThat(receipt.at("/sentMoreThanOnce/0/id").asText()).isEqualTo("1");
        assertThat(receipt.at("/sentMoreThanOnce/0/attempts").toString())
                .isEqualTo(
                        "[{\"attempt\":1,\"engine\":\"first\",\"event\":\"TIMEOUT\",\"charged\":\"unknown\",\"cost\":null,\"requestId\":null},"
                                + "{\"attempt\":2,\"engine\":\"default\",\"event\":\"COMPLETE\",\"charged\":\"yes\",\"cost\":1.2E-5,\"requestId\":\"req_b\"}]");
    }

    @Test
    void a_call_of_two_fresh_items_counts_once() throws IOException {
        JsonNode receipt =
                read(new Asked().answered("1", "one").answered("2", "one").sharing(1));

        assertThat(receipt.at("/calls/new").asInt()).isEqualTo(1);
        assertThat(receipt.at("/tokens/input").asInt()).isEqualTo(5);
    }

    @Test
    void one_unknown_makes_the_sum_unknown() throws IOException {
        JsonNode receipt =
                read(new Asked().answered("1", "one").answered("2", "two").withoutUsage());

        assertThat(receipt.at("/tokens/input").isNull()).isTrue();
        assertThat(receipt.at("/tokens/output").isNull()).isTrue();
        assertThat(receipt.path("cost").isNull()).isTrue();
    }

    @Test
    void a_failure_that_may_have_been_charged_makes_the_cost_unknown() throws IOException {
        assertThat(read(new Asked().answered("1", "one").failed("2", 2))
                        .path("cost")
                        .isNull())
                .isTrue();
        assertThat(read(new Asked().answered("1", "one").failed("2", 0))
                        .path("cost")
                        .decimalValue())
                .isEqualByComparingTo("0.000012");
    }

    @Test
    void what_was_known_already_cost_nothing() throws IOException {
        JsonNode receipt =
                read(new Asked().reused("1", "one").reused("2", "two").withoutUsage());

        assertThat(receipt.at("/calls/new").asInt()).isZero();
        assertThat(receipt.at("/calls/reused").asInt()).isEqualTo(2);
        assertThat(receipt.at("/tokens/output").asInt(-1)).isZero();
        assertThat(receipt.path("cost").asInt(-1)).isZero();
    }

    @Test
    void a_file_of_which_nothing_was_sent_has_no_times() throws IOException {
        JsonNode receipt = read(new Asked().invalid("bad_json"));

        assertThat(receipt.path("firstSent").isNull()).isTrue();
        assertThat(receipt.path("lastAnswered").isNull()).isTrue();
        assertThat(receipt.path("engines")).isEmpty();
    }

    @Test
    void what_is_to_be_said_of_answers_is_counted() throws IOException {
        JsonNode receipt = read(new Asked()
                .answered("1", "one")
                .noted("unwrapped")
                .answered("2", "two")
                .noted("prompt_cut", "unwrapped")
                .reused("3", "one")
                .failed("4", 0));

        assertThat(receipt.path("notes").toString()).isEqualTo("{\"prompt_cut\":1,\"unwrapped\":2}");
    }

    @Test
    void what_does_not_add_up_is_said_with_both_sides() throws IOException {
        var receipt = new Receipt();
        for (Outcome outcome : new Asked().answered("1", "one").invalid("bad_json").outcomes) {
            receipt.add(ItemResult.of(outcome, false));
        }
        SettledFile file = Asked.counted(Asked.file("a/x.jsonl", LINES), 3, 1);
        var out = new ByteArrayOutputStream();

        ClosingCount closing = receipt.close(file, 1, 0);
        receipt.write(file, closing, out);

        assertThat(closing.addsUp()).isFalse();
        JsonNode written = new ObjectMapper().readTree(out.toByteArray());
        assertThat(written.path("addsUp").asBoolean(true)).isFalse();
        assertThat(written.path("differences").toString())
                .isEqualTo("[{\"what\":\"items that the intake recorded\",\"expected\":3,\"found\":2},"
                        + "{\"what\":\"lines of the errors\",\"expected\":1,\"found\":0}]");
    }

    private static JsonNode read(Asked asked) throws IOException {
        return new ObjectMapper().readTree(write(asked));
    }

    private static String write(Asked asked) throws IOException {
        var receipt = new Receipt();
        for (Outcome outcome : asked.outcomes) {
            receipt.add(ItemResult.of(outcome, false));
        }
        var out = new ByteArrayOutputStream();
        SettledFile file = asked.counted(Asked.file("a/x.jsonl", LINES));
        long answers = asked.outcomes.stream()
                .filter(outcome -> outcome.answer() != null)
                .count();
        receipt.write(file, receipt.close(file, answers, asked.outcomes.size() - answers), out);
        return out.toString(StandardCharsets.UTF_8);
    }

    @Test
    void a_charged_attempt_of_unknown_cost_makes_the_sum_unknown() throws IOException {
        JsonNode receipt = read(new Asked()
                .answered("1", "one")
                .sentBefore(new Outcome.Attempt(1, "first", EventKind.INCOMPLETE, Charged.YES, null, null)));

        assertThat(receipt.path("cost").isNull()).isTrue();
        assertThat(receipt.path("costAtLeast").isNumber()).isTrue();
    }
}
