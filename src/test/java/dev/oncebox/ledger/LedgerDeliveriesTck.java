package dev.oncebox.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.oncebox.ledger.Verdict.Refused.Cause;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** When a file is settled, what its items came to, and that it is delivered once. */
public abstract class LedgerDeliveriesTck extends LedgerTck {

    @Test
    void a_file_is_settled_exactly_when_its_last_call_has_ended() {
        ReceivedFile file = drop("f.jsonl", "a", "b", "a", "c");
        assertThat(pending(file)).isEqualTo(4);
        attempt(valid("1"));
        assertThat(pending(file)).isEqualTo(2);
        attempt(refused(Cause.REQUEST));
        assertThat(pending(file)).isEqualTo(1);
        assertThat(settled()).isEmpty();
        attempt(unknown());
        assertThat(settled()).isEmpty();
        clock.pass(Duration.ofMinutes(1));
        attempt(valid("3"));
        assertThat(pending(file)).isZero();
        assertThat(settled()).singleElement().satisfies(settled -> {
            assertThat(settled.id()).isEqualTo(file.id());
            assertThat(settled.path()).isEqualTo("f.jsonl");
            assertThat(settled.job()).isEqualTo("default");
            assertThat(settled.kind()).isEqualTo(DroppedFile.Kind.LINES);
            assertThat(settled.sha256()).isEqualTo(file.file().sha256());
            assertThat(settled.output()).isNull();
        });
    }

    @Test
    void calls_that_end_while_their_file_is_still_recorded_count_as_ended() {
        ReceivedFile file = receive("f.jsonl", "content");
        ledger.record(file, List.of(asking(1, "a"), asking(2, "b")));
        attempt(valid("1"));
        attempt(valid("2"));
        assertThat(pending(file)).isZero();
        assertThat(settled()).as("not all its items are known to be recorded").isEmpty();
        ledger.record(file, List.of(asking(3, "a"), asking(4, "c"), asking(5, "c")));
        assertThat(pending(file)).isEqualTo(2);
        ledger.taken(file);
        assertThat(settled()).isEmpty();
        attempt(valid("3"));
        assertThat(settled()).hasSize(1);
        assertThat(outcomes(settled().get(0)))
                .extracting(o -> o.answer().text())
                .containsExactly("1", "2", "1", "3", "3");
    }

    @Test
    void a_call_that_several_files_share_settles_all_of_them() {
        ReceivedFile first = drop("f.jsonl", "a", "a", "b");
        ReceivedFile second = drop("g.jsonl", "a");
        ReceivedFile third = receive("h.jsonl", "3");
        ledger.record(third, entries("a", "b"));
        attempt(valid("1"));
        assertThat(List.of(pending(first), pending(second), pending(third))).containsExactly(1L, 0L, 1L);
        assertThat(settled()).extracting(SettledFile::path).containsExactly("g.jsonl");
        attempt(valid("2"));
        assertThat(settled()).extracting(SettledFile::path).containsExactly("f.jsonl", "g.jsonl");
        ledger.taken(third);
        assertThat(settled()).extracting(SettledFile::path).containsExactly("f.jsonl", "g.jsonl", "h.jsonl");
        assertThat(ledger.settled(2)).hasSize(2);
    }

    @Test
    void a_file_without_a_call_is_settled_once_it_is_taken() {
        ReceivedFile file = receive("f.jsonl", "content");
        ledger.record(file, List.of(invalid(1, null), invalid(2, "\"x\"")));
        assertThat(settled()).isEmpty();
        ledger.taken(file);
        assertThat(outcomes(settled().get(0))).allSatisfy(outcome -> {
            assertThat(outcome.code()).isEqualTo("bad_json");
            assertThat(outcome.message()).isEqualTo("Not JSON.");
            assertThat(outcome.call()).isNull();
            assertThat(outcome.answer()).isNull();
        });
    }

    @Test
    void a_delivered_file_is_not_waiting_for_a_call_that_another_file_revived() {
        ReceivedFile first = drop("f.jsonl", "free", "free");
        attempt(refused(Cause.REQUEST));
        deliverAll();
        clock.pass(Duration.ofMinutes(1));
        ReceivedFile second = drop("g.jsonl", "free");
        assertThat(call("free").state()).isEqualTo(CallState.READY);
        assertThat(pending(first)).isZero();
        assertThat(pending(second)).isEqualTo(1);

        drop("f.jsonl", "free", "free");
        assertThat(pending(first)).as("dropped again, it waits").isEqualTo(2);
        assertThat(settled()).isEmpty();

        attempt(valid("1"));
        assertThat(pending(first)).isZero();
        assertThat(pending(second)).isZero();
        assertThat(settled()).hasSize(2);
    }

