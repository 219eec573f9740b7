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
        return new Call(1, new byte[32], "j", "e", 5, attempts, attempts, failures, refusedSince, request);
    }

    private static Policy policy(boolean resend, boolean deduplicates) {
        return new Policy(3, resend, deduplicates, RETRY);
    }

    private static Transition after(Call call, Verdict verdict, Policy policy, long seed) {
        return Transition.after(call, verdict, policy, NOW, new Random(seed));
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
                .isEqualTo(
                        new Transition(CallState.DONE, NOW, 3, 0, 0, false, List.of(EventKind.COMPLETE), null, null));
    }

    @ParameterizedTest
    @CsvSource({"true, true", "true, false", "false, true", "false, false"})
    void a_whole_answer_that_the_job_does_not_accept_is_dead_at_once(boolean resend, boolean deduplicates) {
        Transition next = after(call(0, 0, 0), UNUSABLE, policy(resend, deduplicates), 1);
        assertThat(next)
                .isEqualTo(new Transition(
                        CallState.DEAD,
                        NOW,
                        1,
                        1,
                        0,
                        false,
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
        assertThat(next.doubtful()).isEqualTo(doubtful);
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
        "2, false, true, DEAD, false",
        "2, true, true, DEAD, false"
    })
    void an_unknown_outcome_follows_the_doubt_policy(
            int before, boolean resend, boolean deduplicates, CallState state, boolean doubtful) {
        for (Verdict verdict : List.of(UNKNOWN, TIMEOUT)) {
            Transition next = after(call(before, 0, 9), verdict, policy(resend, deduplicates), 1);
            assertThat(next.state()).isEqualTo(state);
            assertThat(next.attempts()).isEqualTo(before + 1);
            assertThat(next.doubtful()).isEqualTo(doubtful);
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
                assertThat(next.doubtful()).isFalse();
                assertThat(next.events()).containsExactly(EventKind.REFUSED);
            }
        }
    }

    @Test
    void a_refusal_of_the_request_itself_is_dead_at_once_and_uncounted() {
        Transition next = after(call(0, 0, 0), refused(Cause.REQUEST, Duration.ofSeconds(5)));
        assertThat(next)
                .isEqualTo(new Transition(
                        CallState.DEAD,
                        NOW,
                        0,
                        1,
                        0,
                        false,
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
        var none = new Policy(3, true, false, new Retry(Duration.ZERO, 2, Duration.ZERO, Duration.ofHours(1)));
        assertThat(after(call(0, 5000, 0), UNSENT, none, 1).due()).isEqualTo(NOW);
    }

    @Test
    void one_attempt_means_no_second_one() {
        var once = new Policy(1, true, false, RETRY);
        assertThat(after(call(0, 0, 0), UNKNOWN, once, 1).state()).isEqualTo(CallState.DEAD);
        assertThat(after(call(0, 0, 0), incomplete(Charged.YES), once, 1).state())
                .isEqualTo(CallState.DEAD);
        assertThat(after(call(0, 0, 0), UNSENT, once, 1).state()).isEqualTo(CallState.READY);
    }
}
