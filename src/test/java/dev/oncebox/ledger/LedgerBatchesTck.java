package dev.oncebox.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Calls that are submitted together: gathered, submitted, looked for, and settled one by one. */
public abstract class LedgerBatchesTck extends LedgerTck {

    private static final Duration AGE = Duration.ofSeconds(60);
    private static final Verdict.Accepted ACCEPTED =
            new Verdict.Accepted("http://provider/batches/b1", "validating", Duration.ofSeconds(30));

    private Batch gather(int calls) {
        return ledger.batches().gather(ENGINE, new Gathering(calls, AGE, 1 << 20));
    }

    private Batch gathered(int calls) {
        return Objects.requireNonNull(gather(calls));
    }

    private Batch sent(int calls) {
        Batch batch = gathered(calls);
        assertThat(ledger.batches().sent(batch)).isTrue();
        return batch;
    }

    private Batch accepted(int calls) {
        Batch batch = sent(calls);
        settle(batch, ACCEPTED);
        clock.pass(Duration.ofSeconds(31));
        return due().stream()
                .filter(each -> each.id() == batch.id())
                .findFirst()
                .orElseThrow();
    }

    private void settle(Batch batch, Verdict verdict) {
        ledger.batches().settle(batch, verdict, Steps.of(verdict), null);
    }

    private List<Batch> due() {
        return ledger.batches().due(ENGINE, Duration.ofSeconds(30), 10);
    }

    private List<String> texts(List<Call> calls) {
        return calls.stream().map(call -> call.request().text()).toList();
    }

    private List<Call> open(Batch batch) {
        return ledger.batches().open(batch, -1, 1000);
    }

    private String state(Batch batch) {
        return rows("SELECT state FROM batch WHERE id = ?", row -> row.getString(1), batch.id())
                .get(0);
    }

    @Test
    void a_batch_is_gathered_as_soon_as_there_are_enough() {
        drop("f.jsonl", "a", "b");
        assertThat(gather(3)).isNull();
        drop("g.jsonl", "c", "d");

        Batch batch = gathered(3);

        assertThat(texts(batch.calls())).containsExactly("a", "b", "c");
        assertThat(batch.handle()).startsWith("oncebox-");
        assertThat(batch.sentAt()).isZero();
        assertThat(state(batch)).isEqualTo("GATHERED");
        assertThat(number("SELECT calls FROM batch")).isEqualTo(3);
        assertThat(call("a").state()).isEqualTo(CallState.CLAIMED);
        assertThat(call("d").state()).isEqualTo(CallState.READY);
        assertThat(events("a")).containsExactly(EventKind.ATTEMPT);
    }

    @Test
    void a_batch_is_gathered_once_a_call_has_waited_long_enough() {
        drop("f.jsonl", "a");
        clock.pass(AGE.minusMillis(1));
        drop("g.jsonl", "b");
        assertThat(gather(1000)).isNull();
        clock.pass(Duration.ofMillis(1));

        assertThat(texts(gathered(1000).calls())).containsExactly("a", "b");
    }

    @Test
    void nothing_is_gathered_where_nothing_is_due() {
        assertThat(gather(1)).isNull();
        drop("f.jsonl", "a");
        attempt(refused(Verdict.Refused.Cause.BUSY));
        assertThat(gather(1)).isNull();
        assertThat(ledger.batches().gather("another", new Gathering(1, Duration.ZERO, 1)))
                .isNull();
    }

    @Test
    void no_more_is_gathered_than_there_is_room_for_but_one_call_always() {
        drop("f.jsonl", "a", "b", "c");
        long one = number("SELECT length(body) FROM request LIMIT 1");

        Batch two = ledger.batches().gather(ENGINE, new Gathering(3, AGE, 2 * one + 1));
        Batch alone = ledger.batches().gather(ENGINE, new Gathering(1, AGE, 1));

        assertThat(texts(two.calls())).containsExactly("a", "b");
        assertThat(texts(alone.calls())).containsExactly("c");
        assertThat(number("SELECT sum(calls) FROM batch")).isEqualTo(3);
    }

    @Test
    void what_has_no_room_waits_for_another_batch() {
        drop("f.jsonl", "a", "b", "c");
        Batch batch = gathered(3);
        Batch smaller = batch.with(batch.calls().subList(0, 2));

        ledger.batches().leave(batch, batch.calls().subList(2, 3));

        assertThat(call("c").state()).isEqualTo(CallState.READY);
        assertThat(ledger.batches().sent(smaller)).isTrue();
        assertThat(number("SELECT calls FROM batch WHERE id = ?", batch.id())).isEqualTo(2);
        assertThat(texts(gathered(1).calls())).containsExactly("c");
    }

