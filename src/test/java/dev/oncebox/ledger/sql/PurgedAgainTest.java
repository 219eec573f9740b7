package dev.oncebox.ledger.sql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oncebox.ledger.CallState;
import dev.oncebox.ledger.EventKind;
import dev.oncebox.ledger.Figures;
import dev.oncebox.ledger.Ledger.UnarchivedFile;
import dev.oncebox.ledger.ReceivedFile;
import dev.oncebox.ledger.Steps;
import dev.oncebox.ledger.Verdict.Refused.Cause;
import org.junit.jupiter.api.Test;

/** What becomes of who asks for a purged answer again. */
class PurgedAgainTest extends PurgedLedger {

    @Test
    void a_purged_prompt_in_another_file_fails_and_is_sent_again_only_when_a_person_says_so() {
        answered("a.jsonl", "one");
        monthsPass();
        purge();

        drop("b.jsonl", "one", "new");

        assertThat(ledger.claim(ENGINE, 10))
                .extracting(call -> call.request().text())
                .containsExactly("new");
        reopen();
        ledger.recover();
        answerAll();
        var outcomes = outcomes(settled().get(0));
        assertThat(outcomes.get(0).code()).isEqualTo("answer_purged");
        assertThat(outcomes.get(0).message())
                .contains(
                        "paid for",
                        "purged on",
                        "oncebox dead retry " + outcomes.get(0).call().key());
        assertThat(outcomes.get(0).answer()).isNull();
        assertThat(outcomes.get(1).answer()).isNotNull();
        assertThat(events("one")).endsWith(EventKind.COMPLETE, EventKind.DEAD_LETTER);
        deliverAll();

        assertThat(retry("one")).isTrue();
        var call = send();
        assertThat(call.request().text()).isEqualTo("one");
        ledger.settle(call, valid("once more"), Steps.of(valid("once more")), null);
        assertThat(settled())
                .extracting(file -> file.path())
                .as("not the one that brought the answer")
                .containsExactly("b.jsonl");
        assertThat(outcomes(settled().get(0)).get(0).answer().text()).isEqualTo("once more");
        assertThat(figures().cost()).isEqualByComparingTo("0.75");
        assertThat(call("one").sends()).isEqualTo(2);
    }

    @Test
    void a_purged_prompt_that_one_file_has_twice_fails_twice_and_is_not_sent() {
        answered("a.jsonl", "one");
        monthsPass();
        purge();

        drop("again.jsonl", "one", "one", "new");

        assertThat(call("one").state()).isEqualTo(CallState.DEAD);
        assertThat(ledger.claim(ENGINE, 10))
                .extracting(call -> call.request().text())
                .containsExactly("new");
        assertThat(number("SELECT pending FROM file WHERE path = 'again.jsonl'"))
                .isEqualTo(1);
        assertThat(events("one").stream().filter(EventKind.DEAD_LETTER::equals)).hasSize(1);
    }

    @Test
    void the_purged_file_itself_is_read_anew_and_fails_without_a_send() {
        answered("a.jsonl", "one", "two");
        monthsPass();
        purge();

        ReceivedFile again = receive("a.jsonl", "one\ntwo");
        assertThat(again.known()).isFalse();
        ledger.record(again, entries("one", "two"));
        reopen();
        again = receive("a.jsonl", "one\ntwo");
        assertThat(again.known()).isFalse();
        ledger.record(again, entries("one", "two"));
        assertThat(ledger.taken(again)).isEqualTo(2);
        ledger.archived(again);

        assertThat(ledger.claim(ENGINE, 10)).isEmpty();
        assertThat(outcomes(settled().get(0))).extracting(o -> o.code()).containsOnly("answer_purged");
        assertThat(figures().items()).isEqualTo(2);
        assertThat(figures().pending()).isZero();
        deliverAll();
        assertThat(receive("a.jsonl", "one\ntwo").known()).as("whole again").isTrue();
    }

    @Test
    void a_purged_file_that_leaves_while_it_is_read_anew_stands_as_it_stood() {
        answered("a.jsonl", "one");
        monthsPass();
        purge();
        Figures before = figures();
        receive("a.jsonl", "one");
        UnarchivedFile left = ledger.unarchived().get(0);
        assertThat(left.taking()).isTrue();

        ledger.abandoned(left);

        assertThat(settled()).isEmpty();
        assertThat(figures()).isEqualTo(before);

        ledger.discard(receive("a.jsonl", "one"));
        assertThat(settled()).isEmpty();
        assertThat(figures()).isEqualTo(before);
    }

    @Test
    void a_purged_dead_letter_that_cost_nothing_is_sent_when_its_file_is_dropped_again_and_not_before() {
        drop("a.jsonl", "one");
        attempt(refused(Cause.REQUEST));
        deliverAll();
        monthsPass();
        purge();
        assertThat(retry("one")).as("its request is gone").isFalse();
        assertThat(call("one").state()).isEqualTo(CallState.DEAD);

        drop("a.jsonl", "one");

        assertThat(call("one").state()).isEqualTo(CallState.READY);
        attempt(valid("at last"));
        assertThat(outcomes(settled().get(0)).get(0).answer().text()).isEqualTo("at last");
    }

    @Test
    void a_purged_dead_letter_that_was_charged_waits_for_a_person_who_can_retry_it_once_it_was_dropped_again() {
        drop("a.jsonl", "one");
        attempt(unusable());
        deliverAll();
        monthsPass();
        purge();

        drop("b.jsonl", "one");

        assertThat(ledger.claim(ENGINE, 10)).isEmpty();
        assertThat(outcomes(settled().get(0)).get(0).code()).isEqualTo("empty_answer");
        deliverAll();
        assertThat(retry("one")).isTrue();
        assertThat(send().request().text()).isEqualTo("one");
    }
}
