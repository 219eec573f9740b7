package dev.oncebox.proof;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The machine fails under a running batch: disks that are full, read-only, broken or locked. Where nothing can be
 * recorded nothing is sent, what was paid is kept, and the runtime goes on by itself where that is safe.
 */
@Execution(ExecutionMode.CONCURRENT)
class SystemFaultProof {

    @TempDir
    private Path folder;

    private static final AtomicInteger SURVIVED = new AtomicInteger();
    private static final AtomicLong DOUBLED = new AtomicLong();

    private static void report(String fault, Trial trial) {
        long sends = Balance.number(trial.ledger, "SELECT sum(sends) FROM call");
        long doubled = trial.stub.count() - Trial.ITEMS;
        SURVIVED.incrementAndGet();
        DOUBLED.addAndGet(doubled);
        Figures.say(
                "SystemFaultProof, %s: %d sends counted for %d items, %d in the ledger, %d paid twice, 0 answers lost",
                fault, trial.stub.count(), Trial.ITEMS, sends, doubled);
    }

    @AfterAll
    static void sum() {
        Figures.say(
                "SystemFaultProof: %d faults survived, %d payments doubled, 0 answers lost",
                SURVIVED.get(), DOUBLED.get());
    }

    /** A flush that failed once may succeed falsely the next time: nothing after it can be trusted. */
    @ParameterizedTest
    @CsvSource({"'fsync,fdatasync', when=1", "'fsync,fdatasync', when=1+", "pwrite64, when=1+"})
    void when_the_ledgers_disk_fails_the_runtime_ends_with_1_and_every_paid_reply_is_kept(String calls, String when)
            throws IOException, SQLException {
        Machine.needs("strace");
        try (Trial trial = new Trial(folder).start()) {
            Path log = Path.of(trial.ledger + "-wal");
            long injected;
            try (Strace strace = Strace.inject(folder, trial.run().pid(), calls, "error=EIO:" + when, log)) {
                trial.awaitLog("cannot be used");
                long before = trial.stub.count();
                assertThat(trial.run().exit()).isEqualTo(1);
                assertThat(trial.stub.count() - before).isLessThanOrEqualTo(Trial.CONCURRENCY);
                injected = strace.injected();
            }
            assertThat(injected).isPositive();
            assertThat(trial.log()).contains("oncebox: The ledger ", "Nothing more is sent");
            assertThat(log)
                    .as("read with its checksums at the next start, not trusted now")
                    .isNotEmptyFile();
            assertThat(Balance.unknownSends(trial.ledger, trial.stub)).isEmpty();
            trial.assertPaidRepliesAreKept();
            trial.assertNextStartReachesTheEnd();
            assertThat(trial.stub.count())
                    .as("what was kept is not bought again")
                    .isEqualTo(Trial.ITEMS);
            report(injected + " times EIO from " + calls + " on the ledger", trial);
        }
    }

    @Test
    void when_the_ledgers_disk_is_full_nothing_is_sent_and_once_there_is_space_all_goes_on_without_a_second_payment()
            throws IOException {
        Machine.needs("mount", "umount");
        try (Volume volume = Volume.small(folder.resolve("ledger"), 6);
                Trial trial = new Trial(folder).start()) {
            Path filler = Volume.fill(folder.resolve("ledger"));
            trial.awaitLog("database or disk is full");
            trial.assertSendsNothingFor(Duration.ofSeconds(4));
            Files.delete(filler);
            trial.assertGoesOnToTheEnd();
            report("ledger's disk full", trial);
        }
    }

    @Test
    void when_a_full_disk_stays_full_and_somebody_stops_the_runtime_the_paid_replies_are_kept_elsewhere()
            throws IOException, SQLException {
        Machine.needs("mount", "umount");
        Path temporary = Files.createDirectories(folder.resolve("tmp"));
        try (Volume volume = Volume.small(folder.resolve("home"), 8);
                Trial trial = Trial.whole(folder, "engine.default.timeout=2s")) {
            trial.start("JDK_JAVA_OPTIONS=-Djava.io.tmpdir=" + temporary);
            Path filler = Volume.fill(folder.resolve("home"));
            trial.awaitLog("database or disk is full");
            trial.run().signal("TERM");
            assertThat(trial.run().exitWithin(Duration.ofSeconds(60))).isZero();
            Files.delete(filler);
            trial.assertPaidRepliesAreKept();
            trial.putBack(temporary);
            trial.assertNextStartReachesTheEnd();
            assertThat(trial.stub.count())
                    .as("what was kept is not bought again")
                    .isEqualTo(Trial.ITEMS);
            report("disk full for good", trial);
        }
    }