    @Test
    void a_batch_of_which_a_call_was_claimed_away_is_not_sent_and_leaves_nothing_behind() {
        drop("f.jsonl", "a", "b", "c");
        Batch batch = gathered(3);
        ledger.batches().leave(batch, batch.calls().subList(0, 1));
        ledger.claim(ENGINE, 1);

        assertThat(ledger.batches().sent(batch)).isFalse();

        assertThat(state(batch)).isEqualTo("ENDED");
        assertThat(call("a").state()).isEqualTo(CallState.CLAIMED);
        assertThat(call("b").state()).isEqualTo(CallState.READY);
        assertThat(call("b").sends()).isZero();
        assertThat(ledger.batches().sent(batch)).isFalse();
    }

    @Test
    void claims_that_are_given_back_are_no_batch_any_more() {
        drop("f.jsonl", "a", "b");
        Batch batch = gathered(2);

        ledger.releaseClaims();

        assertThat(state(batch)).isEqualTo("ENDED");
        assertThat(texts(gathered(2).calls())).containsExactly("a", "b");
    }

    @Test
    void the_send_of_every_call_is_recorded_before_the_submission() {
        drop("f.jsonl", "a", "b");

        Batch batch = sent(2);

        assertThat(call("a")).extracting(Row::state, Row::sends, Row::attempts).containsExactly(CallState.SENT, 1, 1);
        assertThat(events("b")).containsExactly(EventKind.ATTEMPT, EventKind.SENT);
        assertThat(number("SELECT count(DISTINCT attempt) FROM event")).isEqualTo(1);
        assertThat(ledger.batches().isOpen(batch)).isTrue();
        assertThat(ledger.batches().sent(batch)).as("a second time").isFalse();
        assertThat(due()).as("while the submission is under way").isEmpty();
    }

    @Test
    void an_accepted_batch_is_asked_for_at_its_time_and_each_time_only_once() {
        drop("f.jsonl", "a", "b");
        Batch batch = sent(2);

        settle(batch, ACCEPTED);

        assertThat(ledger.batches().isOpen(batch)).isFalse();
        assertThat(due()).isEmpty();
        clock.pass(Duration.ofSeconds(30));
        List<Batch> due = due();
        assertThat(due).hasSize(1);
        assertThat(due.get(0).remote().address()).isEqualTo(ACCEPTED.address());
        assertThat(due.get(0).remote().said()).isEqualTo("validating");
        assertThat(due.get(0).sentAt()).isPositive();
        assertThat(due()).isEmpty();
        assertThat(ledger.batches().addresses(ENGINE)).containsExactly(ACCEPTED.address());
        assertThat(ledger.batches().addresses("another")).isEmpty();
        assertThat(events("a")).containsExactly(EventKind.ATTEMPT, EventKind.SENT, EventKind.QUEUED);
        assertThat(call("a").state()).isEqualTo(CallState.POLLING);
        assertThat(ledger.polling(ENGINE, Duration.ZERO, 10))
                .as("not one by one")
                .isEmpty();
    }

    @Test
    void calls_of_a_batch_are_found_by_their_key_as_they_were_before_they_were_sent() {
        drop("f.jsonl", "a", "b", "c");
        Batch batch = accepted(2);

        Call found = ledger.batches().open(batch, sha256("a"));

        assertThat(found.request().text()).isEqualTo("a");
        assertThat(found.sends()).isZero();
        assertThat(found.attempts()).isZero();
        assertThat(ledger.batches().open(batch, sha256("c"))).isNull();
        assertThat(ledger.batches().open(batch, sha256("nobody's"))).isNull();
        assertThat(ledger.batches().keys(batch)).hasSize(2).contains(found.keyHex());
        assertThat(texts(ledger.batches().open(batch, found.id(), 10))).containsExactly("b");
        assertThat(texts(ledger.batches().open(batch, -1, 1))).containsExactly("a");
    }

    @Test
    void a_batch_ends_when_each_of_its_calls_has() {
        ReceivedFile file = drop("f.jsonl", "a", "b");
        Batch batch = accepted(2);
        ledger.settle(open(batch).get(0), valid("x"), Steps.of(valid("x")), null);
        settle(batch, new Verdict.Running("completed", true, Duration.ofSeconds(30)));
        assertThat(state(batch)).isEqualTo("POLLING");
        assertThat(pending(file)).isEqualTo(1);
        ledger.settle(open(batch).get(0), unusable(), Steps.of(unusable()), null);

        settle(batch, new Verdict.Running("completed", true, Duration.ofSeconds(30)));

        assertThat(state(batch)).isEqualTo("ENDED");
        assertThat(pending(file)).isZero();
        clock.pass(Duration.ofDays(1));
        assertThat(due()).isEmpty();
        assertThat(call("a")).extracting(Row::state, Row::attempts).containsExactly(CallState.DONE, 1);
        assertThat(events("a")).endsWith(EventKind.QUEUED, EventKind.COMPLETE);
        assertThat(events("b")).contains(EventKind.POLLED);
    }

