package dev.oncebox.proof;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * The process dies at each of its named moments, and the next one there again; the one after that brings everything to
 * its end. {@code -Doncebox.proof.rounds=2} crosses everything with everything.
 */
class CrashMatrixProof {

    private static final List<CrashCell> CELLS = CrashCell.all(Figures.rounds(1) > 1);

    @TempDir
    private static Path folder;

    @TestFactory
    Stream<DynamicTest> a_death_at_any_moment_costs_at_most_what_was_promised() {
        return CrashTrial.each(CELLS, folder);
    }

    @AfterAll
    static void say() {
        Figures.say(
                "CrashMatrixProof: %d cells, %d deaths",
                CELLS.size(),
                CELLS.stream().mapToInt(cell -> cell.deaths().size()).sum());
    }
}
