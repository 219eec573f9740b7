package dev.oncebox.engine;

import dev.oncebox.config.Retry;
import dev.oncebox.ledger.Charged;
import dev.oncebox.ledger.Pause;
import dev.oncebox.ledger.Verdict;
import dev.oncebox.ledger.Verdict.Refused.Cause;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreaker.State;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig.SlidingWindowType;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Leaves an engine in peace that does not answer or refuses everybody. It opens at once when the account or the address
 * is refused, and after {@link #FAILURES} failures in a row otherwise; it stays open for the backoff of {@code retry.…},
 * or as long as the endpoint asks for; then one call probes, and an answer closes it.
 */
final class Breaker {

    private static final int FAILURES = 8;

    private final Retry retry;
    private final Clock clock;
    private final CircuitBreaker breaker;
    private int openings;
    private Duration asked = Duration.ZERO;
    private long since;
    private long until;
    private String reason = "";

    Breaker(String engine, Retry retry, Clock clock) {
        this.retry = retry;
        this.clock = clock;
        this.breaker = CircuitBreaker.of(
                engine,
                CircuitBreakerConfig.custom()
                        .slidingWindow(FAILURES, FAILURES, SlidingWindowType.COUNT_BASED)
                        .failureRateThreshold(100)
                        .permittedNumberOfCallsInHalfOpenState(1)
                        .waitIntervalFunctionInOpenState(attempt -> opening())
                        .clock(clock)
                        .build());
    }

    /** How long it stays open this time, in milliseconds. */
    private long opening() {
        since = openings == 0 ? clock.millis() : since;
        openings++;
        long wait = Math.max(1, Math.max(retry.ceilingMillis(openings), asked.toMillis()));
        until = clock.millis() + wait;
        return wait;
    }

    /** Asks for up to so many permissions, each to be followed by {@link #settled} or {@link #giveBack}. */
    int take(int wanted) {
        int taken = 0;
        while (taken < wanted && breaker.tryAcquirePermission()) {
            taken++;
        }
        return taken;
    }

    void giveBack(int permissions) {
        for (int i = 0; i < permissions; i++) {
            breaker.releasePermission();
        }
    }

    /** True: this opened it. */
    boolean settled(Verdict verdict) {
        State before = breaker.getState();
        if (!isFailure(verdict)) {
            breaker.onSuccess(0, TimeUnit.NANOSECONDS);
            if (breaker.getState() == State.CLOSED) {
                openings = 0;
            }
            return false;
        }
        if (before == State.OPEN) {
            return false;
        }
        Duration wait = verdict instanceof Verdict.Refused refused ? refused.retryAfter() : null;
        asked = wait == null ? Duration.ZERO : wait;
        String why = ((Verdict.Failure) verdict).reason();
        breaker.onError(0, TimeUnit.NANOSECONDS, new EngineFailed(why));
        if (breaker.getState() == State.CLOSED && isOfEngine(verdict)) {
            breaker.transitionToOpenState();
        }
        boolean opened = breaker.getState() == State.OPEN;
        reason = !opened ? reason : why.matches(".*[.!?…]") ? why : why + ".";
        return opened;
    }

    /** One call is to show whether the engine, which was left in peace when the last process ended, answers again. */
    void probe(Pause before) {
        breaker.transitionToOpenState();
        breaker.transitionToHalfOpenState();
        reason = before.reason();
        until = clock.millis();
    }

    boolean isClosed() {
        return breaker.getState() == State.CLOSED;
    }

    @Nullable
    Pause pause() {
        return switch (breaker.getState()) {
            case OPEN, FORCED_OPEN ->
                new Pause(until <= clock.millis() ? Pause.State.PROBING : Pause.State.OPEN, since, until, reason);
            case HALF_OPEN -> new Pause(Pause.State.PROBING, since, until, reason);
            case CLOSED, DISABLED, METRICS_ONLY -> null;
        };
    }

    private static boolean isOfEngine(Verdict verdict) {
        return verdict instanceof Verdict.Refused refused && refused.cause() == Cause.ENGINE;
    }

    /** Whether it says that the engine is in trouble, rather than this one call. */
    static boolean isFailure(Verdict verdict) {
        if (verdict instanceof Verdict.Refused refused) {
            return refused.cause() == Cause.ENGINE || refused.cause() == Cause.BUSY;
        }
        return verdict instanceof Verdict.Unsent
                || verdict instanceof Verdict.Unknown
                || (verdict instanceof Verdict.Incomplete incomplete && incomplete.charged() == Charged.UNKNOWN);
    }

    /** What the library wants to hear of a failure. */
    private static final class EngineFailed extends Exception {
        private static final long serialVersionUID = 1;

        EngineFailed(String reason) {
            super(reason, null, false, false);
        }
    }
}
