package dev.oncebox.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.oncebox.Patience;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@Timeout(200)
@ExtendWith(Patience.class)
class FolderSyncTest {

    private static final Path OUTBOX = Path.of("/outbox");
    private static final Path ARCHIVE = Path.of("/archive");

    private final AtomicInteger begun = new AtomicInteger();
    private final Semaphore mayEnd = new Semaphore(0);
    private volatile boolean fails;
    private final FolderSync held = new FolderSync(folder -> {
        begun.incrementAndGet();
        mayEnd.acquireUninterruptibly();
        if (fails) {
            throw new IOException("the disk is broken");
        }
    });

    @Test
    void a_flush_serves_all_who_came_before_it_began() throws Exception {
        FutureTask<Void> first = start(held, OUTBOX);
        await().until(() -> begun.get() == 1);
        List<FutureTask<Void>> others = new ArrayList<>();
        for (int n = 0; n < 30; n++) {
            others.add(start(held, OUTBOX));
        }
        await().until(() -> held.there(OUTBOX) == 31);

        mayEnd.release();
        first.get();
        await().until(() -> begun.get() == 2);
        assertThat(others)
                .as("a flush that had begun before them is not theirs")
                .noneMatch(FutureTask::isDone);

        mayEnd.release();
        for (FutureTask<Void> other : others) {
            other.get();
        }
        assertThat(begun).hasValue(2);
        assertThat(held.there(OUTBOX)).isZero();
    }

    @Test
    void nobody_waits_for_another_folder() throws Exception {
        FutureTask<Void> outbox = start(held, OUTBOX);
        await().until(() -> begun.get() == 1);
        FutureTask<Void> archive = start(held, ARCHIVE);

        await().until(() -> begun.get() == 2);

        mayEnd.release(2);
        outbox.get();
        archive.get();
    }

    @Test
    void a_flush_that_fails_fails_for_all_who_are_there_and_is_not_tried_again() {
        FutureTask<Void> first = start(held, OUTBOX);
        await().until(() -> begun.get() == 1);
        List<FutureTask<Void>> meanwhile = new ArrayList<>();
        for (int n = 0; n < 10; n++) {
            meanwhile.add(start(held, OUTBOX));
        }
        await().until(() -> held.there(OUTBOX) == 11);

        fails = true;
        mayEnd.release();

        assertThatThrownBy(first::get).hasRootCauseMessage("the disk is broken");
        for (FutureTask<Void> other : meanwhile) {
            assertThatThrownBy(other::get).hasRootCauseMessage("the disk is broken");
        }
        assertThat(begun).hasValue(1);
        assertThat(held.there(OUTBOX)).isZero();
    }

    @Test
    void a_shared_flush_that_fails_fails_for_all_who_waited_for_it_and_for_nobody_before() throws Exception {
        FutureTask<Void> first = start(held, OUTBOX);
        await().until(() -> begun.get() == 1);
        List<FutureTask<Void>> others = List.of(start(held, OUTBOX), start(held, OUTBOX), start(held, OUTBOX));
        await().until(() -> held.there(OUTBOX) == 4);
        mayEnd.release();
        await().until(() -> begun.get() == 2);

        fails = true;
        mayEnd.release();

        first.get();
        for (FutureTask<Void> other : others) {
            assertThatThrownBy(other::get).hasRootCauseMessage("the disk is broken");
        }
        assertThat(begun).hasValue(2);
    }

    @Test
    void after_a_failure_whoever_comes_has_a_flush_of_his_own() throws Exception {
        fails = true;
        mayEnd.release(2);
        assertThatThrownBy(() -> held.await(OUTBOX)).hasMessage("the disk is broken");

        fails = false;
        held.await(OUTBOX);

        assertThat(begun).hasValue(2);
    }

    @Test
    void an_error_is_a_failure_too() {
        var broken = new FolderSync(folder -> {
            throw new StackOverflowError("mine");
        });

        assertThatThrownBy(() -> broken.await(OUTBOX)).isInstanceOf(StackOverflowError.class);
        assertThatThrownBy(() -> broken.await(OUTBOX)).isInstanceOf(StackOverflowError.class);
    }

    @Test
    void who_is_interrupted_has_his_flush_all_the_same_and_remains_interrupted() throws IOException {
        var interrupted = new FolderSync(
                folder -> assertThat(Thread.currentThread().isInterrupted()).isFalse());
        Thread.currentThread().interrupt();

        interrupted.await(OUTBOX);

        assertThat(Thread.interrupted()).isTrue();
    }

    /** Each gives names, and looks after its flush whether one that began later than they were given has ended. */
    @Test
    void no_name_is_left_out_whoever_comes_when() throws Exception {
        Set<Integer> given = ConcurrentHashMap.newKeySet();
        Set<Integer> durable = ConcurrentHashMap.newKeySet();
        var flushes = new AtomicInteger();
        var atOnce = new AtomicInteger();
        var sync = new FolderSync(folder -> {
            assertThat(atOnce.incrementAndGet()).isEqualTo(1);
            flushes.incrementAndGet();
            List<Integer> seen = List.copyOf(given);
            Thread.yield();
            durable.addAll(seen);
            atOnce.decrementAndGet();
        });
        List<FutureTask<Void>> threads = new ArrayList<>();
        for (int thread = 0; thread < 16; thread++) {
            int from = thread * 500;
            threads.add(start(() -> {
                for (int name = from; name < from + 500; name++) {
                    given.add(name);
                    sync.await(OUTBOX);
                    assertThat(durable).contains(name);
                }
            }));
        }
        for (FutureTask<Void> thread : threads) {
            thread.get();
        }
        assertThat(durable).hasSize(8000);
        assertThat(flushes.get()).isLessThanOrEqualTo(8000);
        assertThat(sync.there(OUTBOX)).isZero();
    }

    @Test
    void the_disk_is_asked_in_earnest(@TempDir Path folder) throws IOException {
        FolderSync.sync(folder);

        assertThatThrownBy(() -> FolderSync.sync(folder.resolve("missing"))).isInstanceOf(NoSuchFileException.class);
    }

    private interface Work {
        void run() throws Exception;
    }

    private static FutureTask<Void> start(FolderSync sync, Path folder) {
        return start(() -> sync.await(folder));
    }

    private static FutureTask<Void> start(Work work) {
        var task = new FutureTask<Void>(() -> {
            work.run();
            return null;
        });
        new Thread(task).start();
        return task;
    }
}