    @Test
    void what_is_sent_again_belongs_to_its_next_batch_only() {
        drop("f.jsonl", "a", "b");
        Batch first = accepted(2);
        ledger.settle(
                open(first).get(0),
                refused(Verdict.Refused.Cause.BUSY),
                Steps.of(refused(Verdict.Refused.Cause.BUSY)),
                null);
        clock.pass(Duration.ofHours(1));
        Batch second = sent(1);

        assertThat(ledger.batches().open(first, sha256("a"))).isNull();
        assertThat(texts(open(first))).containsExactly("b");
        settle(second, ACCEPTED);
        assertThat(texts(open(second))).containsExactly("a");
        assertThat(call("a")).extracting(Row::sends, Row::attempts).containsExactly(2, 1);
    }

    @Test
    void refusals_of_what_was_accepted_add_up_until_they_are_given_up() {
        drop("f.jsonl", "a");
        Verdict no = refused(Verdict.Refused.Cause.BUSY);
        for (int i = 1; i <= 3; i++) {
            ledger.settle(open(accepted(1)).get(0), no, Steps.of(no), null);
            assertThat(call("a").failures()).isEqualTo(i);
            clock.pass(Duration.ofMinutes(20));
        }
        clock.pass(RETRY.giveUp());
        ledger.settle(open(accepted(1)).get(0), no, Steps.of(no), null);
        assertThat(call("a")).extracting(Row::state, Row::attempts).containsExactly(CallState.DEAD, 0);
    }

    @Test
    void a_submission_that_is_refused_costs_nothing_and_ends_the_batch() {
        drop("f.jsonl", "a", "b");
        Batch batch = sent(2);

        settle(batch, refused(Verdict.Refused.Cause.BUSY));

        assertThat(state(batch)).isEqualTo("ENDED");
        assertThat(call("a")).extracting(Row::state, Row::attempts, Row::sends).containsExactly(CallState.READY, 0, 1);
        assertThat(number("SELECT count(*) FROM call WHERE batch IS NOT NULL")).isZero();
    }

    @Test
    void what_fails_before_the_submission_is_no_send() {
        drop("f.jsonl", "a", "b");
        Batch batch = gathered(2);

        settle(batch, UNSENT);

        assertThat(state(batch)).isEqualTo("ENDED");
        assertThat(call("b")).extracting(Row::state, Row::attempts, Row::sends).containsExactly(CallState.READY, 0, 0);
    }

    @Test
    void a_submission_without_a_reply_is_looked_for_before_it_is_a_doubt() {
        policy = HOLD;
        drop("f.jsonl", "a", "b");
        settle(sent(2), unknown());
        assertThat(call("a").state()).isEqualTo(CallState.POLLING);
        assertThat(events("a")).doesNotContain(EventKind.IN_DOUBT);

        Batch looked = due().get(0);
        assertThat(looked.remote()).isNull();
        assertThat(looked.calls()).isEmpty();
        settle(looked, unknown());

        assertThat(state(looked)).isEqualTo("ENDED");
        assertThat(call("a")).extracting(Row::state, Row::attempts, Row::doubts).containsExactly(CallState.DOUBT, 1, 1);
        assertThat(events("b")).endsWith(EventKind.IN_DOUBT);
    }

    @Test
    void a_submission_that_is_found_again_goes_on_as_if_it_had_been_accepted() {
        drop("f.jsonl", "a", "b");
        settle(sent(2), unknown());
        Batch looked = due().get(0);
        settle(looked, new Verdict.Running("not in the list", false, Duration.ofSeconds(30)));
        assertThat(ledger.batches().addresses(ENGINE)).isEmpty();
        clock.pass(Duration.ofSeconds(30));

        settle(due().get(0), ACCEPTED);

        assertThat(events("a")).containsExactly(EventKind.ATTEMPT, EventKind.SENT, EventKind.QUEUED);
        assertThat(call("a")).extracting(Row::attempts, Row::doubts).containsExactly(1, 0);
        assertThat(texts(open(looked))).containsExactly("a", "b");
    }

    @Test
    void a_death_dissolves_what_was_gathered_and_looks_for_what_was_sent() {
        drop("f.jsonl", "a", "b", "c", "d");
        Batch lost = sent(2);
        Batch gathered = gathered(2);

        reopen();
        assertThat(ledger.recover()).as("nothing is in doubt yet").isZero();

        assertThat(state(gathered)).isEqualTo("ENDED");
        assertThat(call("c").state()).isEqualTo(CallState.READY);
        assertThat(state(lost)).isEqualTo("SENT");
        assertThat(due()).extracting(Batch::handle).containsExactly(lost.handle());
        assertThat(texts(open(lost))).containsExactly("a", "b");
        assertThat(ledger.batches().sent(gathered)).isFalse();
    }

    @Test
    void a_death_among_the_results_loses_none_of_them() {
        drop("f.jsonl", "a", "b");
        Batch batch = accepted(2);
        ledger.settle(open(batch).get(0), valid("x"), Steps.of(valid("x")), null);

        reopen();
        ledger.recover();
        clock.pass(Duration.ofSeconds(30));

        assertThat(due()).extracting(Batch::id).containsExactly(batch.id());
        assertThat(texts(open(batch))).containsExactly("b");
    }
}
