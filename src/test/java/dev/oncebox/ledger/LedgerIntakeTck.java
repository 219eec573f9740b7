package dev.oncebox.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oncebox.job.Keying;
import dev.oncebox.ledger.Verdict.Refused.Cause;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** How items become calls: recording, sharing, refusing, dropping again, and forgetting. */
public abstract class LedgerIntakeTck extends LedgerTck {

    @Test
    void receiving_recording_and_taking_again_change_nothing() {
        List<Entry> entries = List.of(asking(1, "a"), invalid(2, "\"x\""), asking(3, "a"), asking(4, "b"));
        ReceivedFile file = receive("f.jsonl", "content");
        ledger.record(file, entries);
        List<String> recorded = everything();

        ReceivedFile again = receive("f.jsonl", "content");
        ledger.record(again, entries);
        assertThat(again.id()).isEqualTo(file.id());
        assertThat(again.known()).isFalse();
        assertThat(everything()).isEqualTo(recorded);

        assertThat(ledger.taken(file)).isEqualTo(4);
        List<String> taken = everything();
        assertThat(ledger.taken(file)).isEqualTo(4);
        ledger.record(file, entries);
        assertThat(everything()).isEqualTo(taken);
        assertThat(receive("f.jsonl", "content").known()).isTrue();
        assertThat(everything()).isEqualTo(taken);
    }

    @Test
    void a_crash_between_two_chunks_loses_and_repeats_nothing() {
        List<Entry> entries = entries("a", "b", "c", "d");
        ledger.record(receive("f.jsonl", "content"), entries.subList(0, 3));
        reopen();
        assertThat(ledger.unarchived()).singleElement().satisfies(left -> {
            assertThat(left.path()).isEqualTo("f.jsonl");
            assertThat(left.taking()).isTrue();
        });

        ReceivedFile again = receive("f.jsonl", "content");
        assertThat(again.known()).isFalse();
        ledger.record(again, entries.subList(0, 2));
        ledger.record(again, entries.subList(2, 4));

        assertThat(ledger.taken(again)).isEqualTo(4);
        assertThat(pending(again)).isEqualTo(4);
        ledger.archived(again);
        assertThat(ledger.unarchived()).isEmpty();
    }

    @Test
    void other_bytes_another_place_or_another_job_are_another_file() {
        ReceivedFile file = receive("f.jsonl", "content");
        assertThat(receive("f.jsonl", "other").id()).isNotEqualTo(file.id());
        assertThat(receive("g.jsonl", "content").id()).isNotEqualTo(file.id());
        var elsewhere = new DroppedFile("f.jsonl", job("j", ENGINE), DroppedFile.Kind.LINES, sha256("content"));
        assertThat(ledger.receive(elsewhere).id()).isNotEqualTo(file.id());
    }

    @Test
    void five_hundred_items_of_one_key_make_one_call() {
        List<Entry> entries = new ArrayList<>();
        IntStream.rangeClosed(1, 500).forEach(n -> entries.add(asking(n, "same")));
        ReceivedFile file = receive("f.jsonl", "content");
        ledger.record(file, entries.subList(0, 250));
        ledger.record(file, entries.subList(250, 500));
        ledger.taken(file);

        assertThat(number("SELECT count(*) FROM call")).isEqualTo(1);
        assertThat(pending(file)).isEqualTo(500);
        assertThat(ledger.claim(ENGINE, 1000)).hasSize(1);
        assertThat(number("SELECT count(*) FROM item WHERE fresh = 1")).isEqualTo(1);
    }

    @Test
    void an_id_given_twice_with_other_content_is_refused() {
        List<Entry> entries = List.of(
                asking(1, "\"x\"", "a", "a", Keying.WHITESPACE),
                asking(2, "\"x\"", "b", "b", Keying.WHITESPACE),
                asking(3, "\"x\"", "a", "a", Keying.WHITESPACE),
                asking(4, "\"y\"", "a", "a", Keying.WHITESPACE),
                asking(5, "7", "c", "c", Keying.WHITESPACE),
                asking(6, "\"7\"", "d", "d", Keying.WHITESPACE),
                asking(7, null, "e", "e", Keying.WHITESPACE),
                asking(8, "9", "f", "f", Keying.WHITESPACE),
                asking(9, null, "g", "g", Keying.WHITESPACE),
                asking(10, null, "h", "h", Keying.WHITESPACE),
                asking(11, "10", "i", "i", Keying.WHITESPACE),
                invalid(12, "\"z\""),
                asking(13, "\"z\"", "j", "j", Keying.WHITESPACE));
        ReceivedFile file = receive("f.jsonl", "content");
        ledger.record(file, entries);
        ledger.taken(file);
        answerAll();

        List<Outcome> outcomes = outcomes(settled().get(0));

        assertThat(outcomes.stream()
                        .filter(o -> "duplicate_id".equals(o.code()))
                        .map(Outcome::n))
                .as("7 and 9 have no id, and their line number was given to another item; so was 10's")
                .containsExactly(2L, 7L, 9L, 11L, 13L);
        assertThat(outcomes).filteredOn(o -> "duplicate_id".equals(o.code())).allSatisfy(outcome -> {
            assertThat(outcome.call()).isNull();
            assertThat(outcome.message()).contains("same id");
        });
        assertThat(number("SELECT count(*) FROM call WHERE key = ?", sha256("b")))
                .isZero();
    }

