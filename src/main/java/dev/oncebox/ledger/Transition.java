package dev.oncebox.ledger;

import java.time.Duration;
import java.util.List;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of a call after an attempt. A pure decision: the database only carries it out.
 *
 * @param due when the call may be claimed again, epoch milliseconds
 * @param doubtful whether this attempt may have been charged without an answer
 * @param events what the journal records, in order
 * @param code why, for a state that is not {@link CallState#DONE}; null otherwise
 */
public record Transition(
        CallState state,
        long due,
        int attempts,
        int failures,
        long refusedSince,
        boolean doubtful,
        List<EventKind> events,
        @Nullable String code,
        @Nullable String reason) {

    /** Jitter after a Retry-After, so that many calls refused at once do not come back at once. */
    private static final Duration SPREAD = Duration.ofSeconds(2);

    /** Decides what follows an attempt of {@code call}, whose send is already counted. */
    public static Transition after(Call call, Verdict verdict, Policy policy, long now, RandomGenerator random) {
        int attempts = call.attempts() + 1;
        int failures = call.failures() + 1;
        long later = now + jitter(policy.retry().ceilingMillis(failures), random);

        if (verdict instanceof Verdict.Valid) {
            return new Transition(CallState.DONE, now, attempts, 0, 0, false, List.of(EventKind.COMPLETE), null, null);
        }
        if (verdict instanceof Verdict.Unusable unusable) {
            return dead(attempts, failures, now, false, EventKind.INCOMPLETE, unusable.code(), unusable.reason());
        }
        if (verdict instanceof Verdict.Incomplete incomplete) {
            boolean doubtful = incomplete.charged() == Charged.UNKNOWN;
            if (attempts >= policy.attempts()) {
                return dead(
                        attempts,
                        failures,
                        now,
                        doubtful,
                        EventKind.INCOMPLETE,
                        incomplete.code(),
                        incomplete.reason());
            }
            return ready(
                    later,
                    attempts,
                    failures,
                    0,
                    doubtful,
                    EventKind.INCOMPLETE,
                    incomplete.code(),
                    incomplete.reason());
        }
        if (verdict instanceof Verdict.Unsent unsent) {
            return refused(call, policy, now, later, unsent.code(), unsent.reason());
        }
        if (verdict instanceof Verdict.Refused refused) {
            if (refused.cause() == Verdict.Refused.Cause.REQUEST) {
                return dead(call.attempts(), failures, now, false, EventKind.REFUSED, refused.code(), refused.reason());
            }
            Duration wait = refused.retryAfter();
            long due = wait == null ? later : now + wait.toMillis() + jitter(SPREAD.toMillis(), random);
            return refused(call, policy, now, due, refused.code(), refused.reason());
        }
        Verdict.Unknown unknown = (Verdict.Unknown) verdict;
        EventKind event = unknown.timeout() ? EventKind.TIMEOUT : EventKind.IN_DOUBT;
        boolean doubtful = !policy.deduplicates();
        if (!policy.deduplicates() && !policy.resendOnDoubt()) {
            return new Transition(
                    CallState.DOUBT,
                    now,
                    attempts,
                    failures,
                    0,
                    true,
                    List.of(event),
                    unknown.code(),
                    unknown.reason());
        }
        if (attempts >= policy.attempts()) {
            return dead(attempts, failures, now, doubtful, event, unknown.code(), unknown.reason());
        }
        return ready(later, attempts, failures, 0, doubtful, event, unknown.code(), unknown.reason());
    }

    private static Transition refused(Call call, Policy policy, long now, long due, String code, String reason) {
        long since = call.refusedSince() == 0 ? now : call.refusedSince();
        int failures = call.failures() + 1;
        if (now - since >= policy.retry().giveUp().toMillis()) {
            return dead(
                    call.attempts(),
                    failures,
                    now,
                    false,
                    EventKind.REFUSED,
                    code,
                    reason + " Given up after retry.give-up; nothing was charged.");
        }
        return ready(due, call.attempts(), failures, since, false, EventKind.REFUSED, code, reason);
    }

    private static Transition ready(
            long due,
            int attempts,
            int failures,
            long refusedSince,
            boolean doubtful,
            EventKind event,
            String code,
            String reason) {
        return new Transition(
                CallState.READY, due, attempts, failures, refusedSince, doubtful, List.of(event), code, reason);
    }

    private static Transition dead(
            int attempts, int failures, long now, boolean doubtful, EventKind event, String code, String reason) {
        return new Transition(
                CallState.DEAD,
                now,
                attempts,
                failures,
                0,
                doubtful,
                List.of(event, EventKind.DEAD_LETTER),
                code,
                reason);
    }

    private static long jitter(long ceiling, RandomGenerator random) {
        return ceiling <= 0 ? 0 : random.nextLong(ceiling + 1);
    }
}