    @Test
    void a_delivered_file_stays_delivered_when_a_revived_call_ends() {
        ReceivedFile first = drop("f.jsonl", "free");
        attempt(refused(Cause.REQUEST));
        deliverAll();
        clock.pass(Duration.ofMinutes(1));
        drop("g.jsonl", "free");
        attempt(valid("1"));
        assertThat(pending(first)).isZero();
        assertThat(settled()).extracting(SettledFile::path).containsExactly("g.jsonl");
        drop("f.jsonl", "free");
        assertThat(pending(first)).isZero();
        assertThat(settled()).hasSize(2);
    }

    @Test
    void outcomes_come_in_the_order_of_the_items_with_all_that_is_known() {
        ReceivedFile file = receive("f.jsonl", "content");
        ledger.record(file, List.of(asking(2, "b"), invalid(3, "\"x\"")));
        ledger.record(file, List.of(asking(1, "a")));
        ledger.taken(file);
        attempt(valid("B"));
        long sentAt = clock.millis();
        clock.pass(Duration.ofSeconds(5));
        attempt(unusable());

        List<Outcome> outcomes = outcomes(settled().get(0));

        assertThat(outcomes).extracting(Outcome::n).containsExactly(1L, 2L, 3L);
        assertThat(outcomes).extracting(Outcome::id).containsExactly("1", "2", "\"x\"");
        assertThat(outcomes).extracting(Outcome::offset).containsExactly(10L, 20L, 30L);
        assertThat(outcomes).extracting(Outcome::code).containsExactly("empty_answer", null, "bad_json");
        assertThat(outcomes.get(0).message()).isEqualTo("Empty.");
        Outcome answered = outcomes.get(1);
        assertThat(answered.answer()).isEqualTo(new Outcome.StoredAnswer("B", false));
        Outcome.CallRecord call = answered.call();
        assertThat(call.key()).isEqualTo(HexFormat.of().formatHex(sha256("b")));
        assertThat(call.attempts()).isEqualTo(1);
        assertThat(call.doubts()).isZero();
        assertThat(call.engine()).isEqualTo(ENGINE);
        assertThat(call.model()).isEqualTo("m-1");
        assertThat(call.usage()).isEqualTo("{\"n\":7}");
        assertThat(call.inputTokens()).isEqualTo(3);
        assertThat(call.outputTokens()).isEqualTo(4);
        assertThat(call.cost()).isEqualByComparingTo(new BigDecimal("0.25"));
        assertThat(call.sentAt()).isEqualTo(sentAt);
        assertThat(call.doneAt()).isEqualTo(sentAt);
    }

    @Test
    void a_file_of_many_items_is_given_whole_and_in_order() {
        int items = 4321;
        ReceivedFile file = receive("f.jsonl", "content");
        for (int from = 1; from <= items; from += 500) {
            List<Entry> chunk = new ArrayList<>();
            LongStream.rangeClosed(from, Math.min(items, from + 499)).forEach(n -> chunk.add(asking(n, "a")));
            ledger.record(file, chunk);
        }
        assertThat(ledger.taken(file)).isEqualTo(items);
        answerAll();
        assertThat(outcomes(settled().get(0)))
                .extracting(Outcome::n)
                .containsExactlyElementsOf(
                        LongStream.rangeClosed(1, items).boxed().toList());
    }

    @Test
    void a_file_of_which_an_item_has_lost_its_end_is_tried_again_later() {
        drop("f.jsonl", "done", "free");
        attempt(valid("1"));
        attempt(refused(Cause.REQUEST));
        SettledFile settled = settled().get(0);
        clock.pass(Duration.ofMinutes(1));
        drop("g.jsonl", "free");

        List<Outcome> given = new ArrayList<>();
        assertThat(ledger.outcomes(settled, given::add)).isFalse();
        assertThat(given).extracting(Outcome::n).containsExactly(1L);
        assertThat(settled()).isEmpty();
        ledger.delivered(settled, Output.unsealed("f.jsonl"));
        assertThat(number("SELECT count(*) FROM event WHERE kind = 'DELIVERED'"))
                .isZero();

        attempt(valid("2"));
        assertThat(settled()).hasSize(2);
        assertThat(ledger.outcomes(settled, outcome -> {})).isTrue();
    }

    @Test
    void a_file_is_delivered_once() {
        ReceivedFile file = drop("f.jsonl", "a");
        answerAll();
        SettledFile settled = settled().get(0);
        ledger.delivered(settled, Output.unsealed("f~2.jsonl"));
        List<String> delivered = everything();
        ledger.delivered(settled, Output.unsealed("f~3.jsonl"));

        assertThat(everything()).isEqualTo(delivered);
        assertThat(settled()).isEmpty();
        assertThat(rows("SELECT detail FROM event WHERE file = ?", row -> row.getString(1), file.id()))
                .containsExactly("f~2.jsonl");
        assertThat(ledger.work(Duration.ZERO, new Ledger.Reach(List.of(ENGINE))).undelivered())
                .isZero();
    }

