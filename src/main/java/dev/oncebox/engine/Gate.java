package dev.oncebox.engine;

import dev.oncebox.config.EngineSettings;
import dev.oncebox.config.Retry;
import dev.oncebox.ledger.Call;
import dev.oncebox.ledger.Charged;
import dev.oncebox.ledger.Pause;
import dev.oncebox.ledger.Share;
import dev.oncebox.ledger.Usage;
import dev.oncebox.ledger.Verdict;
import dev.oncebox.ledger.Verdict.Refused.Cause;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** How many calls may start at one engine now: its places, its breaker, its requests and its tokens. */
final class Gate {

    private static final long FIRST_GUESS = 1000;
    /** The weight of the newest in the moving average of how many tokens a call takes. */
    private static final int WEIGHT = 8;

    private static final Duration WORTH_TELLING = Duration.ofSeconds(30);

    private final Clock clock;
    private final RampUp rampUp;
    private final Breaker breaker;
    private final Quota requests;
    private final Quota tokens;
    private final Map<Long, Long> expected = new HashMap<>();
    private @Nullable Pause limited;
    private int inFlight;
    private long usual = FIRST_GUESS;
    /** Places of which the call is not known yet, and the tokens that were taken for all of them. */
    private int unnamed;

    private long reserved;

    Gate(EngineSettings settings, Retry retry, Clock clock, LongSupplier nanoTime) {
        this.clock = clock;
        rampUp = settings.protocol().isBatch()
                ? RampUp.none(settings.async().batch().calls(), nanoTime)
                : new RampUp(settings.concurrency(), nanoTime);
        breaker = new Breaker(settings.name(), retry, clock);
        requests = new Quota(settings.requestsPerMinute(), nanoTime);
        tokens = new Quota(settings.tokensPerMinute(), nanoTime);
    }

    /** What this node may use of the limits that hold for all nodes. */
    synchronized void share(Share share) {
        requests.share(share);
        tokens.share(share);
    }

    synchronized int take(int wanted) {
        if (inFlight > 0 && !breaker.isClosed()) {
            // the outcome of a call that was sent before would be taken for that of the probe
            return 0;
        }
        long allowed = Math.min(wanted, rampUp.limit() - inFlight);
        allowed = Math.min(allowed, requests.left());
        if (tokens.isLimited()) {
            long left = tokens.left();
            allowed = Math.min(allowed, left <= 0 ? 0 : Math.max(1, left / usual));
        }
        int taken = breaker.take((int) Math.max(0, allowed));
        inFlight += taken;
        requests.use(taken);
        tokens.use(taken * usual);
        unnamed += taken;
        reserved += taken * usual;
        return taken;
    }

    synchronized void giveBack(int places) {
        inFlight -= places;
        breaker.giveBack(places);
        requests.use(-places);
        tokens.use(-named(places));
    }

    /** What was taken for so many places, no matter what a call is thought to take by now. */
    private long named(int places) {
        long share = places >= unnamed ? reserved : reserved * places / unnamed;
        unnamed = Math.max(0, unnamed - places);
        reserved -= share;
        return share;
    }

    /** How many tokens a call that has a place is expected to take, all in all. */
    synchronized void expect(Call call, long amount) {
        rampUp.sending();
        tokens.use(amount - named(1));
        expected.put(call.id(), amount);
        usual = Math.max(1, (usual * (WEIGHT - 1) + amount) / WEIGHT);
    }

    /** What the engine says of its limits. */
    synchronized void heard(Map<String, String> headers, Instant now) {
        RateLimits ofRequests = RateLimits.of("requests", headers, now);
        if (ofRequests != null) {
            requests.announced(ofRequests.limit(), ofRequests.remaining(), ofRequests.reset(), inFlight - 1);
        }
        RateLimits ofTokens = RateLimits.of("tokens", headers, now);
        if (ofTokens != null) {
            long underWay =
                    expected.values().stream().mapToLong(Long::longValue).sum();
            tokens.announced(ofTokens.limit(), ofTokens.remaining(), ofTokens.reset(), underWay);
        }
    }

    synchronized void settled(Call call, Verdict verdict) {
        inFlight--;
        Long guess = expected.remove(call.id());
        Long used = used(verdict);
        long taken = guess == null ? named(1) : guess;
        if (used != null) {
            tokens.use(used - taken);
        }
        boolean opened = breaker.settled(verdict);
        if (opened) {
            rampUp.restart();
        } else if (!breaker.isClosed()) {
            return;
        } else if (verdict instanceof Verdict.Refused refused && refused.cause() == Cause.BUSY) {
            rampUp.refused(inFlight);
        } else if (Breaker.isFailure(verdict)) {
            rampUp.failed();
        } else {
            rampUp.answered();
        }
    }

    private static @Nullable Long used(Verdict verdict) {
        if (verdict.charged() == Charged.NO) {
            return 0L;
        }
        Usage usage = verdict.usage();
        return usage.inputTokens() == null || usage.outputTokens() == null
                ? null
                : Long.valueOf(usage.inputTokens() + usage.outputTokens());
    }

    synchronized void probe(Pause before) {
        breaker.probe(before);
        rampUp.restart();
    }

    synchronized @Nullable Pause pause() {
        Pause open = breaker.pause();
        return open != null ? open : limited();
    }

    /** A wait of seconds is the rule under a limit, and worth no word. */
    private @Nullable Pause limited() {
        Duration wait = longer(requests.untilLeft(), tokens.untilLeft());
        if (wait.compareTo(WORTH_TELLING) < 0) {
            limited = null;
            return null;
        }
        long now = clock.millis();
        long until = now + wait.toMillis();
        if (limited == null || Math.abs(until - limited.until()) > WORTH_TELLING.toMillis()) {
            limited = new Pause(Pause.State.LIMITED, now, until, "The engine's limit for a time is used up.");
        }
        return limited;
    }

    private static Duration longer(Duration a, Duration b) {
        return a.compareTo(b) > 0 ? a : b;
    }
}
