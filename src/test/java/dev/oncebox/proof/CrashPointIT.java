package dev.oncebox.proof;

import dev.oncebox.CrashPoint;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** The few cells of {@link CrashMatrixProof} that every build lives through. */
class CrashPointIT {

    private static final List<CrashCell> CELLS = List.of(
            new CrashCell(CrashPoint.AFTER_INTAKE, 1, false, false, true),
            new CrashCell(CrashPoint.AFTER_EXPLAINED, 1, false, false, false),
            new CrashCell(CrashPoint.AFTER_SENT, 3, false, true, true),
            new CrashCell(CrashPoint.AFTER_RESPONSE, 1, true, false, false),
            new CrashCell(CrashPoint.AFTER_RENAME, 1, false, false, true),
            new CrashCell(CrashPoint.IN_RECOVERY, 1, false, false, true));

    @TempDir
    private static Path folder;

    @TestFactory
    Stream<DynamicTest> a_death_costs_at_most_what_was_promised() {
        return CrashTrial.each(CELLS, folder);
    }
}
