package dev.oncebox.ledger.camel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oncebox.ledger.Ledger.Move;
import dev.oncebox.ledger.Pause;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class FallbacksTest {

    private static final Fallbacks FALLBACKS = new Fallbacks(
            new TreeMap<>(Map.of(
                    "both", List.of("a", "b"),
                    "chain", List.of("a", "b", "c"),
                    "other", List.of("c", "a"),
                    "single", List.of("a"))),
            Set.of("a", "c"));

    private static Pause pause(String reason) {
        return new Pause(Pause.State.OPEN, 1, 2, reason);
    }

    @Test
    void nothing_goes_anywhere_while_no_engine_is_left_in_peace() {
        for (String engine : List.of("a", "b", "c", "unknown")) {
            assertThat(FALLBACKS.to(engine, Map.of())).isEmpty();
            assertThat(FALLBACKS.to(engine, Map.of(Pause.BUDGET, pause("Spent."))))
                    .isEmpty();
        }
    }

    @Test
    void calls_go_to_the_next_engine_of_their_job_with_the_reason() {
        Map<String, Pause> pauses = Map.of("a", pause("No credit."));
        assertThat(FALLBACKS.to("b", pauses))
                .containsExactly(new Move("a", "b", List.of("both", "chain"), true, "No credit"));
        assertThat(FALLBACKS.to("c", pauses)).as("b would take it").isEmpty();
        assertThat(FALLBACKS.to("a", pauses)).as("never backwards").isEmpty();
    }

    @Test
    void an_engine_that_is_left_in_peace_too_is_passed_by() {
        Map<String, Pause> pauses = Map.of("a", pause("A."), "b", pause("B"));
        assertThat(FALLBACKS.to("c", pauses))
                .containsExactly(
                        new Move("a", "c", List.of("chain"), true, "A"),
                        new Move("b", "c", List.of("chain"), false, "B"));
    }

    @Test
    void the_order_is_each_jobs_own() {
        assertThat(FALLBACKS.to("a", Map.of("c", pause("C."))))
                .containsExactly(new Move("c", "a", List.of("other"), true, "C"));
    }
}
