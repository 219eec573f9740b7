package dev.oncebox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oncebox.stub.Call;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is configured for a minute holds for all runtimes on one ledger together, by what the endpoint counts. */
class SharedLimitProof extends StubbedHome {

    private static final int PER_MINUTE = 1200;
    /** A twentieth of a minute's worth may go at once, as for one runtime alone. */
    private static final int AT_ONCE = PER_MINUTE / 20;
    /** What may be left over where a limit is divided, and the one that is on its way. */
    private static final int ROUNDING = 6;

    @Test
    @Timeout(value = 5, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void three_runtimes_stay_within_the_requests_of_a_minute_also_when_one_leaves() throws Exception {
        var database = Database.make();
        TestHome home = home(
                "ledger.url=" + database.url(),
                "ledger.lease=3s",
                "engine.default.requests-per-minute=" + PER_MINUTE,
                "engine.default.concurrency=64");
        try (var one = new Working(home);
                var another = new Working(home)) {
            Instant begun;
            try (var third = new Working(home)) {
                begun = Instant.now();
                home.drop("x.jsonl", lines(1000));
                third.until(
                        () -> assertThat(database.number("SELECT count(DISTINCT node) FROM event WHERE kind = 'SENT'"))
                                .isGreaterThanOrEqualTo(3));
            }
            long when = stub.count();
            one.until(() -> assertThat(stub.count()).isGreaterThan(when + 20));
            long sent = 0;
            for (Call call : stub.calls()) {
                double seconds = Duration.between(begun, call.at()).toMillis() / 1000.0;
                assertThat(++sent).as("after %s s", seconds).isLessThanOrEqualTo((long)
                        (AT_ONCE + ROUNDING + seconds * PER_MINUTE / 60));
            }
        }
    }

    private static String lines(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> "{\"id\":\"i" + i + "\",\"text\":\"text " + i + "\"}\n")
                .collect(Collectors.joining());
    }
}
