package dev.oncebox.ledger.sql;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.oncebox.ledger.LedgerException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class GroupCommitTest {

    private static final LedgerException LOST = new LedgerException("lost", false, new IllegalStateException("lost"));

    @TempDir
    Path folder;

    private Counting dialect;
    private GroupCommit writer;

    @BeforeEach
    void open() throws SQLException {
        dialect = new Counting(new Sqlite(folder.resolve("x.db"), false));
        writer = new GroupCommit(dialect);
        writer.write(session -> session.update("CREATE TABLE t (n INTEGER PRIMARY KEY)"));
    }

    @AfterEach
    void close() {
        writer.close();
    }

    @Test
    void a_result_is_given_only_when_others_can_see_it() throws Exception {
        try (Connection other = DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("x.db"))) {
            for (int n = 1; n <= 50; n++) {
                assertThat(writer.write(insert(n))).isEqualTo(1);
                assertThat(count(other)).isEqualTo(n);
            }
        }
    }

    @Test
    void many_callers_share_a_commit() throws Exception {
        int before = dialect.begun.get();
        List<FutureTask<Integer>> tasks = new ArrayList<>();
        for (int thread = 0; thread < 40; thread++) {
            int first = thread * 25;
            tasks.add(start(() -> {
                for (int n = first; n < first + 25; n++) {
                    assertThat(writer.write(insert(n))).isEqualTo(1);
                }
                return 25;
            }));
        }
        for (FutureTask<Integer> task : tasks) {
            assertThat(task.get()).isEqualTo(25);
        }
        assertThat(count()).isEqualTo(1000);
        assertThat(dialect.begun.get() - before).isLessThan(800);
    }

    @Test
    void a_failing_step_undoes_itself_and_not_its_neighbours() throws Exception {
        var blocked = new Blocked();
        int before = dialect.begun.get();
        FutureTask<Integer> good = startWaiting(() -> writer.write(insert(1)));
        FutureTask<Integer> twice = startWaiting(() -> writer.write(session -> {
            session.update("INSERT INTO t VALUES (2)");
            return session.update("INSERT INTO t VALUES (1)");
        }));
        FutureTask<Integer> thrown = startWaiting(() -> writer.write(session -> {
            session.update("INSERT INTO t VALUES (3)");
            throw new IllegalArgumentException("mine");
        }));
        FutureTask<Integer> wrong = startWaiting(() -> writer.write(session -> session.update("NO SQL")));
        FutureTask<Integer> later = startWaiting(() -> writer.write(insert(4)));
        blocked.release();

        assertThat(good.get()).isEqualTo(1);
        assertThat(later.get()).isEqualTo(1);
        assertThatThrownBy(twice::get).hasCauseInstanceOf(LedgerException.class);
        assertThatThrownBy(wrong::get).hasCauseInstanceOf(LedgerException.class);
        assertThatThrownBy(thrown::get)
                .rootCause()
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("mine");
        assertThat(writer.<List<Long>>write(session -> session.list("SELECT n FROM t ORDER BY n", r -> r.getLong(1))))
                .containsExactly(1L, 4L);
        assertThat(dialect.begun.get() - before)
                .as("all five, then each alone, and the look")
                .isEqualTo(7);
    }

    @Test
    void the_same_work_is_done_for_all_who_wait_for_it_and_each_has_its_own_result() throws Exception {
        List<List<Integer>> done = new ArrayList<>();
        GroupCommit.Bulk<Integer, String> work = (session, all) -> {
            done.add(all);
            var rows = new Rows(session, "INSERT INTO t VALUES (?)");
            all.forEach(rows::add);
            rows.write();
            return all.stream().map(n -> "result of " + n).toList();
        };
        assertThat(writer.write(work, 1)).isEqualTo("result of 1");
        var blocked = new Blocked();
        FutureTask<String> good = startWaiting(() -> writer.write(work, 2));
        FutureTask<String> twice = startWaiting(() -> writer.write(work, 1));
        FutureTask<Integer> other = startWaiting(() -> writer.write(insert(3)));
        FutureTask<String> last = startWaiting(() -> writer.write(work, 4));
        blocked.release();

        assertThat(good.get()).isEqualTo("result of 2");
        assertThat(other.get()).isEqualTo(1);
        assertThat(last.get()).isEqualTo("result of 4");
        assertThatThrownBy(twice::get).hasCauseInstanceOf(LedgerException.class);
        assertThat(done).containsExactly(List.of(1), List.of(2, 1, 4), List.of(2), List.of(1), List.of(4));
    }

    @Test
    void what_collides_with_another_connection_is_tried_again_together() throws Exception {
        var blocked = new Blocked();
        int before = dialect.begun.get();
        FutureTask<Integer> neighbour = startWaiting(() -> writer.write(insert(1)));
        FutureTask<Integer> collides = startWaiting(() -> writer.write(session -> {
            if (dialect.begun.get() < before + 3) {
                throw new SQLException(Counting.COLLIDED);
            }
            return session.update("INSERT INTO t VALUES (2)");
        }));
        blocked.release();

        assertThat(neighbour.get()).isEqualTo(1);
        assertThat(collides.get()).isEqualTo(1);
        assertThat(dialect.begun.get() - before).isEqualTo(3);
    }

    /** A full disk makes SQLite end the transaction itself, so that the writer's own ROLLBACK fails. */
    @Test
    void a_transaction_that_the_database_undid_itself_takes_neither_neighbours_nor_successors_along() throws Exception {
        var blocked = new Blocked();
        FutureTask<Integer> neighbour = startWaiting(() -> writer.write(insert(1)));
        FutureTask<Integer> culprit = startWaiting(() -> writer.write(session -> {
            session.update("INSERT OR ROLLBACK INTO t VALUES (1)");
            return session.update("INSERT OR ROLLBACK INTO t VALUES (1)");
        }));
        blocked.release();
        assertThat(neighbour.get()).isEqualTo(1);
        assertThatThrownBy(culprit::get).hasCauseInstanceOf(LedgerException.class);

        for (int n = 2; n < 6; n++) {
            int next = n;
            assertThatThrownBy(() -> writer.write(session -> {
                        session.update("INSERT INTO t VALUES (?)", next + 100);
                        return session.update("INSERT INTO t VALUES (1)");
                    }))
                    .isInstanceOf(LedgerException.class);
            assertThat(writer.write(insert(next))).isEqualTo(1);
        }
        assertThat(count()).isEqualTo(5);
    }

    @Test
    void a_database_in_trouble_is_written_no_more_and_everybody_is_told() throws Exception {
        var blocked = new Blocked();
        FutureTask<Integer> before = startWaiting(() -> writer.write(insert(1)));
        FutureTask<Integer> culprit = startWaiting(() -> writer.write(session -> {
            throw new SQLException("disk I/O error", null, 10);
        }));
        blocked.release();

        for (FutureTask<Integer> each : List.of(before, culprit)) {
            assertThatThrownBy(each::get).cause().isInstanceOfSatisfying(LedgerException.class, e -> assertThat(
                            e.isPassing())
                    .isFalse());
        }
        assertThatThrownBy(() -> writer.write(insert(2))).isInstanceOf(LedgerException.class);
        assertThat(count()).isZero();
    }

    @Test
    void what_was_handed_in_before_the_end_is_committed() throws Exception {
        var blocked = new Blocked();
        FutureTask<Integer> last = startWaiting(() -> writer.write(insert(1)));
        FutureTask<Integer> closing = start(() -> {
            writer.close();
            return 0;
        });
        blocked.release();
        closing.get();
        assertThat(last.get()).isEqualTo(1);
        assertThat(count()).isEqualTo(1);
    }

    @Test
    void after_the_end_callers_are_told_so() {
        writer.close();
        for (int n = 0; n < 3; n++) {
            assertThatThrownBy(() -> writer.write(insert(1)))
                    .isInstanceOf(LedgerException.class)
                    .hasMessageContaining("closed");
        }
        writer.close();
    }

    @Test
    void no_caller_hangs_when_the_end_comes_while_it_writes() throws Exception {
        for (int round = 0; round < 60; round++) {
            var closing = new GroupCommit(dialect);
            List<FutureTask<Integer>> writers = new ArrayList<>();
            for (int thread = 0; thread < 3; thread++) {
                writers.add(start(() -> {
                    int written = 0;
                    try {
                        while (true) {
                            written += closing.write(session -> 1);
                        }
                    } catch (LedgerException told) {
                        return written;
                    }
                }));
            }
            closing.write(session -> 1);
            closing.close();
            for (FutureTask<Integer> each : writers) {
                assertThat(each.get(10, SECONDS)).isNotNegative();
            }
        }
    }

    @Test
    void after_a_refusal_nothing_is_written_and_everybody_who_waits_is_told_why() throws Exception {
        var blocked = new Blocked();
        FutureTask<Integer> waiting = startWaiting(() -> writer.write(insert(1)));
        writer.refuse(LOST);
        assertThatThrownBy(() -> writer.write(insert(2))).isSameAs(LOST);
        blocked.release();
        assertThatThrownBy(waiting::get).cause().isSameAs(LOST);
        assertThat(count()).isZero();
    }

    @Test
    void an_error_in_a_step_ends_the_writer_and_nobody_hangs() throws Exception {
        var blocked = new Blocked();
        FutureTask<Integer> neighbour = startWaiting(() -> writer.write(insert(1)));
        FutureTask<Integer> culprit = startWaiting(() -> writer.write(session -> {
            throw new StackOverflowError("deep");
        }));
        blocked.release();

        assertThatThrownBy(neighbour::get)
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(LedgerException.class);
        assertThatThrownBy(culprit::get).hasCauseInstanceOf(LedgerException.class);
        assertThatThrownBy(() -> writer.write(insert(2))).isInstanceOf(LedgerException.class);
        assertThat(count()).isZero();
    }

    private static GroupCommit.Step<Integer> insert(int n) {
        return session -> session.update("INSERT INTO t VALUES (?)", n);
    }

    private long count() throws SQLException {
        try (Connection other = DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("x.db"))) {
            return count(other);
        }
    }

    private static long count(Connection connection) throws SQLException {
        try (var statement = connection.createStatement();
                var rows = statement.executeQuery("SELECT count(*) FROM t")) {
            rows.next();
            return rows.getLong(1);
        }
    }

    private static <T> FutureTask<T> start(Callable<T> work) {
        var task = new FutureTask<>(work);
        var thread = new Thread(task);
        thread.setDaemon(true);
        thread.start();
        return task;
    }

    /** Starts a caller and waits until it waits for the writer. */
    private static <T> FutureTask<T> startWaiting(Callable<T> work) {
        var task = new FutureTask<>(work);
        var thread = new Thread(task);
        thread.setDaemon(true);
        thread.start();
        await().until(() -> thread.getState() == Thread.State.WAITING);
        return task;
    }

    /** Keeps the writer busy, so that what comes meanwhile is committed together. */
    private final class Blocked {
        private final CountDownLatch leave = new CountDownLatch(1);
        private final FutureTask<Boolean> task;

        Blocked() throws InterruptedException {
            var entered = new CountDownLatch(1);
            task = start(() -> writer.write(session -> {
                entered.countDown();
                try {
                    leave.await();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
                return true;
            }));
            entered.await();
        }

        void release() throws Exception {
            leave.countDown();
            assertThat(task.get()).isTrue();
        }
    }

    /** SQLite, counting its transactions. */
    private static final class Counting extends PassingDialect {
        static final String COLLIDED = "collided";
        private final AtomicInteger begun = new AtomicInteger();

        Counting(Dialect dialect) {
            super(dialect);
        }

        @Override
        public boolean isCollision(SQLException failure) {
            return COLLIDED.equals(failure.getMessage());
        }

        @Override
        public String begin() {
            begun.incrementAndGet();
            return super.begin();
        }
    }
}
