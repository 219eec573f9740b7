package dev.oncebox.engine;

import static dev.oncebox.engine.Limits.BUSY;
import static dev.oncebox.engine.Limits.NO_CREDIT;
import static dev.oncebox.engine.Limits.UNKNOWN;
import static dev.oncebox.engine.Limits.UNSENT;
import static dev.oncebox.engine.Limits.VALID;
import static dev.oncebox.engine.Limits.paid;
import static org.assertj.core.api.Assertions.assertThat;

import dev.oncebox.HandTime;
import dev.oncebox.config.BudgetSettings;
import dev.oncebox.ledger.Ledger.Spent;
import dev.oncebox.ledger.Pause;
import dev.oncebox.ledger.Usage;
import dev.oncebox.ledger.Verdict;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class BudgetTest {

    private static final Duration DAY = Duration.ofDays(1);

    private final HandTime time = new HandTime();
    private Spent spent = Spent.NOTHING;
    private final AtomicLong since = new AtomicLong(-1);

    private Budget budget(@Nullable Long calls, @Nullable String cost, @Nullable Duration period) {
        var settings = new BudgetSettings(calls, cost == null ? null : new BigDecimal(cost), period);
        return new Budget(settings, time, from -> {
            since.set(from);
            return spent;
        });
    }

    private static void spend(Budget budget, Verdict... verdicts) {
        for (Verdict verdict : verdicts) {
            assertThat(budget.left(1)).isEqualTo(1);
            budget.take(1);
            budget.settled(verdict);
        }
    }

    @Test
    void without_a_limit_nothing_is_held_back() {
        Budget budget = budget(null, null, null);
        budget.take(1000);
        assertThat(budget.left(64)).isEqualTo(64);
        assertThat(budget.pause()).isNull();
    }

    @Test
    void what_is_in_flight_counts_as_if_it_will_be_charged() {
        Budget budget = budget(5L, null, null);
        assertThat(budget.left(64)).isEqualTo(5);
        budget.take(3);
        assertThat(budget.left(64)).isEqualTo(2);
        budget.take(2);
        assertThat(budget.left(64)).isZero();
        assertThat(budget.pause()).as("it may still turn out to be free").isNull();
    }

    @Test
    void what_was_free_or_not_sent_is_there_again() {
        Budget budget = budget(3L, null, null);
        budget.take(3);
        budget.settled(BUSY);
        budget.settled(UNSENT);
        budget.giveBack(1);
        assertThat(budget.left(64)).isEqualTo(3);
        spend(budget, NO_CREDIT, NO_CREDIT, NO_CREDIT, NO_CREDIT);
        assertThat(budget.left(64)).isEqualTo(3);
    }

    @Test
    void what_may_have_been_charged_counts_and_the_end_is_told() {
        Budget budget = budget(3L, null, null);
        spend(budget, UNKNOWN, Limits.CUT, Limits.UNUSABLE);
        assertThat(budget.left(1)).isZero();
        Pause pause = budget.pause();
        assertThat(pause.state()).isEqualTo(Pause.State.SPENT);
        assertThat(pause.until()).as("not by itself").isZero();
        assertThat(pause.reason()).isEqualTo("The budget is used up: 3 of 3 calls in this run.");
        long began = pause.since();
        time.pass(DAY);
        assertThat(budget.pause().since()).isEqualTo(began);
        assertThat(since).as("a run begins with nothing spent").hasValue(-1);
    }

    @Test
    void a_sum_is_never_passed_once_a_price_is_known() {
        Budget budget = budget(null, "1.00", null);
        spend(budget, paid("0.20"), paid("0.30"));
        assertThat(budget.left(64)).as("0.50 left, 0.30 each at most").isEqualTo(1);
        spend(budget, paid("0.10"));
        assertThat(budget.left(64)).isEqualTo(1);
        budget.take(1);
        assertThat(budget.left(64)).isZero();
        assertThat(budget.pause()).isNull();
        budget.settled(paid("0.15"));
        assertThat(budget.left(64)).isZero();
        assertThat(budget.pause().reason()).isEqualTo("The budget is used up: 0.75 of 1.00 in this run.");
    }

    @Test
    void a_call_of_unknown_cost_counts_as_the_dearest_so_far() {
        Budget budget = budget(null, "1.00", null);
        spend(budget, paid("0.25"), UNKNOWN, VALID);
        assertThat(budget.left(64)).isEqualTo(1);
        spend(budget, UNKNOWN);
        assertThat(budget.left(64)).isZero();
        assertThat(budget.pause().reason()).contains("0.25 of 1.00 and 3 calls of unknown cost");
    }

    /** An engine that never says what it used would otherwise be paid without end. */
    @Test
    void a_sum_ends_calls_of_which_no_cost_was_ever_known() {
        Budget budget = budget(null, "1.00", null);
        int paid = 0;
        while (budget.left(1) == 1 && paid < 10_000) {
            budget.take(1);
            budget.settled(VALID);
            paid++;
        }
        assertThat(paid).isBetween(1, 100);
        assertThat(budget.pause().reason()).contains("unknown cost");
    }

    @Test
    void calls_that_cost_nothing_use_up_no_sum() {
        Budget budget = budget(null, "0.01", null);
        for (int n = 0; n < 500; n++) {
            spend(budget, paid("0"));
        }
        assertThat(budget.pause()).isNull();
    }

    @Test
    void a_period_counts_what_the_ledger_knows_of_it_and_ends_with_a_new_one() {
        spent = new Spent(7, 0, new BigDecimal("0.7"), new BigDecimal("0.1"));
        time.pass(Duration.ofHours(20));
        Budget budget = budget(10L, "100", DAY);
        assertThat(budget.left(64)).isEqualTo(3);
        assertThat(Instant.ofEpochMilli(since.get())).isEqualTo("2026-11-29T00:00:00Z");
        spend(budget, VALID, UNKNOWN, VALID);
        assertThat(budget.left(64)).isZero();
        Pause pause = budget.pause();
        assertThat(Instant.ofEpochMilli(pause.until())).isEqualTo("2026-11-30T00:00:00Z");
        assertThat(pause.reason()).contains("10 of 10 calls").endsWith(" in this period.");

        spent = Spent.NOTHING;
        time.pass(Duration.ofHours(4).minusMillis(1));
        assertThat(budget.left(64)).isZero();
        time.passMillis(1);
        assertThat(budget.pause()).isNull();
        assertThat(budget.left(64)).isEqualTo(10);
        assertThat(Instant.ofEpochMilli(since.get())).isEqualTo("2026-11-30T00:00:00Z");
    }

    @Test
    void what_is_in_flight_when_a_period_ends_counts_in_the_next_one() {
        Budget budget = budget(4L, null, DAY);
        budget.take(budget.left(3));
        time.pass(DAY);
        assertThat(budget.left(64)).isEqualTo(1);
        budget.settled(VALID);
        budget.settled(UNKNOWN);
        budget.settled(BUSY);
        assertThat(budget.left(64)).isEqualTo(2);
    }

    @Test
    void a_new_period_still_knows_how_dear_a_call_may_be() {
        Budget budget = budget(null, "1.00", DAY);
        spend(budget, paid("0.40"));
        time.pass(DAY);
        assertThat(budget.left(64)).isEqualTo(2);
    }

    @Test
    void both_limits_are_kept_and_told() {
        Budget budget = budget(100L, "0.50", null);
        spend(budget, paid("0.25"), paid("0.25"));
        assertThat(budget.pause().reason())
                .isEqualTo("The budget is used up: 2 of 100 calls, 0.5 of 0.50 in this run.");
        assertThat(List.of(budget.left(64), budget.left(0))).containsExactly(0, 0);
    }

    /** One free answer of a local engine must not open the door for a paid one that names no cost. */
    @Test
    void calls_of_unknown_cost_are_bounded_also_after_one_that_cost_nothing() {
        Budget budget = budget(null, "5", null);
        spend(budget, Limits.valid(new Usage(null, 1L, 1L, BigDecimal.ZERO)));
        int started = 0;
        while (budget.left(1) == 1 && started < 1000) {
            spend(budget, UNKNOWN);
            started++;
        }
        assertThat(started).isLessThan(20);
    }
}
