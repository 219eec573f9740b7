package dev.oncebox.ledger.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.oncebox.config.ConfigException;
import dev.oncebox.config.LedgerUrl;
import dev.oncebox.config.Retry;
import dev.oncebox.job.Acceptance;
import dev.oncebox.job.Job;
import dev.oncebox.ledger.Call;
import dev.oncebox.ledger.DroppedFile;
import dev.oncebox.ledger.Policy;
import dev.oncebox.ledger.ReceivedFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A ledger that lost bytes, or has others. Its log may have lost its end, as a power cut leaves it; anything else is
 * refused before a byte of it is written.
 */
class TornLedgerTest {

    private static final Policy POLICY =
            new Policy(3, true, false, new Retry(Duration.ZERO, 1, Duration.ZERO, Duration.ofHours(1)), null);
    private static final Job JOB = new Job(
            "default",
            List.of("default"),
            null,
            new TreeMap<>(),
            null,
            3,
            Job.Format.TEXT,
            Acceptance.STRICT,
            null,
            "{{text}}",
            null);
    private static final int CALLS = 12;
    private static final int WAL_HEADER = 32;
    private static final int FRAME = 24 + 4096;

    @TempDir
    private Path folder;

    private Path file;
    private Path log;
    /** As they are when a process is killed: some of it in the file, and every send in the log. */
    private byte[] main;

    private byte[] wal;

    @BeforeEach
    void sendSomeCalls() throws IOException {
        file = folder.resolve("data/ledger.db");
        log = folder.resolve("data/ledger.db-wal");
        open().close();
        try (SqlLedger ledger = open()) {
            ReceivedFile received =
                    ledger.receive(new DroppedFile("f.jsonl", JOB, DroppedFile.Kind.LINES, WatchedLedger.sha256("f")));
            for (int n = 1; n <= CALLS; n++) {
                ledger.record(received, List.of(WatchedLedger.asking(n, "a" + n, WatchedLedger.sha256("a" + n))));
            }
            for (Call call : ledger.claim("default", CALLS)) {
                assertThat(ledger.sent(call)).isTrue();
            }
            main = Files.readAllBytes(file);
            wal = Files.readAllBytes(log);
        }
    }

    private SqlLedger open() {
        return SqlLedger.open(
                new LedgerUrl.SqliteFile(file),
                new SqlLedger.Surroundings((job, engine) -> POLICY, 1, Clock.systemUTC(), new Random(1), lost -> {}));
    }

    private void put(byte[] mainBytes, byte[] logBytes) throws IOException {
        Files.deleteIfExists(folder.resolve("data/ledger.db-shm"));
        Files.write(file, mainBytes);
        Files.write(log, logBytes);
    }

    private void assertRefused(byte[] mainBytes, byte[] logBytes, String what) throws IOException {
        put(mainBytes, logBytes);
        Throwable thrown = catchThrowable(this::open);
        assertThat(thrown)
                .as(what)
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("ledger.db")
                .hasMessageContaining("damaged")
                .hasMessageContaining("backup")
                .hasMessageContaining("Nothing in it was changed");
        assertThat(Arrays.equals(Files.readAllBytes(file), mainBytes)).as(what).isTrue();
        assertThat(Arrays.equals(Files.readAllBytes(log), logBytes)).as(what).isTrue();
    }

    /** How many calls a ledger knows to be sent, seen without opening it for work. */
    private long sends() {
        try (SqlReports reports = SqlReports.open(new LedgerUrl.SqliteFile(file))) {
            return reports.figures(0).sends();
        }
    }

    @Test
    void a_log_that_lost_its_end_is_opened_with_every_send_that_was_committed_before() throws Exception {
        long before = 0;
        for (int length = 0;
                length <= wal.length;
                length = length == wal.length ? length + 1 : Math.min(wal.length, length + 5003)) {
            put(main, Arrays.copyOf(wal, length));
            new SqliteHealth(file).require();
            long sends = sends();
            assertThat(sends).as("cut at " + length).isBetween(before, (long) CALLS);
            before = sends;
        }
        assertThat(before).isEqualTo(CALLS);
    }

    @Test
    void a_log_whose_end_is_zeroes_or_another_generation_is_a_log_that_lost_its_end() throws Exception {
        int commits = commits(wal, wal.length);
        for (int lost = 1; lost < FRAME; lost += 509) {
            byte[] zeroes = wal.clone();
            Arrays.fill(zeroes, wal.length - lost, wal.length, (byte) 0);
            put(main, Arrays.copyOf(zeroes, wal.length + 3 * FRAME));
            new SqliteHealth(file).require();
            assertThat(sends()).isBetween(CALLS - 1L, (long) CALLS);
        }
        assertThat(commits).isGreaterThan(2 * CALLS);
    }

