package dev.oncebox.engine;

import dev.oncebox.config.BudgetSettings;
import dev.oncebox.ledger.Charged;
import dev.oncebox.ledger.Ledger.Spent;
import dev.oncebox.ledger.Pause;
import dev.oncebox.ledger.Share;
import dev.oncebox.ledger.Verdict;
import java.math.BigDecimal;
import java.time.Clock;
import java.time.Duration;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * How many calls may be paid, and how much for. Counted is what was, or may have been, charged; what is in flight counts
 * as if it will be, and as much as the dearest call so far, so that the number is never passed, and the cost by no more
 * than the first few calls, of which nobody knows the price yet.
 */
final class Budget {

    /** So many calls may be paid for while nobody knows the price of a single one; an engine may never tell. */
    private static final int MOST_UNPRICED = 16;

    private static final Duration AFRESH = Duration.ofSeconds(1);

    private final BudgetSettings settings;
    private final Clock clock;
    private final LongFunction<Spent> ledger;
    /** Calls that were accepted and counted, and have no end yet. */
    private final Set<Long> accepted = new HashSet<>();

    private boolean begun;
    private long periodEnd;
    private long calls;
    private long unpriced;
    private BigDecimal cost = BigDecimal.ZERO;
    private BigDecimal dearest = BigDecimal.ZERO;
    private int inFlight;
    private long since;
    private long read;

    /**
     * @param ledger what was spent since a moment, epoch milliseconds
     */
    Budget(BudgetSettings settings, Clock clock, LongFunction<Spent> ledger) {
        this.settings = settings;
        this.clock = clock;
        this.ledger = ledger;
    }

    /**
     * A budget without a period is one of this run, which begins with nothing spent. The ledger is read when the first
     * call is about to start, since by then it knows what the last process left in doubt.
     */
    private void begin() {
        Duration period = settings.period();
        if (period == null) {
            periodEnd = 0;
            return;
        }
        long length = period.toMillis();
        long start = Math.floorDiv(clock.millis(), length) * length;
        periodEnd = start + length;
        Spent spent = ledger.apply(start);
        calls = spent.calls();
        unpriced = spent.unpriced();
        cost = spent.cost();
        dearest = dearest.max(spent.dearest());
    }

    /** Where others spend as well, what the ledger knows of it is looked up now and then. */
    synchronized void follow(Share share) {
        long now = clock.millis();
        if (share.nodes() == 1 || !begun || periodEnd == 0 || now - read < AFRESH.toMillis()) {
            return;
        }
        read = now;
        Spent spent = ledger.apply(
                periodEnd - Objects.requireNonNull(settings.period()).toMillis());
        calls = Math.max(calls, spent.calls());
        unpriced = Math.max(unpriced, spent.unpriced());
        cost = cost.max(spent.cost());
        dearest = dearest.max(spent.dearest());
    }

    private void roll() {
        if (!begun || (periodEnd != 0 && clock.millis() >= periodEnd)) {
            begun = true;
            accepted.clear();
            begin();
        }
    }

    /** How many of {@code wanted} calls may start. */
    synchronized int left(int wanted) {
        roll();
        int allowed = 0;
        while (allowed < wanted && fits(inFlight + allowed + 1)) {
            allowed++;
        }
        return allowed;
    }

    /** Reserves places, each to be followed by {@link #settled} or {@link #giveBack}. */
    synchronized void take(int places) {
        inFlight += places;
    }

    private boolean fits(int more) {
        Long most = settings.calls();
        if (most != null && calls + more > most) {
            return false;
        }
        BigDecimal limit = settings.cost();
        if (limit == null) {
            return true;
        }
        if (dearest.signum() == 0 && (calls == 0 || unpriced > 0) && unpriced + more > MOST_UNPRICED) {
            return false;
        }
        BigDecimal guessed = dearest.multiply(BigDecimal.valueOf(unpriced + more));
        return cost.compareTo(limit) < 0 && cost.add(guessed).compareTo(limit) <= 0;
    }

    synchronized void giveBack(int places) {
        inFlight -= places;
    }

    synchronized void settled(Verdict verdict) {
        roll();
        inFlight--;
        if (verdict.charged() == Charged.NO) {
            return;
        }
        calls++;
        BigDecimal paid = verdict.usage().cost();
        if (paid == null) {
            unpriced++;
        } else {
            cost = cost.add(paid);
            dearest = dearest.max(paid);
        }
    }

    /** As {@link #settled(Verdict)}; what was only accepted may turn out not to be charged. */
    synchronized void settled(long call, Verdict verdict) {
        settled(verdict);
        if (verdict instanceof Verdict.Accepted) {
            accepted.add(call);
        }
    }

    /** As {@link #priced(Verdict)}, for a call that {@link #settled(long, Verdict)} may have counted. */
    synchronized void priced(long call, Verdict verdict) {
        priced(verdict);
        if (accepted.remove(call) && verdict.charged() == Charged.NO) {
            calls--;
        }
    }

    /** What was accepted, and counted, before is known to have cost this; nothing, where it was not charged after all. */
    synchronized void priced(Verdict verdict) {
        roll();
        BigDecimal paid = verdict.charged() == Charged.NO
                ? BigDecimal.ZERO
                : verdict.usage().cost();
        if (paid != null && unpriced > 0) {
            unpriced--;
            cost = cost.add(paid);
            dearest = dearest.max(paid);
        }
    }

    /** Null while something is left; what is in flight may still turn out to be free. */
    synchronized @Nullable Pause pause() {
        roll();
        if (fits(1)) {
            since = 0;
            return null;
        }
        since = since == 0 ? clock.millis() : since;
        return new Pause(Pause.State.SPENT, since, periodEnd, "The budget is used up: " + spent() + ".");
    }

    private String spent() {
        String counted = settings.calls() == null ? "" : calls + " of " + settings.calls() + " calls";
        String paid = settings.cost() == null
                ? ""
                : cost.stripTrailingZeros().toPlainString() + " of "
                        + settings.cost().toPlainString()
                        + (unpriced == 0 ? "" : " and " + unpriced + " calls of unknown cost");
        String both = counted.isEmpty() || paid.isEmpty() ? counted + paid : counted + ", " + paid;
        return both + (settings.period() == null ? " in this run" : " in this period");
    }
}
