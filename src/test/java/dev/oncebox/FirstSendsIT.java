package dev.oncebox;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The first calls of a process come to their engines' endpoints at the same time, and several engines at one address. */
class FirstSendsIT extends StubbedHome {

    private static final int ENGINES = 12;
    private static final int CALLS = 8;

    /**
     * Whoever came first to an engine registered its endpoint by its address, and whatever was registered there was
     * stopped: the endpoint of another engine, or the same one under another call. Everything in flight was in doubt.
     */
    @Test
    void the_first_call_of_an_engine_stops_no_endpoint_at_the_same_address_under_calls_in_flight() {
        List<String> properties = new ArrayList<>();
        for (int i = 1; i <= ENGINES; i++) {
            properties.add("engine.e" + i + ".url=" + stub.uri("/v1"));
            properties.add("engine.e" + i + ".model=m" + i);
            properties.add("engine.e" + i + ".on-doubt=hold");
        }
        TestHome home = home(properties.toArray(String[]::new));
        for (int i = 1; i <= ENGINES; i++) {
            home.write("config/jobs/j" + i + "/job.properties", "engines=e" + i + "\n");
            home.drop("j" + i + "/x.jsonl", Evidence.batch(CALLS, "[[stub: delay=50ms]]"));
        }

        try (Launched run = Launched.untilIdle(home)) {
            assertThat(run.exit()).isZero();
        }

        assertThat(stub.count()).isEqualTo(ENGINES * CALLS);
        assertThat(home.read("run.log")).doesNotContain("in doubt");
    }
}
