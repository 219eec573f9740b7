package dev.oncebox.proof;

import dev.oncebox.CrashPoint;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** The few cells of {@link BatchCrashProof} that every build lives through. */
class BatchCrashIT {

    private static final List<BatchCrashTrial.Cell> CELLS = List.of(
            new BatchCrashTrial.Cell("openai", CrashPoint.AFTER_UPLOAD, 1, false),
            new BatchCrashTrial.Cell("openai", CrashPoint.AFTER_SENT, 1, false),
            new BatchCrashTrial.Cell("openai", CrashPoint.AFTER_RESPONSE, 1, true),
            new BatchCrashTrial.Cell("anthropic", CrashPoint.AFTER_RESPONSE, 1, false),
            new BatchCrashTrial.Cell("anthropic", CrashPoint.IN_RESULTS, 2, false));

    @TempDir
    private static Path folder;

    @TestFactory
    Stream<DynamicTest> a_death_submits_nothing_twice() {
        return BatchCrashTrial.each(CELLS, folder);
    }
}
