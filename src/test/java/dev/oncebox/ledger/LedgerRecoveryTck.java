package dev.oncebox.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oncebox.ledger.Verdict.Refused.Cause;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What a process that ended leaves behind, what comes late, and what is waited for. */
public abstract class LedgerRecoveryTck extends LedgerTck {

    private static final Reply REPLY = new Reply(200, "raw".getBytes(StandardCharsets.UTF_8));

    @Test
    void a_late_answer_resolves_a_doubt() {
        policy = HOLD;
        ReceivedFile file = drop("f.jsonl", "a");
        Call call = send();
        reopen();
        assertThat(ledger.recover()).isEqualTo(1);
        assertThat(call("a").state()).isEqualTo(CallState.DOUBT);
        assertThat(ledger.work(Duration.ZERO, new Ledger.Reach(List.of(ENGINE))).doubts())
                .isEqualTo(1);
        assertThat(pending(file)).isEqualTo(1);

        assertThat(ledger.settle(call, valid("late"), Steps.of(valid("late")), REPLY)
                        .state())
                .isEqualTo(CallState.DONE);

        assertThat(outcomes(settled().get(0)).get(0).answer().text()).isEqualTo("late");
        assertThat(call("a").attempts()).isEqualTo(1);
        assertThat(call("a").doubts())
                .as("the attempt brought its answer after all")
                .isZero();
    }

    @Test
    void a_doubt_is_counted_once_and_taken_back_by_a_late_refusal() {
        policy = HOLD;
        drop("f.jsonl", "a");
        Call call = send();
        ledger.settle(call, unknown(), Steps.of(unknown()), null);
        ledger.settle(call, TIMEOUT, Steps.of(TIMEOUT), null);
        assertThat(call("a").doubts()).isEqualTo(1);

        ledger.settle(call, refused(Cause.REQUEST), Steps.of(refused(Cause.REQUEST)), null);

        assertThat(call("a").state()).isEqualTo(CallState.DEAD);
        assertThat(call("a").attempts()).isZero();
        assertThat(call("a").doubts()).isZero();
        clock.pass(Duration.ofMinutes(1));
        drop("f.jsonl", "a");
        assertThat(call("a").state())
                .as("certainly not charged, so asked for again")
                .isEqualTo(CallState.READY);
    }

    @Test
    void a_clock_that_was_set_back_between_two_runs_lets_nothing_wait_longer() {
        drop("f.jsonl", "waits for an hour", "dropped and never sent");
        attempt(new Verdict.Refused("busy", "Later.", Cause.BUSY, Duration.ofHours(1)));
        clock.pass(Duration.ofDays(-300));
        reopen();
        ledger.recover();

        assertThat(ledger.claim(ENGINE, 9)).hasSize(1);
        clock.pass(Duration.ofHours(2));
        assertThat(ledger.claim(ENGINE, 9)).hasSize(1);
    }

    /** Restarts in which nothing happened moved the wait forward once more each time, past what the endpoint asked for. */
    @Test
    void a_clock_that_was_set_back_is_followed_once_however_often_the_process_starts() {
        drop("f.jsonl", "waits for two days");
        attempt(new Verdict.Refused("busy", "Later.", Cause.BUSY, Duration.ofDays(2)));
        clock.pass(Duration.ofDays(-1));
        for (int start = 0; start < 4; start++) {
            reopen();
            ledger.recover();
        }
        clock.pass(Duration.ofHours(47));
        assertThat(ledger.claim(ENGINE, 9)).as("not before its time").isEmpty();
        clock.pass(Duration.ofHours(2));
        assertThat(ledger.claim(ENGINE, 9)).hasSize(1);
    }

    @Test
    void what_was_only_claimed_goes_back_uncounted() {
        drop("f.jsonl", "a");
        claim();
        reopen();
        assertThat(ledger.recover()).isZero();
        Row row = call("a");
        assertThat(row.state()).isEqualTo(CallState.READY);
        assertThat(row.sends() + row.attempts() + row.doubts() + row.failures()).isZero();
        assertThat(ledger.claim(ENGINE, 9)).hasSize(1);
    }

    @Test
    void what_was_sent_is_sent_again_within_the_attempts_and_is_dead_after_them() {
        ReceivedFile file = drop("f.jsonl", "a");
        for (int n = 1; n <= 3; n++) {
            send();
            reopen();
            assertThat(ledger.recover()).isEqualTo(1);
            assertThat(call("a").attempts()).isEqualTo(n);
            assertThat(call("a").doubts()).isEqualTo(n);
            assertThat(call("a").state()).isEqualTo(n < 3 ? CallState.READY : CallState.DEAD);
            List<String> before = everything();
            assertThat(ledger.recover()).as("a second time").isZero();
            assertThat(everything()).isEqualTo(before);
            clock.pass(Duration.ofHours(1));
        }
        assertThat(call("a").code()).isEqualTo("process_ended");
        assertThat(pending(file)).isZero();
        assertThat(settled()).hasSize(1);
        assertThat(events("a")).endsWith(EventKind.IN_DOUBT, EventKind.DEAD_LETTER);
    }

