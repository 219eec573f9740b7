package dev.oncebox;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What a person decides about doubts and dead letters, by what the endpoint counts. */
class DecisionsTest extends StubbedHome {

    @Test
    void a_call_in_doubt_is_held_until_a_person_sends_it_again() {
        TestHome home = home("engine.default.on-doubt=hold");
        home.drop("x.jsonl", "{\"text\":\"[[stub: reset]] one\"}\n{\"text\":\"two\"}\n");
        assertThat(home.runUntilIdle()).isEqualTo(4);
        assertThat(stub.count()).isEqualTo(2);
        assertThat(home.exists("outbox/x.jsonl")).isFalse();

        CommandOutput listed = CommandOutput.of(home, "doubt", "list");
        String key = listed.out().substring(0, 64);
        assertThat(CommandOutput.of(home, "doubt", "resend", key).exit()).isZero();
        assertThat(CommandOutput.of(home, "doubt", "resend", key).exit()).isEqualTo(1);

        assertThat(home.runUntilIdle()).isZero();
        assertThat(stub.count()).isEqualTo(3);
        assertThat(home.lines("outbox/x.jsonl")).hasSize(2);
        assertThat(home.lines("outbox/x.jsonl").get(0).path("charged").asText()).isEqualTo("unknown");
    }

    @Test
    void an_accepted_loss_lets_the_file_go_with_an_error_line_and_sends_nothing() {
        TestHome home = home("engine.default.on-doubt=hold");
        home.drop("x.jsonl", "{\"text\":\"[[stub: reset]] one\"}\n{\"text\":\"two\"}\n");
        home.runUntilIdle();
        String key = CommandOutput.of(home, "doubt").out().substring(0, 12);

        assertThat(CommandOutput.of(home, "doubt", "accept-loss", key).exit()).isZero();

        assertThat(home.runUntilIdle()).isEqualTo(4);
        assertThat(stub.count()).isEqualTo(2);
        assertThat(home.lines("outbox/x.jsonl")).hasSize(1);
        assertThat(home.lines("outbox/x.errors.jsonl")
                        .get(0)
                        .path("error")
                        .path("code")
                        .asText())
                .isEqualTo("loss_accepted");
    }

    @Test
    void a_dead_letter_is_retried_and_its_file_delivered_anew() {
        TestHome home = home();
        home.drop("x.jsonl", "{\"text\":\"[[stub: 400]] one\"}\n{\"text\":\"two\"}\n");
        assertThat(home.runUntilIdle()).isEqualTo(4);

        assertThat(CommandOutput.of(home, "dead", "retry", "--all").exit()).isZero();

        assertThat(home.runUntilIdle()).isZero();
        assertThat(stub.count()).isEqualTo(3);
        assertThat(home.lines("outbox/x~2.jsonl")).hasSize(2);
        assertThat(CommandOutput.of(home, "dead", "list").out()).startsWith("No call failed");
    }

    @Test
    void a_call_in_doubt_at_an_engine_that_is_configured_no_more_is_sent_by_its_jobs_engine() {
        TestHome home = home("engine.default.on-doubt=hold");
        home.drop("a.md", "[[stub: reset]] one");
        assertThat(home.runUntilIdle()).isEqualTo(4);
        TestHome changed = home("engine.default.on-doubt=hold");
        changed.write(
                "config/application.properties",
                changed.read("config/application.properties").replace("engine.default.", "engine.new."));
        changed.write("config/jobs/default/job.properties", "engines=new");
        String key = CommandOutput.of(changed, "doubt").out().substring(0, 64);

        assertThat(CommandOutput.of(changed, "doubt", "resend", key).exit()).isZero();

        assertThat(number(changed, "SELECT count(*) FROM call WHERE engine = 'new' AND state = 'READY'"))
                .as("a worker that runs by now claims it")
                .isEqualTo(1);
        assertThat(changed.runUntilIdle()).isZero();
        assertThat(changed.read("outbox/a.md")).startsWith("[call 2]");
    }
}
