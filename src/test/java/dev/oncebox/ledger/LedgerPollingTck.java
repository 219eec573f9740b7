package dev.oncebox.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oncebox.ledger.Verdict.Refused.Cause;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Calls that an engine accepted and answers later: asked for at their time, never sent again, by whoever comes. */
public abstract class LedgerPollingTck extends LedgerTck {

    private static final Duration POLL = Duration.ofSeconds(60);
    private static final String ADDRESS = "http://engine/jobs/1";
    private static final Verdict ACCEPTED = new Verdict.Accepted(ADDRESS, "queued", POLL);

    private static Verdict running(String said) {
        return new Verdict.Running(said, true, POLL);
    }

    private Call polled() {
        List<Call> calls = ledger.polling(ENGINE, POLL, 10);
        assertThat(calls).as("calls to ask for").hasSize(1);
        return calls.get(0);
    }

    private Transition settle(Call call, Verdict verdict) {
        return ledger.settle(call, verdict, Steps.of(verdict), null);
    }

    @Test
    void an_accepted_call_is_asked_for_at_its_time_and_at_most_so_often() {
        drop("f.jsonl", "a");
        attempt(ACCEPTED);

        assertThat(call("a").state()).isEqualTo(CallState.POLLING);
        assertThat(ledger.claim(ENGINE, 10)).isEmpty();
        assertThat(ledger.polling(ENGINE, POLL, 10)).isEmpty();
        assertThat(ledger.untilPolling(List.of(ENGINE))).isEqualTo(POLL.toMillis());
        clock.pass(POLL);
        Call asked = polled();
        assertThat(asked.remote()).isNotNull();
        assertThat(asked.remote().address()).isEqualTo(ADDRESS);
        assertThat(ledger.polling(ENGINE, POLL, 10)).as("whoever died over it").isEmpty();

        settle(asked, valid("the answer"));

        assertThat(events("a"))
                .containsExactly(EventKind.ATTEMPT, EventKind.SENT, EventKind.QUEUED, EventKind.COMPLETE);
        assertThat(call("a").attempts()).isEqualTo(1);
        assertThat(call("a").sends()).isEqualTo(1);
    }

    @Test
    void what_the_engine_says_is_news_once() {
        drop("f.jsonl", "a");
        attempt(ACCEPTED);
        for (String said : List.of("queued", "running", "running", "running", "finalizing")) {
            clock.pass(POLL);
            settle(polled(), running(said));
        }

        assertThat(events("a"))
                .containsExactly(
                        EventKind.ATTEMPT, EventKind.SENT, EventKind.QUEUED, EventKind.POLLED, EventKind.POLLED);
    }

    @Test
    void a_new_process_goes_on_asking_and_sends_nothing() {
        drop("f.jsonl", "a");
        attempt(ACCEPTED);
        reopen();

        assertThat(ledger.recover()).isZero();

        assertThat(call("a").state()).isEqualTo(CallState.POLLING);
        clock.pass(POLL);
        assertThat(settle(polled(), valid("the answer")).state()).isEqualTo(CallState.DONE);
        assertThat(number("SELECT count(*) FROM event WHERE kind = 'SENT'")).isEqualTo(1);
    }

    @Test
    void an_acceptance_that_comes_late_ends_the_doubt_of_a_held_call() {
        policy = HOLD;
        drop("f.jsonl", "a");
        Call frozen = send();
        reopen();
        ledger.recover();
        assertThat(call("a").state()).isEqualTo(CallState.DOUBT);

        settle(frozen, ACCEPTED);

        assertThat(call("a").state()).isEqualTo(CallState.POLLING);
        assertThat(call("a").doubts()).isZero();
    }

    @Test
    void an_acceptance_that_comes_before_the_second_send_prevents_it() {
        drop("f.jsonl", "a");
        Call frozen = send();
        reopen();
        ledger.recover();
        assertThat(call("a").state()).isEqualTo(CallState.READY);

        settle(frozen, ACCEPTED);

        clock.pass(Duration.ofHours(1));
        assertThat(ledger.claim(ENGINE, 10)).isEmpty();
        assertThat(call("a").doubts()).isZero();
    }

    @Test
    void an_acceptance_that_comes_after_the_second_send_is_kept_and_not_used() {
        drop("f.jsonl", "a");
        Call frozen = send();
        reopen();
        ledger.recover();
        clock.pass(Duration.ofHours(1));
        Call second = send();

        assertThat(settle(frozen, ACCEPTED)).isNull();
        settle(second, valid("the answer"));

        assertThat(call("a").state()).isEqualTo(CallState.DONE);
    }