    @Test
    void how_a_file_is_cut_into_chunks_makes_no_difference() {
        List<Entry> entries = List.of(
                asking(1, "\"x\"", "a", "a", Keying.WHITESPACE),
                asking(2, null, "b", "b", Keying.WHITESPACE),
                asking(3, "\"x\"", "a", "a ", Keying.WHITESPACE),
                asking(4, "2", "b", "b", Keying.WHITESPACE),
                asking(5, "2", "c", "c", Keying.WHITESPACE),
                asking(6, "8", "d", "d", Keying.WHITESPACE),
                invalid(7, "\"y\""),
                asking(8, null, "d", "d", Keying.WHITESPACE),
                asking(9, "\"y\"", "e", "e", Keying.WHITESPACE),
                asking(10, "\"z\"", "id z", "old", Keying.ID),
                asking(11, "\"z\"", "id z", "new", Keying.ID),
                asking(12, "\"\"", "f", "f", Keying.WHITESPACE),
                asking(13, "\"\"", "g", "g", Keying.WHITESPACE));
        List<List<String>> recorded = new ArrayList<>();
        for (int size : List.of(entries.size(), 1, 2, 5)) {
            ReceivedFile file = receive("f.jsonl", "chunks of " + size);
            for (int from = 0; from < entries.size(); from += size) {
                ledger.record(file, entries.subList(from, Math.min(entries.size(), from + size)));
            }
            assertThat(ledger.taken(file)).isEqualTo(entries.size());
            recorded.add(rows(
                    "SELECT i.n, i.id, i.code, i.variant, c.key IS NULL FROM item i LEFT JOIN call c ON c.id = i.call"
                            + " WHERE i.file = ? ORDER BY i.n",
                    row -> row.getLong(1) + " " + row.getString(2) + " " + row.getString(3) + " " + row.getInt(4) + " "
                            + row.getBoolean(5),
                    file.id()));
            assertThat(number("SELECT invalid FROM file WHERE id = ?", file.id()))
                    .isEqualTo(recorded.get(0).stream()
                            .filter(row -> row.endsWith("true"))
                            .count());
        }
        assertThat(recorded).allSatisfy(each -> assertThat(each).isEqualTo(recorded.get(0)));
        assertThat(recorded.get(0))
                .filteredOn(row -> row.contains("duplicate_id"))
                .hasSize(4);
        assertThat(number("SELECT count(*) FROM call")).as("a, b, d, z and f").isEqualTo(5);
    }

    @Test
    void an_id_that_is_the_key_may_not_come_back_with_other_content() {
        ReceivedFile first = receive("f.jsonl", "1");
        ledger.record(first, List.of(asking(1, "\"x\"", "id x", "old", Keying.ID)));
        ledger.taken(first);
        ReceivedFile second = receive("g.jsonl", "2");
        ledger.record(
                second,
                List.of(
                        asking(1, "\"x\"", "id x", "new", Keying.ID),
                        asking(2, "\"y\"", "id y", "new", Keying.ID),
                        asking(3, "\"y\"", "id y", "newer", Keying.ID)));
        ledger.taken(second);
        ReceivedFile third = receive("h.jsonl", "3");
        ledger.record(third, List.of(asking(1, "\"x\"", "id x", "old", Keying.ID)));
        ledger.taken(third);
        answerAll();

        assertThat(settled()).hasSize(3);
        assertThat(outcomes(settled().get(1)))
                .extracting(Outcome::code)
                .containsExactly("key_conflict", null, "duplicate_id");
        assertThat(outcomes(settled().get(2)))
                .singleElement()
                .satisfies(o -> assertThat(o.answer().text()).isEqualTo("answer to old"));
    }

    @Test
    void an_item_that_was_written_otherwise_is_marked_as_a_variant() {
        ReceivedFile file = receive("f.jsonl", "content");
        ledger.record(
                file,
                List.of(
                        asking(1, null, "a", "a", Keying.WHITESPACE),
                        asking(2, null, "a", "a ", Keying.WHITESPACE),
                        asking(3, null, "a", "a", Keying.WHITESPACE)));
        ledger.taken(file);
        answerAll();
        assertThat(outcomes(settled().get(0))).extracting(Outcome::variant).containsExactly(false, true, false);
        assertThat(outcomes(settled().get(0))).extracting(Outcome::fresh).containsExactly(true, false, false);
    }

    @Test
    void a_file_dropped_again_after_its_delivery_is_delivered_again_and_paid_nothing() {
        ReceivedFile file = drop("f.jsonl", "a", "b");
        answerAll();
        deliverAll();
        assertThat(settled()).isEmpty();

        ReceivedFile again = receive("f.jsonl", "a\nb");
        assertThat(again.id()).isEqualTo(file.id());
        assertThat(again.known()).isTrue();
        assertThat(settled()).singleElement().satisfies(s -> assertThat(s.output())
                .isEqualTo(Output.unsealed("f.jsonl")));
        assertThat(ledger.unarchived()).hasSize(1);
        assertThat(ledger.claim(ENGINE, 10)).isEmpty();
    }

