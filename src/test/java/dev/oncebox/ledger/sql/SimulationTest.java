package dev.oncebox.ledger.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The promise under drawn schedules; many more of them in {@link SimulationProof}. */
class SimulationTest {

    private static final int SCHEDULES = 2000;

    @Test
    void the_promise_holds_in_every_schedule() {
        assertThat(SimulatedWorld.runAll(1, SCHEDULES)).as("requests").isGreaterThan(SCHEDULES * 2L);
    }

    @ParameterizedTest
    @EnumSource
    void a_planted_bug_is_noticed(PlantedBug bug) throws SQLException, IOException {
        try (SimulatedWorld world = new SimulatedWorld(bug)) {
            for (long seed = 1; seed <= SCHEDULES; seed++) {
                try {
                    world.run(seed);
                } catch (AssertionError noticed) {
                    System.out.println(bug + " is noticed at " + noticed.getMessage());
                    return;
                }
            }
        }
        throw new AssertionError(bug + " went unnoticed");
    }
}