    @Test
    void what_is_said_of_a_call_that_has_its_end_is_not_even_journalled() {
        drop("f.jsonl", "a");
        attempt(ACCEPTED);
        clock.pass(POLL);
        Call asked = polled();
        settle(asked, valid("the answer"));
        List<EventKind> before = events("a");

        assertThat(settle(asked, running("running"))).isNull();

        assertThat(events("a")).isEqualTo(before);
    }

    @Test
    void a_lost_job_is_a_doubt_and_the_policy_decides() {
        drop("f.jsonl", "a");
        attempt(ACCEPTED);
        clock.pass(POLL);
        policy = HOLD;
        settle(polled(), unknown());
        assertThat(call("a").state()).isEqualTo(CallState.DOUBT);
        assertThat(call("a").doubts()).isEqualTo(1);

        drop("g.jsonl", "b");
        policy = RESEND;
        attempt(ACCEPTED);
        clock.pass(POLL);
        settle(polled(), unknown());
        assertThat(call("b").state()).isEqualTo(CallState.READY);
        assertThat(call("b").doubts()).isEqualTo(1);
    }

    @Test
    void a_job_that_was_not_worked_on_is_free_and_comes_again() {
        drop("f.jsonl", "a");
        attempt(ACCEPTED);
        clock.pass(POLL);

        settle(polled(), refused(Cause.BUSY));

        assertThat(call("a").state()).isEqualTo(CallState.READY);
        assertThat(call("a").attempts()).isZero();
        assertThat(ledger.spent(0).calls()).isZero();
    }

    @Test
    void an_accepted_call_is_spent_once_before_and_after_its_answer() {
        drop("f.jsonl", "a");
        attempt(ACCEPTED);
        assertThat(ledger.spent(0).calls()).isEqualTo(1);
        assertThat(ledger.spent(0).unpriced()).isEqualTo(1);
        clock.pass(POLL);

        settle(polled(), valid("the answer"));

        assertThat(ledger.spent(0).calls()).isEqualTo(1);
        assertThat(ledger.spent(0).unpriced()).isZero();
        assertThat(ledger.spent(0).cost()).isEqualByComparingTo("0.25");
    }

    @Test
    void what_can_be_asked_for_before_the_horizon_is_work_and_the_rest_is_parked() {
        drop("f.jsonl", "a");
        attempt(new Verdict.Accepted(ADDRESS, "queued", Duration.ofHours(1)));
        var reach = new Ledger.Reach(List.of(ENGINE), List.of(), List.of(ENGINE));
        var elsewhere = new Ledger.Reach(List.of(ENGINE), List.of(), List.of("other"));

        assertThat(ledger.isBusy(Duration.ofMinutes(10), reach)).isFalse();
        assertThat(ledger.work(Duration.ofMinutes(10), reach).parked()).isEqualTo(1);
        assertThat(ledger.isBusy(Duration.ofHours(2), reach)).isTrue();
        assertThat(ledger.work(Duration.ofHours(2), reach).unfinished()).isEqualTo(1);
        assertThat(ledger.isBusy(Duration.ofHours(2), elsewhere)).isFalse();
        assertThat(ledger.work(Duration.ofHours(2), elsewhere).parked()).isEqualTo(1);
    }

    @Test
    void another_file_that_asks_the_same_joins_the_job() {
        drop("f.jsonl", "a");
        attempt(ACCEPTED);
        ReceivedFile second = drop("g.jsonl", "a");
        assertThat(pending(second)).isEqualTo(1);
        clock.pass(POLL);

        settle(polled(), valid("the answer"));

        assertThat(settled()).hasSize(2);
    }

    /** After a long silence a second denial, a moment after the first, was enough to give a batch up. */
    @Test
    void a_batch_is_unknown_since_the_first_time_that_the_engine_said_so() {
        drop("f.jsonl", "a");
        Batch gathered = ledger.batches().gather(ENGINE, new Gathering(1, Duration.ZERO, 1 << 20));
        assertThat(ledger.batches().sent(gathered)).isTrue();
        ledger.batches().settle(gathered, ACCEPTED, NextStep.IN_DOUBT, null);
        clock.pass(Duration.ofHours(8));
        var denied = new Verdict.Running("It answered 404.", false, POLL);

        ledger.batches().settle(due(), denied, NextStep.IN_DOUBT, null);
        long since = clock.millis();
        clock.pass(POLL);

        assertThat(due().remote().seen()).isEqualTo(since);
        ledger.batches().settle(due(), denied, NextStep.IN_DOUBT, null);
        clock.pass(POLL);
        assertThat(due().remote().seen()).isEqualTo(since);
    }

    private Batch due() {
        return ledger.batches().due(ENGINE, Duration.ZERO, 1).get(0);
    }
}
