package dev.oncebox.ledger;

import java.time.Duration;
import java.util.List;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of a call after an attempt. A pure decision: the database only carries it out.
 *
 * @param engine the engine that the call belongs to from now on
 * @param due when the call may be claimed again, epoch milliseconds
 * @param attempts how many were, or may have been, charged
 * @param earlier how many of these no longer count
 * @param doubts by how many more attempts the call may have been charged without an answer
 * @param unresolved attempts whose end is unknown, and which the engine recognises by the call's key
 * @param events what the journal records, in order
 * @param address where the answer is asked for, if that is new
 * @param seen since when an asynchronous engine has not known of the call, or when it last did, epoch milliseconds;
 *     0: never
 * @param code why, for a state that is not {@link CallState#DONE}; else that of the answer's note, or null
 */
public record Transition(
        CallState state,
        String engine,
        long due,
        int attempts,
        int earlier,
        int failures,
        long refusedSince,
        int doubts,
        int unresolved,
        List<EventKind> events,
        @Nullable String address,
        long seen,
        @Nullable String code,
        @Nullable String reason) {

    /** Of a call that no asynchronous engine works on. */
    Transition(
            CallState state,
            String engine,
            long due,
            int attempts,
            int earlier,
            int failures,
            long refusedSince,
            int doubts,
            int unresolved,
            List<EventKind> events,
            @Nullable String code,
            @Nullable String reason) {
        this(
                state,
                engine,
                due,
                attempts,
                earlier,
                failures,
                refusedSince,
                doubts,
                unresolved,
                events,
                null,
                0,
                code,
                reason);
    }

    /** Decides what follows an attempt of {@code call}, whose send is already counted. */
    public static Transition after(
            Call call, Verdict verdict, NextStep step, Policy policy, long now, RandomGenerator random) {
        return new Decision(call, verdict, step, policy, now, random).make();
    }

    private static final class Decision {

        /** Jitter after a Retry-After, so that many calls refused at once do not come back at once. */
        private static final Duration SPREAD = Duration.ofSeconds(2);

        private final Call call;
        private final Verdict verdict;
        private final NextStep step;
        private final Policy policy;
        private final long now;
        private final RandomGenerator random;
        private final int attempts;
        private final int failures;
        private final int doubts;
        private final int unresolved;

        Decision(Call call, Verdict verdict, NextStep step, Policy policy, long now, RandomGenerator random) {
            this.call = call;
            this.verdict = verdict;
            this.step = step;
            this.policy = policy;
            this.now = now;
            this.random = random;
            // a repeat of what the endpoint recognises costs nothing, so the doubt is none as long as it stays there
            boolean recognised = verdict instanceof Verdict.Unknown && policy.deduplicates();
            attempts = call.attempts() + (verdict.charged() == Charged.NO ? 0 : 1);
            failures = call.failures() + 1;
            doubts = verdict.charged() == Charged.UNKNOWN && !recognised ? 1 : 0;
            unresolved = call.unresolved() + (recognised ? 1 : 0);
        }

        Transition make() {
            if (verdict instanceof Verdict.Valid valid) {
                Note note = valid.answer().note();
                return new Transition(
                        CallState.DONE,
                        call.engine(),
                        now,
                        attempts,
                        call.earlier(),
                        0,
                        0,
                        0,
                        0,
                        List.of(EventKind.COMPLETE),
                        note == null ? null : note.code(),
                        note == null ? null : note.reason());
            }
            if (verdict instanceof Verdict.Accepted accepted) {
                return polled(EventKind.QUEUED, accepted.address(), now, accepted.said(), accepted.delay());
            }
            if (verdict instanceof Verdict.Running running) {
                Call.Remote remote = call.remote();
                long seen = remote == null || running.known() || isNews(running.said()) ? now : remote.seen();
                return polled(EventKind.POLLED, null, seen, running.said(), running.delay());
            }
            return switch (kind()) {
                case LATER -> later();
                case AGAIN -> again();
                case DOUBT -> doubt();
                case DEAD -> leave("");
            };
        }

        /** Asked for at its time; that it was is news when the engine says something new. */
        private Transition polled(EventKind event, @Nullable String address, long seen, String said, Duration wait) {
            boolean news = event == EventKind.QUEUED || isNews(said);
            return new Transition(
                    CallState.POLLING,
                    call.engine(),
                    now + wait.toMillis(),
                    attempts,
                    call.earlier(),
                    // that it was accepted is no answer: what comes of it may be one more refusal
                    call.failures(),
                    call.refusedSince(),
                    0,
                    call.unresolved(),
                    news ? List.of(event) : List.of(),
                    address,
                    seen,
                    null,
                    said);
        }

        private boolean isNews(String said) {
            return call.remote() == null || !said.equals(call.remote().said());
        }

        /** What may have been charged is not repeated as if it had not been, whatever the routes say. */
        private NextStep.Kind kind() {
            if (step.kind() == NextStep.Kind.DEAD) {
                return NextStep.Kind.DEAD;
            }
            if (verdict.charged() == Charged.NO) {
                return NextStep.Kind.LATER;
            }
            boolean doubtful = verdict instanceof Verdict.Unknown || step.kind() == NextStep.Kind.DOUBT;
            return doubtful ? NextStep.Kind.DOUBT : NextStep.Kind.AGAIN;
        }

        private Transition later() {
            long since = call.refusedSince() == 0 ? now : call.refusedSince();
            if (now - since >= policy.retry().giveUp().toMillis()) {
                return leave(" Given up after retry.give-up; nothing was charged.");
            }
            return step.fallback() && mayFallBack() ? fallBack() : waiting(since);
        }

        private Transition doubt() {
            if (!policy.deduplicates() && !policy.resendOnDoubt()) {
                return held();
            }
            boolean repeatable = !(verdict instanceof Verdict.Unknown unknown) || unknown.repeatable();
            return repeatable ? again() : leave("");
        }

        private Transition again() {
            return attempts - call.earlier() >= policy.attempts() ? leave("") : waiting(0);
        }

        /** Asks the next engine; without one the call is dead. */
        private Transition leave(String why) {
            return step.fallback() && mayFallBack() ? fallBack() : dead(why);
        }

        /** Another engine does not know the key: what only this one recognises would be paid again. */
        private boolean mayFallBack() {
            return policy.fallback() != null && (unresolved == 0 || policy.resendOnDoubt());
        }

        private Transition fallBack() {
            return new Transition(
                    CallState.READY,
                    policy.fallback() == null ? call.engine() : policy.fallback(),
                    now,
                    attempts,
                    attempts,
                    0,
                    0,
                    doubtsForGood(),
                    0,
                    List.of(event(), EventKind.FALLBACK),
                    code(),
                    reason());
        }

        private Transition waiting(long refusedSince) {
            return new Transition(
                    CallState.READY,
                    call.engine(),
                    due(),
                    attempts,
                    call.earlier(),
                    failures,
                    refusedSince,
                    doubts,
                    unresolved,
                    List.of(event()),
                    code(),
                    reason());
        }

        private Transition held() {
            return new Transition(
                    CallState.DOUBT,
                    call.engine(),
                    now,
                    attempts,
                    call.earlier(),
                    failures,
                    0,
                    doubts,
                    unresolved,
                    List.of(event()),
                    code(),
                    reason());
        }

        private Transition dead(String why) {
            return new Transition(
                    CallState.DEAD,
                    call.engine(),
                    now,
                    attempts,
                    call.earlier(),
                    failures,
                    0,
                    doubtsForGood(),
                    0,
                    List.of(event(), EventKind.DEAD_LETTER),
                    code(),
                    reason() + why);
        }

        /** However often it was repeated, what the endpoint recognises was charged once at most. */
        private int doubtsForGood() {
            return doubts + (unresolved > 0 ? 1 : 0);
        }

        private long due() {
            Duration wait = verdict instanceof Verdict.Refused refused ? refused.retryAfter() : null;
            return wait == null
                    ? now + jitter(policy.retry().ceilingMillis(failures))
                    : now + wait.toMillis() + jitter(SPREAD.toMillis());
        }

        private long jitter(long ceiling) {
            return ceiling <= 0 ? 0 : random.nextLong(ceiling + 1);
        }

        private EventKind event() {
            if (verdict instanceof Verdict.Unknown unknown) {
                return unknown.timeout() ? EventKind.TIMEOUT : EventKind.IN_DOUBT;
            }
            return verdict.charged() == Charged.NO ? EventKind.REFUSED : EventKind.INCOMPLETE;
        }

        private String code() {
            return ((Verdict.Failure) verdict).code();
        }

        private String reason() {
            return ((Verdict.Failure) verdict).reason();
        }
    }
}
