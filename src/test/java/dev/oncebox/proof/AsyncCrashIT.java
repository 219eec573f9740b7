package dev.oncebox.proof;

import dev.oncebox.CrashPoint;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** The few cells of {@link AsyncCrashProof} that every build lives through. */
class AsyncCrashIT {

    private static final List<AsyncCrashCell> CELLS = List.of(
            new AsyncCrashCell(CrashPoint.AFTER_RESPONSE, 1, true),
            new AsyncCrashCell(CrashPoint.AFTER_ACCEPTED, 1, true),
            new AsyncCrashCell(CrashPoint.AFTER_ASKING, 1, true),
            new AsyncCrashCell(CrashPoint.AFTER_RENAME, 1, true));

    @TempDir
    private static Path folder;

    @TestFactory
    Stream<DynamicTest> a_death_after_the_acceptance_costs_nothing_and_one_before_it_what_was_promised() {
        return AsyncCrashTrial.each(CELLS, folder);
    }

    @Test
    void a_kill_in_the_middle_of_the_questions_sends_nothing_again() throws Exception {
        try (var trial = new AsyncCrashTrial(folder, "polls=3 echo always", false)) {
            trial.killWhilePolling(2);
            trial.liveOn();
            trial.assertEnd(1);
        }
    }
}
