package dev.oncebox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oncebox.stub.Call;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Calls that were refused at once and told the same time to wait. */
class RetryAfterSpreadTest extends StubbedHome {

    private static final int CALLS = 64;
    /** These are answered, so that the engine is trusted with as many calls as it takes. */
    private static final int BEFORE = 4;

    private static final Duration UNTIL_REFUSED = Duration.ofSeconds(1);
    private static final Duration WAIT = Duration.ofSeconds(1);
    private static final int MOMENT_MILLIS = 100;

    @Test
    void sixty_four_calls_refused_at_once_come_back_after_their_time_and_not_at_the_same_instant() {
        TestHome home = home("engine.default.concurrency=" + CALLS);
        var batch = new StringBuilder(Evidence.batch(BEFORE));
        for (int n = BEFORE + 1; n <= BEFORE + CALLS; n++) {
            batch.append("{\"id\":\"i%d\",\"text\":\"[[stub: delay=1s 429 retry-after=1]] Question %d.\"}\n"
                    .formatted(n, n));
        }
        home.drop("x.jsonl", batch.toString());

        assertThat(home.runUntilIdle()).isZero();

        Evidence.assertAnswers(home.lines("outbox/x.jsonl"), BEFORE + CALLS, stub);
        Map<String, List<Call>> posts = stub.calls().stream().collect(Collectors.groupingBy(Call::key));
        posts.values().removeIf(calls -> calls.size() == 1);
        assertThat(posts).hasSize(CALLS);
        Map<Long, Integer> moments = new TreeMap<>();
        Instant start = stub.calls().get(0).at();
        for (List<Call> calls : posts.values()) {
            assertThat(calls).hasSize(2);
            assertThat(Duration.between(calls.get(0).at(), calls.get(1).at()))
                    .as("not before its time")
                    .isGreaterThanOrEqualTo(UNTIL_REFUSED.plus(WAIT));
            moments.merge(Duration.between(start, calls.get(1).at()).toMillis() / MOMENT_MILLIS, 1, Integer::sum);
        }
        assertThat(moments)
                .as("moments of %d ms, of which there are 20 in the jitter's time", MOMENT_MILLIS)
                .hasSizeGreaterThan(8);
        assertThat(moments.values()).as("%s", moments).allMatch(together -> together <= CALLS / 3);
    }
}
