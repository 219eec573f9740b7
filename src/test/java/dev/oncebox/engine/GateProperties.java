package dev.oncebox.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oncebox.HandTime;
import dev.oncebox.ledger.Verdict;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;

/** Whatever happens in whatever order: no place, no probe and no quota is lost or made. */
class GateProperties {

    private static final List<Verdict> VERDICTS = List.of(
            Limits.VALID,
            Limits.used(100, 50),
            Limits.BUSY,
            Limits.NO_CREDIT,
            Limits.UNSENT,
            Limits.UNKNOWN,
            Limits.CUT,
            Limits.BAD_REQUEST,
            Limits.UNUSABLE);

    @Property(tries = 1500, seed = "20261130")
    void places_never_leak(@ForAll("steps") List<Integer> steps, @ForAll @IntRange(min = 1, max = 20) int concurrency) {
        var time = new HandTime();
        var gate = new Gate(Limits.settings(concurrency, 1200L, 2_000_000L), Limits.RETRY, time, time);
        Deque<Long> expected = new ArrayDeque<>();
        int claimed = 0;
        long calls = 0;
        for (int step : steps) {
            int arg = step / 8;
            switch (step % 8) {
                case 0, 1 -> claimed += gate.take(arg % 70);
                case 2 -> {
                    int back = Math.min(claimed, arg % 5);
                    gate.giveBack(back);
                    claimed -= back;
                }
                case 3, 4 -> {
                    if (claimed > 0) {
                        claimed--;
                        expected.add(++calls);
                        gate.expect(Limits.call(calls), arg % 500);
                    }
                }
                case 5 -> {
                    if (!expected.isEmpty()) {
                        gate.settled(Limits.call(expected.poll()), VERDICTS.get(arg % VERDICTS.size()));
                    }
                }
                case 6 -> time.passMillis(arg * 7L);
                default ->
                    gate.heard(
                            Map.of(
                                    "x-ratelimit-limit-requests", "" + arg,
                                    "x-ratelimit-remaining-requests", "" + arg / 2,
                                    "x-ratelimit-reset-requests", arg + "ms"),
                            time.instant());
            }
            assertThat(claimed + expected.size()).isBetween(0, concurrency);
        }
        gate.giveBack(claimed);
        while (!expected.isEmpty()) {
            gate.settled(Limits.call(expected.poll()), VERDICTS.get(expected.size() % VERDICTS.size()));
        }
        gate.heard(
                Map.of(
                        "x-ratelimit-limit-requests", "1000",
                        "x-ratelimit-remaining-requests", "1000",
                        "x-ratelimit-reset-requests", "0s"),
                time.instant());
        for (int n = 0; n <= concurrency; n++) {
            time.pass(Duration.ofDays(1));
            assertThat(gate.take(1)).as("one can always start in the end").isEqualTo(1);
            gate.settled(Limits.call(-1), Limits.VALID);
        }
        time.pass(Duration.ofDays(1));
        assertThat(gate.pause()).isNull();
        assertThat(gate.take(1000)).isEqualTo(concurrency);
    }

    @Provide
    Arbitrary<List<Integer>> steps() {
        return Arbitraries.integers().between(0, 4000).list().ofMinSize(5).ofMaxSize(80);
    }
}