    @Test
    void a_log_that_is_wrong_in_the_middle_is_refused_since_sends_stand_behind_it() throws Exception {
        int refused = 0;
        for (int at = 0; at < wal.length; at += 1511) {
            byte[] flipped = wal.clone();
            flipped[at] ^= 0x10;
            int frame = at < WAL_HEADER ? 0 : (at - WAL_HEADER) / FRAME;
            int behind = commits(wal, wal.length) - commits(wal, WAL_HEADER + (frame + 1) * FRAME);
            if (behind >= 2) {
                assertRefused(main, flipped, "flipped at " + at);
                refused++;
            } else if (behind == 0) {
                put(main, flipped);
                new SqliteHealth(file).require();
            }
        }
        assertThat(refused).isGreaterThan(20);
    }

    private static int commits(byte[] log, int until) {
        int commits = 0;
        for (int at = WAL_HEADER; at + FRAME <= until; at += FRAME) {
            commits += ByteBuffer.wrap(log).getInt(at + 4) != 0 ? 1 : 0;
        }
        return commits;
    }

    @Test
    void a_ledger_file_that_lost_its_end_is_refused() throws Exception {
        settle();
        for (int length = 0; length < main.length; length += 1999) {
            assertRefused(Arrays.copyOf(main, length), wal, "cut at " + length);
        }
    }

    @Test
    void a_ledger_file_that_lost_its_end_is_refused_unless_all_of_that_is_in_its_log() throws Exception {
        byte[] before = wal;
        settle();
        for (int length = 0; length < main.length; length += 3989) {
            put(Arrays.copyOf(main, length), before);
            if (!isRefused()) {
                assertThat(sends()).as("cut at " + length).isEqualTo(CALLS);
            }
        }
    }

    /** Everything from the log is in the file, as after a proper end. */
    private void settle() throws IOException {
        put(main, wal);
        open().close();
        main = Files.readAllBytes(file);
        wal = new byte[0];
    }

    @Test
    void a_wrong_byte_anywhere_in_the_structure_of_a_ledger_is_refused() throws Exception {
        settle();
        int page = 4096;
        for (int at = 0; at + page <= main.length; at += page) {
            // what says of a page which kind it is, how many cells it has and where they are
            byte[] flipped = main.clone();
            int header = at + (at == 0 ? 100 : 0);
            for (int i = header; i < header + 8; i++) {
                flipped[i] ^= 0x5a;
            }
            assertRefused(flipped, wal, "page at " + at);
        }
    }

    @Test
    void an_index_that_has_lost_a_key_is_refused_or_the_call_would_be_bought_again() throws Exception {
        settle();
        byte[] key = WatchedLedger.sha256("a3");
        int found = 0;
        for (int at = 0; at + key.length <= main.length; at++) {
            if (Arrays.equals(main, at, at + key.length, key, 0, key.length)) {
                byte[] other = main.clone();
                other[at] ^= 1;
                put(other, wal);
                found += isRefused() ? 1 : 0;
            }
        }
        assertThat(found).as("in the table and in its index").isEqualTo(2);
    }

    private boolean isRefused() {
        try (SqlLedger ledger = open()) {
            return ledger.unarchived() == null;
        } catch (ConfigException e) {
            assertThat(e).hasMessageContaining("damaged");
            return true;
        }
    }

    @Test
    void a_ledger_without_a_byte_is_no_new_one() throws Exception {
        assertRefused(new byte[0], new byte[0], "empty");
        assertThatThrownBy(this::sends).isInstanceOf(ConfigException.class).hasMessageContaining("empty");
    }

    @Test
    void a_ledger_that_a_kill_left_half_made_is_made_anew() throws IOException {
        Path other = folder.resolve("other/ledger.db");
        Files.createDirectories(other.getParent());
        Files.write(folder.resolve("other/ledger.db.new"), Arrays.copyOf(main, 100));
        Files.write(folder.resolve("other/ledger.db.new-wal"), Arrays.copyOf(main, 200));
        file = other;
        open().close();
        try (var files = Files.list(other.getParent())) {
            assertThat(files).containsExactly(other);
        }
        assertThat(sends()).isZero();
    }

    /** A reader beside the first start found the tables of the first migration and advised to bring them up to date. */
    @Test
    void a_ledger_appears_whole() throws Exception {
        file = folder.resolve("other/ledger.db");
        Set<Long> seen = ConcurrentHashMap.newKeySet();
        var made = new AtomicBoolean();
        var reader = CompletableFuture.runAsync(() -> {
            while (!made.get()) {
                seen.add(sends());
            }
        });
        open().close();
        made.set(true);
        reader.get(30, TimeUnit.SECONDS);
        assertThat(seen).containsOnly(0L);
    }
}
