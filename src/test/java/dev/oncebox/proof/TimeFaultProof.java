package dev.oncebox.proof;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oncebox.ShellCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Time behaves oddly under a running batch: clocks jump, and a process is frozen and goes on. */
@Execution(ExecutionMode.CONCURRENT)
class TimeFaultProof {

    /** Longer than a worker counts as alive without a sign of life. */
    private static final Duration FROZEN = Duration.ofSeconds(17);

    @TempDir
    private Path folder;

    @Test
    void when_the_clock_jumps_a_day_forth_and_two_days_back_everything_is_answered_and_paid_once() throws IOException {
        Path clock = Files.writeString(folder.resolve("clock"), "+0");
        try (Trial trial = new Trial(folder)
                .start(
                        "LD_PRELOAD=" + Machine.library("libfaketimeMT.so.1"),
                        "FAKETIME_TIMESTAMP_FILE=" + clock,
                        "FAKETIME_NO_CACHE=1",
                        "FAKETIME_DONT_FAKE_MONOTONIC=1")) {
            for (String time : new String[] {"+1d", "-1d"}) {
                Files.writeString(clock, time);
                trial.awaitSends(trial.stub.count() + 12);
            }
            trial.home.drop("late.md", "Dropped by a clock that is late.");
            Trial.until(() -> trial.home.exists("outbox/late.md"));
            trial.awaitAnswers();
            trial.assertStops();
            assertThat(trial.stub.count()).isEqualTo(Trial.ITEMS + 1);
            assertThat(Balance.broken(trial.ledger)).isEmpty();
            assertThat(Balance.unknownSends(trial.ledger, trial.stub)).isEmpty();
            Figures.say(
                    "TimeFaultProof, clock a day forth and two back: %d sends counted for %d items, 0 answers lost",
                    trial.stub.count(), Trial.ITEMS + 1);
        }
    }

    @Test
    void when_a_process_is_frozen_past_its_lease_no_other_takes_its_ledger_and_it_goes_on() throws IOException {
        String oncebox = System.getProperty("oncebox.dist") + "/bin/oncebox";
        try (Trial trial = new Trial(folder).start()) {
            trial.run().signal("STOP");
            assertThat(trial.run().endsWithin(FROZEN)).isFalse();
            long before = trial.stub.count();
            ShellCommand.Result second = ShellCommand.of(
                            oncebox,
                            "run",
                            "--until-idle",
                            "--home",
                            trial.home.root().toString())
                    .run();
            assertThat(second.exit()).isEqualTo(1);
            assertThat(second.err())
                    .contains("is in use by process " + trial.run().pid());
            assertThat(trial.stub.count()).isEqualTo(before);
            trial.run().signal("CONT");
            trial.assertGoesOnToTheEnd();
            Figures.say(
                    "TimeFaultProof, frozen for %s: %d sends counted for %d items, 0 answers lost",
                    FROZEN, trial.stub.count(), Trial.ITEMS);
        }
    }
}