    @Test
    void a_refusal_does_not_burn_an_attempt_until_it_is_given_up() {
        drop("f.jsonl", "a");
        for (int n = 1; n <= 20; n++) {
            assertThat(attempt(UNSENT).state()).isEqualTo(CallState.READY);
            clock.pass(Duration.ofMinutes(11));
        }
        assertThat(call("a").attempts()).isZero();
        assertThat(call("a").sends()).isEqualTo(20);
        clock.pass(Duration.ofHours(24));
        assertThat(attempt(UNSENT).state()).isEqualTo(CallState.DEAD);
    }

    @Test
    void a_claim_whose_send_could_not_be_recorded_is_given_back_uncounted() {
        drop("f.jsonl", "a");
        Call call = claim();
        assertThat(ledger.settle(call, UNSENT, Steps.of(UNSENT), null).state()).isEqualTo(CallState.READY);
        assertThat(call("a").attempts() + call("a").sends()).isZero();
        assertThat(ledger.sent(call)).isFalse();
        clock.pass(Duration.ofMinutes(1));
        Call again = claim();
        assertThat(ledger.settle(again, valid("never sent"), Steps.of(valid("never sent")), null))
                .as("nothing else settles a mere claim")
                .isNull();
        assertThat(ledger.settle(again, unknown(), Steps.of(unknown()), null)).isNull();
        assertThat(call("a").state()).isEqualTo(CallState.CLAIMED);
    }

    @Test
    void claims_of_this_process_that_were_not_sent_can_be_given_back_at_any_time() {
        drop("f.jsonl", "a", "b");
        List<Call> calls = ledger.claim(ENGINE, 2);
        assertThat(ledger.sent(calls.get(0))).isTrue();
        ledger.releaseClaims();
        assertThat(call("a").state()).isEqualTo(CallState.SENT);
        assertThat(call("b").state()).isEqualTo(CallState.READY);
        assertThat(ledger.sent(calls.get(1))).isFalse();
        assertThat(claim().id()).isEqualTo(calls.get(1).id());
    }

    @Test
    void calls_of_an_engine_that_is_gone_go_to_the_one_that_their_job_names_now() {
        drop("f.jsonl", "waiting", "done");
        Call first = send();
        ledger.settle(first, UNSENT, Steps.of(UNSENT), null);
        attempt(valid("1"));
        assertThat(ledger.reassign(List.of(ENGINE, "new"), Map.of("default", "new")))
                .isZero();
        assertThat(ledger.reassign(List.of("new"), Map.of("other job", "new"))).isZero();
        assertThat(ledger.reassign(List.of("new"), Map.of("default", "new"))).isEqualTo(1);
        clock.pass(Duration.ofMinutes(1));
        assertThat(ledger.claim(ENGINE, 9)).isEmpty();
        assertThat(ledger.claim("new", 9)).extracting(Call::id).containsExactly(first.id());
    }

    /** It was excused as free to repeat, and the configuration does not say so any more: nobody allowed a second payment. */
    @Test
    void what_an_engine_was_said_to_recognise_is_a_doubt_once_it_is_not_said_to_any_more() {
        policy = new Policy(3, false, true, RETRY, null);
        drop("f.jsonl", "a");
        assertThat(attempt(unknown()).state()).isEqualTo(CallState.READY);
        policy = HOLD;
        reopen();
        ledger.recover();
        assertThat(call("a").state()).isEqualTo(CallState.DOUBT);
        assertThat(call("a").doubts()).isEqualTo(1);
        clock.pass(Duration.ofDays(1));
        assertThat(ledger.claim(ENGINE, 9)).isEmpty();
    }

    @Test
    void where_doubts_are_sent_again_such_a_call_is_too_and_shows_that_it_may_be_paid_twice() {
        policy = new Policy(3, true, true, RETRY, null);
        drop("f.jsonl", "a");
        attempt(unknown());
        policy = RESEND;
        reopen();
        ledger.recover();
        ledger.recover();
        clock.pass(Duration.ofDays(1));
        attempt(valid("1"));
        assertThat(call("a").state()).isEqualTo(CallState.DONE);
        assertThat(call("a").doubts()).isEqualTo(1);
    }
}
