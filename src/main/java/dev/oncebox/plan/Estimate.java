package dev.oncebox.plan;

import java.math.BigDecimal;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What calls may come to. Null is unknown, and a sum with an unknown part is unknown; of no calls everything is 0.
 *
 * @param calls that are sent
 * @param input tokens
 * @param output tokens that are expected
 * @param outputAtMost tokens that the answers can have
 * @param inputPrice in the currency of the engines' prices, as the others
 * @param priceAtMost input and output, the answers as long as they can be
 * @param inputBy how the input was counted, for people
 * @param outputBy why so much output is expected, for people
 */
record Estimate(
        long calls,
        @Nullable Long input,
        @Nullable Long output,
        @Nullable Long outputAtMost,
        @Nullable BigDecimal inputPrice,
        @Nullable BigDecimal outputPrice,
        @Nullable BigDecimal priceAtMost,
        SortedSet<String> inputBy,
        SortedSet<String> outputBy) {

    static final Estimate NOTHING = new Estimate(
            0, 0L, 0L, 0L, BigDecimal.ZERO, BigDecimal.ZERO, BigDecimal.ZERO, new TreeSet<>(), new TreeSet<>());

    /** Input and expected output. */
    @Nullable
    BigDecimal price() {
        return sum(inputPrice, outputPrice);
    }

    Estimate plus(Estimate other) {
        return new Estimate(
                calls + other.calls,
                sum(input, other.input),
                sum(output, other.output),
                sum(outputAtMost, other.outputAtMost),
                sum(inputPrice, other.inputPrice),
                sum(outputPrice, other.outputPrice),
                sum(priceAtMost, other.priceAtMost),
                union(inputBy, other.inputBy),
                union(outputBy, other.outputBy));
    }

    static @Nullable Long sum(@Nullable Long a, @Nullable Long b) {
        return a == null || b == null ? null : Long.valueOf(a + b);
    }

    static @Nullable BigDecimal sum(@Nullable BigDecimal a, @Nullable BigDecimal b) {
        return a == null || b == null ? null : a.add(b);
    }

    private static SortedSet<String> union(SortedSet<String> a, SortedSet<String> b) {
        SortedSet<String> union = new TreeSet<>(a);
        union.addAll(b);
        return union;
    }
}
