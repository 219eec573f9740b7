package dev.oncebox.proof;

import dev.oncebox.CrashPoint;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
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

    private static final Set<CrashPoint> OF_HANDS =
            EnumSet.of(CrashPoint.AFTER_CLAIM, CrashPoint.AFTER_SENT, CrashPoint.AFTER_RENAME);

    private static final List<CrashCell> SHARED = CELLS.stream()
            .filter(cell ->
                    Boolean.getBoolean("oncebox.proof.postgresql") || OF_HANDS.contains(cell.at()) && !cell.batch())
            .toList();

    @TempDir
    private static Path folder;

    @TestFactory
    Stream<DynamicTest> a_death_at_any_moment_costs_at_most_what_was_promised() {
        return CrashTrial.each(CELLS, folder);
    }

    /** On PostgreSQL the few moments at which a call or a file changes hands; all with -Doncebox.proof.postgresql=true. */
    @TestFactory
    Stream<DynamicTest> nor_does_it_where_other_nodes_would_take_over() {
        return CrashTrial.each(SHARED, folder, true);
    }

    @AfterAll
    static void say() {
        Figures.say(
                "CrashMatrixProof: %d cells, %d deaths; on PostgreSQL %d cells, %d deaths",
                CELLS.size(),
                CELLS.stream().mapToInt(cell -> cell.deaths().size()).sum(),
                SHARED.size(),
                SHARED.stream().mapToInt(cell -> cell.deaths().size()).sum());
    }
}
