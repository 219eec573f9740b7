package dev.oncebox.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oncebox.config.Retry;
import dev.oncebox.ledger.Verdict.Refused.Cause;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TransitionTest {

    private static final long NOW = 1_800_000_000_000L;
    private static final Retry RETRY =
            new Retry(Duration.ofSeconds(1), 2, Duration.ofMinutes(10), Duration.ofHours(24));
    private static final Verdict UNSENT = new Verdict.Unsent("connection_refused", "Refused.");
    private static final Verdict UNKNOWN = new Verdict.Unknown("connection_lost", "Lost.", false);
    private static final Verdict TIMEOUT = new Verdict.Unknown("timeout", "Late.", true);
    private static final Verdict UNUSABLE = new Verdict.Unusable("empty_answer", "Empty.", Usage.UNKNOWN);
    private static final Verdict VALID = new Verdict.Valid(new Answer(null, null, null, Usage.UNKNOWN));

    /** A call that was sent {@code attempts} times before, at a possible charge, and failed {@code failures} times. */
    private static Call call(int attempts, int failures, long refusedSince) {
        var request = new Request(null, "text", null, null, new TreeMap<>(), null, null);
        return new Call(1, new byte[32], "j", "e", 5, attempts, attempts, 0, 0, failures, refusedSince, request);
    }

    private static Policy policy(boolean resend, boolean deduplicates) {
        return new Policy(3, resend, deduplicates, RETRY, null);
    }

    private static Transition after(Call call, Verdict verdict, Policy policy, long seed) {
        return Transition.after(call, verdict, Steps.of(verdict), policy, NOW, new Random(seed));
    }

    private static Transition after(Call call, Verdict verdict) {
        return after(call, verdict, policy(true, false), 1);
    }

    private static Verdict incomplete(Charged charged) {
        return new Verdict.Incomplete("cut_short", "Cut.", charged, Usage.UNKNOWN);
    }

    private static Verdict refused(Cause cause, @Nullable Duration retryAfter) {
        return new Verdict.Refused("slow_down", "Slow down.", cause, retryAfter);
    }

    @ParameterizedTest
    @CsvSource({"true, true", "true, false", "false, true", "false, false"})
    void a_valid_answer_is_the_end_whatever_the_policy(boolean resend, boolean deduplicates) {
        assertThat(after(call(2, 7, 55), VALID, policy(resend, deduplicates), 1))
                .isEqualTo(new Transition(
                        CallState.DONE, "e", NOW, 3, 0, 0, 0, 0, 0, List.of(EventKind.COMPLETE), null, null));
    }

    @ParameterizedTest
    @CsvSource({"true, true", "true, false", "false, true", "false, false"})
    void a_whole_answer_that_the_job_does_not_accept_is_dead_at_once(boolean resend, boolean deduplicates) {
        Transition next = after(call(0, 0, 0), UNUSABLE, policy(resend, deduplicates), 1);
        assertThat(next)
                .isEqualTo(new Transition(
                        CallState.DEAD,
                        "e",
                        NOW,
                        1,
                        0,
                        1,
                        0,
                        0,
                        0,
                        List.of(EventKind.INCOMPLETE, EventKind.DEAD_LETTER),
                        "empty_answer",
                        "Empty."));
    }

    @ParameterizedTest
    @CsvSource({
        "0, YES, READY, 1, false",
        "1, YES, READY, 2, false",
        "2, YES, DEAD, 3, false",
        "0, UNKNOWN, READY, 1, true",
        "2, UNKNOWN, DEAD, 3, true",
        "7, UNKNOWN, DEAD, 8, true"
    })
    void an_incomplete_reply_is_tried_again_within_the_attempts(
            int before, Charged charged, CallState state, int attempts, boolean doubtful) {
        Transition next = after(call(before, before, 0), incomplete(charged));
        assertThat(next.state()).isEqualTo(state);
        assertThat(next.attempts()).isEqualTo(attempts);
        assertThat(next.doubts()).isEqualTo(doubtful ? 1 : 0);
        assertThat(next.events().get(0)).isEqualTo(EventKind.INCOMPLETE);
        assertThat(next.events().contains(EventKind.DEAD_LETTER)).isEqualTo(state == CallState.DEAD);
        assertThat(next.code()).isEqualTo("cut_short");
    }

    @ParameterizedTest
    @CsvSource({
        "0, true, false, READY, true",
        "1, true, false, READY, true",
        "2, true, false, DEAD, true",
        "0, false, false, DOUBT, true",
        "2, false, false, DOUBT, true",
        "0, false, true, READY, false",
        "0, true, true, READY, false",
        "2, false, true, DEAD, true",
        "2, true, true, DEAD, true"
    })
    void an_unknown_outcome_follows_the_doubt_policy(
            int before, boolean resend, boolean deduplicates, CallState state, boolean doubtful) {
        for (Verdict verdict : List.of(UNKNOWN, TIMEOUT)) {
            Transition next = after(call(before, 0, 9), verdict, policy(resend, deduplicates), 1);
            assertThat(next.state()).isEqualTo(state);
            assertThat(next.attempts()).isEqualTo(before + 1);
            assertThat(next.doubts()).isEqualTo(doubtful ? 1 : 0);
            assertThat(next.refusedSince()).as("no refusal any more").isZero();
            assertThat(next.events().get(0)).isEqualTo(verdict == TIMEOUT ? EventKind.TIMEOUT : EventKind.IN_DOUBT);
            assertThat(next.events()).hasSize(state == CallState.DEAD ? 2 : 1);
        }
    }

    @Test
    void what_was_not_sent_or_was_refused_counts_as_no_attempt() {
        for (Verdict verdict : List.of(UNSENT, refused(Cause.BUSY, null), refused(Cause.ENGINE, null))) {
            for (Policy policy : List.of(policy(true, false), policy(false, false), policy(false, true))) {
                Transition next = after(call(2, 4, 0), verdict, policy, 1);
                assertThat(next.state()).isEqualTo(CallState.READY);
                assertThat(next.attempts()).isEqualTo(2);
                assertThat(next.failures()).isEqualTo(5);
                assertThat(next.refusedSince()).isEqualTo(NOW);
                assertThat(next.doubts()).isZero();
                assertThat(next.events()).containsExactly(EventKind.REFUSED);
            }
        }
    }

    @Test
    void a_refusal_of_the_request_itself_is_dead_at_once_and_uncounted() {
        Transition next = after(call(0, 0, 0), refused(Cause.REQUEST, Duration.ofSeconds(5)));
        assertThat(after(call(0, 0, 0), refused(Cause.MISFIT, null))).isEqualTo(next);
        assertThat(next)
                .isEqualTo(new Transition(
                        CallState.DEAD,
                        "e",
                        NOW,
                        0,
                        0,
                        1,
                        0,
                        0,
                        0,
                        List.of(EventKind.REFUSED, EventKind.DEAD_LETTER),
                        "slow_down",
                        "Slow down."));
    }

    @Test
    void refusals_in_a_row_are_given_up_after_their_time_and_not_before() {
        long day = Duration.ofHours(24).toMillis();
        for (Verdict verdict : List.of(UNSENT, refused(Cause.BUSY, Duration.ofDays(3)), refused(Cause.ENGINE, null))) {
            Transition patient = after(call(0, 90, NOW - day + 1), verdict);
            assertThat(patient.state()).isEqualTo(CallState.READY);
            assertThat(patient.refusedSince()).isEqualTo(NOW - day + 1);
            Transition over = after(call(1, 90, NOW - day), verdict);
            assertThat(over.state()).isEqualTo(CallState.DEAD);
            assertThat(over.attempts()).isEqualTo(1);
            assertThat(over.events()).containsExactly(EventKind.REFUSED, EventKind.DEAD_LETTER);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 5, 9, 10, 11, 63, 5000})
    void a_backoff_is_anywhere_between_now_and_its_doubling_ceiling(int failures) {
        long ceiling = failures >= 10 ? 600_000 : Math.min(600_000, 1000L << failures);
        for (Verdict verdict : List.of(UNSENT, UNKNOWN, TIMEOUT, incomplete(Charged.YES), refused(Cause.BUSY, null))) {
            long[] waits = LongStream.range(0, 400)
                    .map(seed -> after(call(0, failures, 0), verdict, policy(true, false), seed)
                                    .due()
                            - NOW)
                    .toArray();
            assertThat(LongStream.of(waits)).allMatch(wait -> wait >= 0 && wait <= ceiling);
            assertThat(LongStream.of(waits).min().getAsLong()).as("full jitter").isLessThan(ceiling / 20);
            assertThat(LongStream.of(waits).max().getAsLong()).as("full jitter").isGreaterThan(ceiling - ceiling / 20);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 61_000, 600_000, 86_400_000, 31 * 86_400_000L})
    void a_wait_that_the_endpoint_asks_for_is_kept_with_jitter_only_after_it(long wait) {
        for (Cause cause : List.of(Cause.BUSY, Cause.ENGINE)) {
            long[] waits = LongStream.range(0, 400)
                    .map(seed ->
                            after(call(0, 12, 0), refused(cause, Duration.ofMillis(wait)), policy(true, false), seed)
                                            .due()
                                    - NOW)
                    .toArray();
            assertThat(LongStream.of(waits)).allMatch(due -> due >= wait && due <= wait + 2000);
            assertThat(LongStream.of(waits).distinct().count()).isGreaterThan(200);
        }
    }

    @Test
    void a_policy_without_backoff_is_due_at_once() {
        var none = new Policy(3, true, false, new Retry(Duration.ZERO, 2, Duration.ZERO, Duration.ofHours(1)), null);
        assertThat(after(call(0, 5000, 0), UNSENT, none, 1).due()).isEqualTo(NOW);
    }

    @Test
    void one_attempt_means_no_second_one() {
        var once = new Policy(1, true, false, RETRY, null);
        assertThat(after(call(0, 0, 0), UNKNOWN, once, 1).state()).isEqualTo(CallState.DEAD);
        assertThat(after(call(0, 0, 0), incomplete(Charged.YES), once, 1).state())
                .isEqualTo(CallState.DEAD);
        assertThat(after(call(0, 0, 0), UNSENT, once, 1).state()).isEqualTo(CallState.READY);
    }

    private static final Policy NEXT = new Policy(3, true, false, RETRY, "next");

    @Test
    void what_is_the_engines_own_fault_goes_on_at_the_next_engine_at_once() {
        for (Verdict verdict : List.of(refused(Cause.ENGINE, Duration.ofDays(1)))) {
            Transition next = after(call(2, 4, 7), verdict, NEXT, 1);
            assertThat(next.state()).isEqualTo(CallState.READY);
            assertThat(next.engine()).isEqualTo("next");
            assertThat(next.due()).isEqualTo(NOW);
            assertThat(next.attempts()).isEqualTo(2);
            assertThat(next.earlier()).as("all attempts again").isEqualTo(2);
            assertThat(next.failures() + next.refusedSince()).isZero();
            assertThat(next.events()).containsExactly(EventKind.REFUSED, EventKind.FALLBACK);
        }
    }

    @Test
    void what_is_too_much_for_an_engine_or_did_not_reach_it_waits_for_it() {
        for (Verdict verdict : List.of(UNSENT, refused(Cause.BUSY, null))) {
            assertThat(after(call(0, 0, 0), verdict, NEXT, 1).engine()).isEqualTo("e");
            long tooLong = NOW - RETRY.giveUp().toMillis();
            assertThat(after(call(0, 9, tooLong), verdict, NEXT, 1).state())
                    .as("given up")
                    .isEqualTo(CallState.DEAD);
        }
    }

    @Test
    void a_request_that_no_engine_would_take_and_an_answer_that_was_paid_are_not_asked_for_elsewhere() {
        for (Verdict verdict : List.of(refused(Cause.REQUEST, null), UNUSABLE)) {
            assertThat(after(call(0, 0, 0), verdict, NEXT, 1).state()).isEqualTo(CallState.DEAD);
        }
    }

    @Test
    void attempts_that_are_used_up_begin_anew_at_the_next_engine() {
        for (Verdict verdict : List.of(UNKNOWN, TIMEOUT, incomplete(Charged.YES), incomplete(Charged.UNKNOWN))) {
            Transition next = after(call(2, 2, 0), verdict, NEXT, 1);
            assertThat(next.engine()).isEqualTo("next");
            assertThat(next.attempts()).isEqualTo(3);
            assertThat(next.earlier()).isEqualTo(3);
            assertThat(next.doubts()).isEqualTo(verdict.charged() == Charged.UNKNOWN ? 1 : 0);
            assertThat(next.events()).hasSize(2).contains(EventKind.FALLBACK);
        }
        var request = new Request(null, "text", null, null, new TreeMap<>(), null, null);
        Call moved = new Call(1, new byte[32], "j", "next", 6, 3, 3, 3, 0, 0, 0, request);
        assertThat(after(moved, UNKNOWN, policy(true, false), 1).state()).isEqualTo(CallState.READY);
        Call twice = new Call(1, new byte[32], "j", "next", 8, 5, 5, 3, 0, 2, 0, request);
        assertThat(after(twice, UNKNOWN, policy(true, false), 1).state()).isEqualTo(CallState.DEAD);
    }

    /** The other engine does not know the key, so that leaving may be a second payment that nobody chose. */
    @Test
    void what_only_one_engine_would_recognise_leaves_it_only_where_a_resend_is_allowed() {
        var request = new Request(null, "text", null, null, new TreeMap<>(), null, null);
        Call unresolved = new Call(1, new byte[32], "j", "e", 5, 2, 2, 0, 2, 2, 0, request);
        var hold = new Policy(3, false, true, RETRY, "next");
        var resend = new Policy(3, true, true, RETRY, "next");

        Transition stays = after(unresolved, refused(Cause.ENGINE, null), hold, 1);
        assertThat(stays.engine()).isEqualTo("e");
        assertThat(stays.unresolved()).isEqualTo(2);
        assertThat(stays.doubts()).isZero();
        assertThat(after(unresolved, UNKNOWN, hold, 1).state()).isEqualTo(CallState.DEAD);

        Transition leaves = after(unresolved, refused(Cause.ENGINE, null), resend, 1);
        assertThat(leaves.engine()).isEqualTo("next");
        assertThat(leaves.doubts()).as("charged once at most").isEqualTo(1);
        assertThat(leaves.unresolved()).isZero();
        assertThat(after(unresolved, VALID, resend, 1).doubts()).isZero();
    }

    @ParameterizedTest
    @CsvSource({"LATER", "AGAIN", "DOUBT"})
    void whatever_the_routes_say_what_may_have_been_charged_is_never_repeated_as_if_it_were_free(NextStep.Kind kind) {
        var step = new NextStep(kind, false);
        var random = new Random(1);
        assertThat(Transition.after(call(2, 0, 0), incomplete(Charged.YES), step, policy(true, false), NOW, random)
                        .state())
                .isEqualTo(CallState.DEAD);
        assertThat(Transition.after(call(0, 0, 0), UNKNOWN, step, policy(false, false), NOW, random)
                        .state())
                .isEqualTo(CallState.DOUBT);
        assertThat(Transition.after(call(5, 0, 0), UNSENT, step, policy(false, false), NOW, random)
                        .attempts())
                .isEqualTo(5);
    }
}
