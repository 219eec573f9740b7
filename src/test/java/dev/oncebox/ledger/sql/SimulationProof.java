package dev.oncebox.ledger.sql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oncebox.proof.Figures;
import org.junit.jupiter.api.Test;

/** Ten thousand schedules, or {@code -Doncebox.simulations=N}, other ones each time unless {@code -Doncebox.seed=S}. */
class SimulationProof {

    private static final int SCHEDULES = Integer.getInteger("oncebox.simulations", 10_000);

    @Test
    void the_promise_holds_in_every_schedule() {
        long requests = SimulatedWorld.runAll(Figures.SEED, SCHEDULES);

        assertThat(requests).isGreaterThan(SCHEDULES * 2L);
        Figures.say("Simulation: %d schedules, %d requests, no rule broken", SCHEDULES, requests);
    }
}
