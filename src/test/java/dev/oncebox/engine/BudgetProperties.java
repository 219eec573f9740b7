package dev.oncebox.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oncebox.HandTime;
import dev.oncebox.config.BudgetSettings;
import dev.oncebox.ledger.Call;
import dev.oncebox.ledger.Charged;
import dev.oncebox.ledger.Ledger.Spent;
import dev.oncebox.ledger.Pause;
import dev.oncebox.ledger.Share;
import dev.oncebox.ledger.Verdict;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;

/** Whatever the order of takes and ends: a number of calls is never passed, a sum by no more than was in flight unpriced. */
class BudgetProperties {

    private static final List<Verdict> VERDICTS =
            List.of(Limits.VALID, Limits.paid("0.03"), Limits.paid("0.01"), Limits.UNKNOWN, Limits.BUSY, Limits.UNSENT);

    @Property(tries = 1500, seed = "20261130")
    void charged_calls_never_exceed_the_budget(
            @ForAll("steps") List<Integer> steps, @ForAll @IntRange(min = 1, max = 25) int calls) {
        var time = new HandTime();
        Map<String, Gate> gates = new TreeMap<>();
        for (String name : List.of("a", "b")) {
            gates.put(name, new Gate(Limits.settings(9, null, null), Limits.RETRY, time, time));
        }
        var settings = new BudgetSettings((long) calls, new BigDecimal("0.30"), null);
        var budgets = List.of(
                new Budget(settings, time, since -> Spent.NOTHING),
                new Budget(new BudgetSettings(20L, null, null), time, since -> Spent.NOTHING));
        var admission = new Admission(gates, Map.of(), Map.of(), budgets, Map.of(), () -> Share.ALL);
        Map<String, Integer> open = new TreeMap<>(Map.of("a", 0, "b", 0));
        int charged = 0;
        BigDecimal cost = BigDecimal.ZERO;
        for (int step : steps) {
            int arg = step / 8;
            String engine = step % 2 == 0 ? "a" : "b";
            switch (step % 8 / 2) {
                case 0 -> open.merge(engine, admission.take(engine, arg % 12), Integer::sum);
                case 1 -> {
                    int back = Math.min(open.get(engine), arg % 3);
                    admission.giveBack(engine, back);
                    open.merge(engine, -back, Integer::sum);
                }
                case 2 -> {
                    if (open.get(engine) > 0) {
                        open.merge(engine, -1, Integer::sum);
                        Verdict verdict = VERDICTS.get(arg % VERDICTS.size());
                        admission.settled(call(engine), verdict);
                        charged += verdict.charged() == Charged.NO ? 0 : 1;
                        BigDecimal paid = verdict.usage().cost();
                        cost = paid == null ? cost : cost.add(paid);
                    }
                }
                default -> time.passMillis(arg * 11L);
            }
            assertThat(charged + open.get("a") + open.get("b")).isLessThanOrEqualTo(Math.min(20, calls));
        }
        assertThat(cost).isLessThanOrEqualTo(new BigDecimal("0.57"));
        for (String engine : List.of("a", "b")) {
            for (; open.get(engine) > 0; open.merge(engine, -1, Integer::sum)) {
                admission.settled(call(engine), Limits.UNSENT);
            }
        }
        time.pass(Duration.ofDays(1));
        boolean left = admission.pauses().get(Pause.BUDGET) == null;
        assertThat(admission.take("a", 1)).isEqualTo(left ? 1 : 0);
    }

    private static Call call(String engine) {
        return new Call(
                1,
                new byte[32],
                "j",
                engine,
                1,
                0,
                0,
                0,
                0,
                0,
                0,
                Asking.text("t").request());
    }

    @Provide
    Arbitrary<List<Integer>> steps() {
        return Arbitraries.integers().between(0, 4000).list().ofMinSize(10).ofMaxSize(120);
    }
}
