package dev.oncebox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.oncebox.stub.Stub;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** An endpoint that fails everybody is left in peace, however much is queued for it, and asked again when it is well. */
class DeadEngineTest extends StubbedHome {

    private static final int HANDFUL = 20;
    private static final Duration A_WHILE = Duration.ofSeconds(3);

    @ParameterizedTest
    @CsvSource({"401, 10000", "503, 2000", "close, 2000", "429 insufficient_quota, 2000"})
    void thousands_of_queued_calls_are_a_handful_of_posts_until_it_answers_again(String trouble, int calls)
            throws IOException {
        int port = stub.port();
        restart(Stub.Options.defaults().withPort(port).withScript(trouble + " always"));
        TestHome home =
                home("engine.default.concurrency=64", "retry.delay=100ms", "retry.max-delay=2s", "retry.give-up=1h");
        home.drop("x.jsonl", Evidence.batch(calls));
        CompletableFuture<Integer> run = CompletableFuture.supplyAsync(home::runUntilIdle);

        await().until(() -> isStandingStill(home, run));
        await().during(A_WHILE).atMost(A_WHILE.multipliedBy(3)).until(() -> stub.count() <= HANDFUL);

        assertThat(run).isNotDone();
        JsonNode status = home.status();
        JsonNode engine = status.at("/engines/default");
        assertThat(engine.path("breaker").asText()).isIn("open", "probing");
        assertThat(Instant.parse(engine.path("resumesAt").asText())).isNotNull();
        assertThat(status.at("/calls/ready").asInt() + status.at("/calls/sent").asInt())
                .isEqualTo(calls);
        assertThat(status.at("/calls/dead").asInt()).isZero();
        long charged = number(home, "SELECT sum(attempts) FROM call WHERE state = 'READY'");
        if (trouble.equals("close")) {
            assertThat(charged).as("each may have been charged").isBetween(1L, (long) HANDFUL);
        } else {
            assertThat(charged).as("what costs nothing is no attempt").isZero();
        }

        restart(Stub.Options.defaults().withPort(port).withBodies());
        assertThat(run.join()).isZero();

        assertThat(stub.counts().accepted()).as("each is answered once").isEqualTo(calls);
        assertThat(stub.counts().answered()).isEqualTo(calls);
        assertThat(stub.counts().keys()).isEqualTo(calls);
        Evidence.assertAnswers(home.lines("outbox/x.jsonl"), calls, stub);
        assertThat(home.status().at("/engines/default/breaker").asText()).isEqualTo("closed");
    }

    private void restart(Stub.Options options) throws IOException {
        stub.close();
        stub = Stub.start(options);
    }

    private static boolean isStandingStill(TestHome home, CompletableFuture<Integer> run) {
        return run.isDone()
                || home.exists("archive/x.jsonl")
                        && home.status().at("/calls/ready").asInt() > 0
                        && !home.status()
                                .at("/engines/default/breaker")
                                .asText()
                                .equals("closed");
    }
}
