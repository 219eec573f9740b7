package dev.oncebox.proof;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * The process dies at each moment of a call that an asynchronous engine accepts. Once the address is in the ledger there
 * is one submission whatever happens; before that the engine's on-doubt decides.
 */
@Execution(ExecutionMode.CONCURRENT)
class AsyncCrashProof {

    private static final List<AsyncCrashCell> CELLS = AsyncCrashCell.all();
    /** Of an ask: all that differ, unless {@code -Doncebox.proof.rounds=2}. */
    private static final List<AsyncCrashCell> ASKS = CELLS.stream()
            .filter(cell -> Figures.rounds(1) > 1 || (cell.hold() && cell.pass() == 1))
            .toList();

    private static final int KILLS = 6;

    @TempDir
    private static Path folder;

    @TestFactory
    Stream<DynamicTest> a_death_after_the_acceptance_costs_nothing_and_one_before_it_what_was_promised() {
        return AsyncCrashTrial.each(CELLS, folder);
    }

    @TestFactory
    Stream<DynamicTest> with_nobody_but_asks_it_is_the_same() {
        return AskCrashTrial.each(ASKS, folder);
    }

    @Test
    void kills_in_the_middle_of_the_questions_send_nothing_again() throws Exception {
        try (var trial = new AsyncCrashTrial(folder, "polls=" + 2 * KILLS + " echo always", false)) {
            for (int kill = 1; kill <= KILLS; kill++) {
                trial.killWhilePolling(kill);
            }
            trial.liveOn();
            trial.assertEnd(1);
        }
    }

    @AfterAll
    static void say() {
        Figures.say("AsyncCrashProof: %d deaths of a run, %d of an ask, %d kills", CELLS.size(), ASKS.size(), KILLS);
    }
}
