package dev.oncebox.proof;

import dev.oncebox.CrashPoint;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** The process dies at each moment in the life of a provider's batch, at both vendors, and there again. */
class BatchCrashProof {

    private static final List<BatchCrashTrial.Cell> CELLS = cells();

    @TempDir
    private static Path folder;

    private static List<BatchCrashTrial.Cell> cells() {
        Map<CrashPoint, List<Integer>> passes = new EnumMap<>(CrashPoint.class);
        passes.put(CrashPoint.AFTER_GATHERED, List.of(1, 2));
        passes.put(CrashPoint.AFTER_UPLOAD, List.of(1, 2));
        passes.put(CrashPoint.AFTER_SENT, List.of(1, 2));
        passes.put(CrashPoint.AFTER_RESPONSE, List.of(1, 2, 5));
        passes.put(CrashPoint.AFTER_ACCEPTED, List.of(1, 2, 4));
        passes.put(CrashPoint.BEFORE_ASKING, List.of(1, 3));
        passes.put(CrashPoint.AFTER_ASKING, List.of(1, 3));
        passes.put(CrashPoint.IN_RESULTS, List.of(1, 2, 4));
        passes.put(CrashPoint.AFTER_DONE, List.of(1, 3, 5));
        passes.put(CrashPoint.AFTER_DELIVERED, List.of(1));
        List<BatchCrashTrial.Cell> cells = new ArrayList<>();
        passes.forEach((at, all) -> all.forEach(pass -> {
            boolean whole = Figures.rounds(1) > 1;
            // results are settled side by side: when one is done all may be, and the next life does not get there again
            boolean twice = pass == 1 && at != CrashPoint.AFTER_DONE;
            if (pass <= 2 || whole) {
                cells.add(new BatchCrashTrial.Cell("openai", at, pass, twice));
            }
            if (pass == 1 || whole) {
                cells.add(new BatchCrashTrial.Cell("anthropic", at, pass, twice));
            }
        }));
        return cells;
    }

    @TestFactory
    Stream<DynamicTest> a_death_at_any_moment_submits_nothing_twice() {
        return BatchCrashTrial.each(CELLS, folder);
    }

    @AfterAll
    static void say() {
        Figures.say("BatchCrashProof: %d cells at two vendors", CELLS.size());
    }
}