    @Test
    void when_the_disk_goes_away_under_everything_the_runtime_ends_with_1_and_what_was_paid_is_not_bought_again()
            throws IOException, SQLException {
        Volume.needImages(folder);
        Path temporary = Files.createDirectories(folder.resolve("tmp"));
        Path image = Volume.makeImage(folder.resolve("disk.img"), 32);
        try (Volume first = Volume.image(image, folder.resolve("home"));
                Trial trial = Trial.whole(folder)) {
            // the configuration has been on the disk for long
            Machine.done("sync", "-f", trial.home.root().toString());
            trial.start("JDK_JAVA_OPTIONS=-Djava.io.tmpdir=" + temporary);
            first.remount("abort");
            assertThat(trial.run().exit()).isEqualTo(1);
            assertThat(trial.log()).contains("oncebox: The ledger ", "Nothing more is sent");
            first.close();
            try (Volume repaired = Volume.image(image, folder.resolve("home"))) {
                assertThat(Balance.unknownSends(trial.ledger, trial.stub)).isEmpty();
                trial.assertPaidRepliesAreKept();
                trial.putBack(temporary);
                trial.assertNextStartReachesTheEnd();
                assertThat(trial.stub.count())
                        .as("what was kept is not bought again")
                        .isEqualTo(Trial.ITEMS);
                report("disk gone", trial);
            }
        }
    }

    @Test
    void when_another_process_locks_the_ledger_for_a_moment_and_for_long_the_runtime_waits_and_goes_on()
            throws IOException, SQLException {
        try (Trial trial = new Trial(folder).start();
                Connection other = Balance.open(trial.ledger)) {
            for (Duration time : List.of(Duration.ofSeconds(2), Duration.ofSeconds(33))) {
                other.createStatement().execute("PRAGMA busy_timeout=10000");
                other.createStatement().execute("BEGIN EXCLUSIVE");
                trial.assertSendsNothingFor(time);
                if (time.toSeconds() > 30) {
                    trial.awaitLog("database is locked");
                }
                other.createStatement().execute("ROLLBACK");
                trial.awaitSends(trial.stub.count() + 6);
            }
            trial.assertGoesOnToTheEnd();
            report("ledger locked for 2 s and 33 s", trial);
        }
    }

    @Test
    void when_the_outbox_cannot_be_flushed_the_answers_stay_in_the_ledger_until_it_can() throws IOException {
        Machine.needs("strace");
        try (Trial trial = new Trial(folder).start()) {
            Path outbox = trial.home.path("outbox");
            try (Strace strace = Strace.inject(
                    folder,
                    trial.run().pid(),
                    "fsync,fdatasync",
                    "error=EIO",
                    outbox,
                    outbox.resolve(".x.jsonl.oncebox.tmp"))) {
                trial.awaitLog("cannot be delivered and are tried again");
                Trial.until(() -> strace.injected() >= 2);
                assertThat(Balance.number(trial.ledger, "SELECT count(*) FROM file WHERE state = 'DELIVERED'"))
                        .isZero();
            }
            trial.assertGoesOnToTheEnd();
            report("EIO on the outbox", trial);
        }
    }

    @Test
    void when_the_outbox_is_full_the_answers_appear_once_there_is_space() throws IOException {
        Machine.needs("mount", "umount");
        try (Volume volume = Volume.small(folder.resolve("home"), 4);
                Trial trial = new Trial(folder).start()) {
            Path filler = Volume.fill(folder.resolve("home"));
            trial.awaitLog("cannot be delivered and are tried again");
            assertThat(trial.home.files("outbox")).isEmpty();
            Files.delete(filler);
            trial.assertGoesOnToTheEnd();
            report("outbox full", trial);
        }
    }

    @Test
    void when_the_outbox_is_read_only_the_answers_appear_once_it_is_not() throws IOException {
        Machine.needs("mount", "umount");
        try (Trial trial = new Trial(folder).start()) {
            try (Volume volume = Volume.readOnly(trial.home.path("outbox"))) {
                trial.awaitLog("cannot be delivered and are tried again");
                assertThat(trial.home.files("outbox")).isEmpty();
                volume.remount("bind,rw");
                trial.awaitAnswers();
            }
            trial.assertGoesOnToTheEnd();
            report("outbox read-only", trial);
        }
    }

    @Test
    void when_the_archive_cannot_be_written_the_file_stays_in_the_inbox_and_is_paid_once() throws IOException {
        Machine.needs("mount", "umount");
        try (Trial trial = new Trial(folder)) {
            trial.launch();
            try (Volume volume = Volume.readOnly(trial.home.path("archive"))) {
                trial.drop();
                trial.awaitLog("stays in the inbox and is tried again");
                Trial.until(() -> trial.home.exists("outbox/x.jsonl"));
                assertThat(trial.home.files("inbox")).containsExactly("x.jsonl");
                // writable again, but for a rename still another file system: the file has to be copied
                volume.remount("bind,rw");
                trial.awaitAnswers();
            }
            trial.assertGoesOnToTheEnd();
            report("archive read-only, then on another file system", trial);
        }
    }
}