    @Test
    void a_file_dropped_again_retries_only_the_dead_that_certainly_cost_nothing() {
        ReceivedFile file = drop("f.jsonl", "free", "paid", "perhaps", "both");
        attempt(refused(Cause.REQUEST));
        attempt(unusable());
        policy = new Policy(1, true, false, RETRY, null);
        attempt(unknown());
        policy = RESEND;
        attempt(unknown());
        clock.pass(Duration.ofHours(1));
        attempt(refused(Cause.REQUEST));
        for (String key : List.of("free", "paid", "perhaps", "both")) {
            assertThat(call(key).state()).as(key).isEqualTo(CallState.DEAD);
        }
        assertThat(pending(file)).isZero();
        clock.pass(Duration.ofMinutes(1));

        drop("f.jsonl", "free", "paid", "perhaps", "both");

        assertThat(call("free").state()).isEqualTo(CallState.READY);
        assertThat(List.of("paid", "perhaps", "both"))
                .allSatisfy(key -> assertThat(call(key).state()).isEqualTo(CallState.DEAD));
        assertThat(pending(file)).isEqualTo(1);
        answerAll();
        assertThat(outcomes(settled().get(0)))
                .extracting(Outcome::code)
                .containsExactly(null, "empty_answer", "connection_lost", "no");
    }

    @Test
    void a_file_that_is_only_seen_again_before_it_was_archived_retries_nothing() {
        ReceivedFile file = receive("f.jsonl", "free");
        ledger.record(file, entries("free"));
        ledger.taken(file);
        attempt(refused(Cause.REQUEST));
        reopen();
        clock.pass(Duration.ofMinutes(1));

        assertThat(receive("f.jsonl", "free").known()).isTrue();

        assertThat(call("free").state()).isEqualTo(CallState.DEAD);
        assertThat(pending(file)).isZero();
    }

    @Test
    void another_file_that_asks_for_an_uncharged_dead_call_revives_it_once() {
        drop("f.jsonl", "free");
        attempt(refused(Cause.REQUEST));
        deliverAll();
        clock.pass(Duration.ofMinutes(1));

        ReceivedFile second = receive("g.jsonl", "2");
        ledger.record(second, List.of(asking(1, "free"), asking(2, "free")));
        ledger.taken(second);
        assertThat(call("free").state()).isEqualTo(CallState.READY);
        assertThat(pending(second)).isEqualTo(2);
        assertThat(number("SELECT file FROM item WHERE fresh = 1")).isEqualTo(second.id());

        attempt(refused(Cause.REQUEST));
        ledger.record(second, List.of(asking(3, "free")));
        assertThat(call("free").state()).as("refused after the file had come").isEqualTo(CallState.DEAD);
        assertThat(pending(second)).isZero();
    }

    @Test
    void a_discarded_file_takes_along_only_what_nobody_else_wants() {
        ReceivedFile gone = receive("f.jsonl", "1");
        ledger.record(gone, List.of(asking(1, "mine"), asking(2, "ours"), asking(3, "ours"), asking(4, "sent")));
        ReceivedFile other = drop("g.jsonl", "ours");
        List<Call> claimed = ledger.claim(ENGINE, 3);
        assertThat(claimed.get(2).request().text()).isEqualTo("sent");
        assertThat(ledger.sent(claimed.get(2))).isTrue();
        ledger.settle(claimed.get(2), valid("paid"), Steps.of(valid("paid")), null);
        reopen();
        ledger.recover();
        ReceivedFile again = receive("f.jsonl", "1");
        ledger.record(again, List.of(asking(5, "new")));

        ledger.discard(again);

        assertThat(rows("SELECT id FROM file", row -> row.getLong(1))).containsExactly(other.id());
        assertThat(number("SELECT count(*) FROM call WHERE key = ?", sha256("new")))
                .isZero();
        assertThat(call("ours").state()).isEqualTo(CallState.READY);
        assertThat(call("sent").state()).as("a paid answer is kept").isEqualTo(CallState.DONE);
        assertThat(number("SELECT count(*) FROM item WHERE fresh = 1 AND file = ?", other.id()))
                .isEqualTo(1);
        assertThat(number("SELECT count(*) FROM request r WHERE NOT EXISTS (SELECT 1 FROM call c WHERE c.id = r.call)"))
                .isZero();
        answerAll();
        assertThat(settled()).hasSize(1);
    }

    @Test
    void a_file_that_left_the_inbox_goes_its_way_with_what_was_recorded() {
        ReceivedFile file = receive("f.jsonl", "content");
        ledger.record(file, entries("a"));
        answerAll();
        assertThat(settled()).isEmpty();

        ledger.unarchived().forEach(ledger::abandoned);

        assertThat(ledger.unarchived()).isEmpty();
        assertThat(settled()).hasSize(1);
        assertThat(pending(file)).isZero();
    }
}
