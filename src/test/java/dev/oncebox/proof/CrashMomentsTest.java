package dev.oncebox.proof;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oncebox.CrashPoint;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** No moment at which a process may die is in no matrix. */
class CrashMomentsTest {

    @Test
    void every_moment_is_in_the_matrix_of_its_kind_of_engine() {
        Set<CrashPoint> covered = EnumSet.noneOf(CrashPoint.class);
        CrashCell.all(false).forEach(cell -> covered.add(cell.at()));
        assertThat(covered).isEqualTo(EnumSet.complementOf(EnumSet.copyOf(CrashCell.OF_ASYNCHRONOUS_ENGINES)));
        AsyncCrashCell.all().forEach(cell -> covered.add(cell.at()));
        covered.addAll(CrashCell.OF_BATCHES);

        assertThat(covered).isEqualTo(EnumSet.allOf(CrashPoint.class));
        assertThat(CrashCell.all(true))
                .extracting(CrashCell::at)
                .doesNotContainAnyElementsOf(CrashCell.OF_ASYNCHRONOUS_ENGINES);
    }
}