    @Test
    void what_a_destination_left_is_known_by_its_seal_when_the_file_comes_again() {
        drop("f.jsonl", "a");
        answerAll();
        var sealed = new Output("f~2.jsonl", "as it was left");
        ledger.delivered(settled().get(0), sealed);

        receive("f.jsonl", "a");
        assertThat(settled()).extracting(SettledFile::output).containsExactly(sealed);
        ledger.delivered(settled().get(0), sealed);
        receive("f.jsonl", "a");
        assertThat(settled()).extracting(SettledFile::output).containsExactly(sealed);
    }

    @Test
    void a_seal_is_gone_when_a_call_of_the_file_was_asked_anew() {
        drop("f.jsonl", "free", "b");
        attempt(refused(Cause.REQUEST));
        answerAll();
        ledger.delivered(settled().get(0), new Output("f.jsonl", "as it was left"));
        clock.pass(Duration.ofMinutes(1));
        drop("g.jsonl", "free");
        answerAll();
        deliverAll();

        receive("f.jsonl", "free\nb");
        assertThat(settled()).extracting(SettledFile::output).containsExactly(Output.unsealed("f.jsonl"));
    }

    @Test
    void what_was_delivered_while_a_call_was_asked_anew_and_answered_is_delivered_again() {
        drop("f.jsonl", "free");
        attempt(refused(Cause.REQUEST));
        SettledFile settled = settled().get(0);
        clock.pass(Duration.ofMinutes(1));
        drop("g.jsonl", "free");
        attempt(valid("1"));

        ledger.delivered(settled, new Output("f.jsonl", "with the error"));
        assertThat(settled()).extracting(SettledFile::path).contains("f.jsonl");
        deliverAll();
        assertThat(settled()).isEmpty();
    }

    @Test
    void what_was_settled_before_a_crash_is_delivered_after_it() {
        drop("f.jsonl", "a");
        answerAll();
        reopen();
        ledger.recover();
        assertThat(settled()).hasSize(1);
        assertThat(outcomes(settled().get(0)).get(0).answer().text()).isEqualTo("answer to a");
    }

    @Test
    void a_note_comes_back_with_the_answer_and_is_no_failure() {
        drop("f.jsonl", "a", "b");
        Note note = Note.both(new Note("prompt_cut", "It was cut."), new Note("unwrapped", "Taken off: think."));
        attempt(new Verdict.Valid(new Answer(TextNode.valueOf("\ud83d"), null, null, null, Usage.UNKNOWN, note)));
        attempt(valid("B"));

        List<Outcome> outcomes = outcomes(settled().get(0));
        assertThat(outcomes).extracting(Outcome::code).containsOnlyNulls();
        assertThat(outcomes).extracting(Outcome::message).containsOnlyNulls();
        assertThat(outcomes.get(0).answer())
                .isEqualTo(new Outcome.StoredAnswer("\ud83d", false, List.of("prompt_cut", "unwrapped")));
        assertThat(outcomes.get(1).answer()).isEqualTo(new Outcome.StoredAnswer("B", false));
    }

    @Test
    void a_json_answer_and_a_long_one_come_back_as_they_were() throws Exception {
        drop("f.jsonl", "a", "b");
        var json = new ObjectMapper().readTree("{\"x\":[1,null,\"\\u0000\"]}");
        attempt(new Verdict.Valid(new Answer(json, null, null, Usage.UNKNOWN)));
        String long1 = "Überlänge \u0000\ud83d\ude00\n".repeat(20_000);
        attempt(valid(long1));
        List<Outcome> outcomes = outcomes(settled().get(0));
        assertThat(outcomes.get(0).answer()).isEqualTo(new Outcome.StoredAnswer(json.toString(), true));
        assertThat(outcomes.get(0).call().cost()).as("not known is not nothing").isNull();
        assertThat(outcomes.get(1).answer()).isEqualTo(new Outcome.StoredAnswer(long1, false));
    }

    @Test
    void listeners_hear_of_everything_that_may_set_something_going() {
        var heard = new AtomicInteger();
        ledger.onChange(heard::incrementAndGet);
        ReceivedFile file = receive("f.jsonl", "content");
        ledger.record(file, entries("a"));
        assertThat(heard.getAndSet(0)).isPositive();
        ledger.taken(file);
        assertThat(heard.getAndSet(0)).isPositive();
        attempt(valid("1"));
        assertThat(heard.getAndSet(0)).isPositive();
    }
}
