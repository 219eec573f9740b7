package dev.oncebox.ledger.sql;

import dev.oncebox.ledger.LedgerException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The writer of a ledger; of one in PostgreSQL there are {@linkplain #beside several}. Callers hand it steps; it takes
 * all that wait, runs them in one transaction, commits once, and only then lets the callers go on. So a commit's cost, a
 * flush to the disk, is shared by everybody who arrived while the previous one was under way.
 *
 * <p>The hazards: a step must not be acknowledged before the commit, so results are held back until then; one bad step
 * must not undo its neighbours, so where one fails they run again one by one; when the commit itself fails, nobody knows whether it
 * happened, so every caller of that batch is told so (as where the file is gone by then), and later writes carry a
 * fence that makes repeating harmless. A connection that is lost is replaced by the next transaction.
 */
final class GroupCommit implements AutoCloseable {

    /**
     * A piece of work inside a transaction. It may run twice when a neighbour fails, but only the last time counts; so
     * it must do nothing but write to the session and return.
     */
    @FunctionalInterface
    interface Step<T> {
        T run(Session session) throws SQLException;
    }

    private static final int MOST = 512;
    /** How often what collided with another connection is tried again at once. */
    private static final int COLLISIONS = 5;

    /**
     * The same, for all callers at once who wait for this kind of work: with a statement for all of them instead of one
     * for each.
     */
    @FunctionalInterface
    interface Bulk<I, T> {

        /** Returns a result for each input, in their order. */
        List<T> run(Session session, List<I> inputs) throws SQLException;
    }

    /** Somebody with an input who waits for a result; without work: the end. */
    private record Waiting<I, T>(@Nullable Bulk<I, T> work, I input, CompletableFuture<T> done) {}

    private final Dialect dialect;
    private volatile Session session;
    private final BlockingQueue<Waiting<?, ?>> queue = new LinkedBlockingQueue<>();
    private final Thread thread;
    private final List<GroupCommit> beside = new ArrayList<>();
    private final AtomicReference<@Nullable LedgerException> refusal;
    /** The disk failed, and what it holds is known only by the checksums of the write-ahead log. */
    private volatile boolean damaged;

    private volatile boolean ended;

    GroupCommit(Dialect dialect) throws SQLException {
        this(dialect, "ledger-writer", new AtomicReference<>());
    }

    /** @param refusal why nothing is written any more, by whichever of several writers; null as long as it is */
    private GroupCommit(Dialect dialect, String name, AtomicReference<@Nullable LedgerException> refusal)
            throws SQLException {
        this.dialect = dialect;
        this.refusal = refusal;
        this.session = dialect.session();
        this.thread = new Thread(this::work, name);
        thread.setDaemon(true);
        thread.start();
    }

    /**
     * A writer beside this one, with a connection of its own where the database has many; else it is this one. When one
     * may not write any more, neither may the other. Closed with this one.
     */
    GroupCommit beside(String name) throws SQLException {
        if (dialect.sharing() == Sharing.ALONE) {
            return this;
        }
        var writer = new GroupCommit(dialect, name, refusal);
        beside.add(writer);
        return writer;
    }

    /** Runs a step and returns its result once it is durable. */
    <T> T write(Step<T> step) {
        return write((session, self) -> Collections.singletonList(step.run(session)), step);
    }

    /** Runs a bulk of work with this input among others, and returns its result once that is durable. */
    <I, T> T write(Bulk<I, T> work, I input) {
        LedgerException refused = refusal.get();
        if (refused != null) {
            throw refused;
        }
        var done = new CompletableFuture<T>();
        queue.add(new Waiting<>(work, input, done));
        if (ended) {
            failQueued();
        }
        try {
            return done.join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException failure ? failure : e;
        }
    }

    /** From now on nothing is written any more, and every caller is told why. */
    void refuse(LedgerException reason) {
        refusal.set(reason);
    }

    /** Why nothing is written any more; null as long as it is. */
    @Nullable
    LedgerException refusal() {
        return refusal.get();
    }

    private void work() {
        List<Waiting<?, ?>> batch = new ArrayList<>();
        try {
            while (true) {
                batch.clear();
                batch.add(queue.take());
                queue.drainTo(batch, MOST - 1);
                boolean last = batch.removeIf(waiting -> waiting.work() == null);
                commit(batch);
                if (last) {
                    return;
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException | Error e) {
            refuse(new LedgerException("The ledger's writer failed: " + e, false, e));
            fail(batch, e);
        } finally {
            ended = true;
            if (!damaged) {
                // closing copies the log into the database and deletes it, flushed or not: the next start reads it
                // with its checksums instead
                close(session);
            }
            failQueued();
        }
    }

    private void failQueued() {
        List<Waiting<?, ?>> left = new ArrayList<>();
        queue.drainTo(left);
        fail(left, new IllegalStateException("it is closed"));
    }

    /** All steps in one transaction; where one of them fails, each in a transaction of its own. */
    private void commit(List<Waiting<?, ?>> batch) {
        LedgerException refused = refusal.get();
        if (refused != null) {
            fail(batch, refused);
            return;
        }
        if (batch.isEmpty() || transact(batch)) {
            return;
        }
        for (Waiting<?, ?> waiting : batch) {
            List<Waiting<?, ?>> alone = List.of(waiting);
            if (!waiting.done().isDone() && !transact(alone)) {
                waiting.done().completeExceptionally(new IllegalStateException("a step neither ran nor failed"));
            }
        }
    }

    /** False: a step failed among others, nothing of the batch has happened, and nobody was told anything. */
    private boolean transact(List<Waiting<?, ?>> batch) {
        return transact(batch, COLLISIONS);
    }

    private boolean transact(List<Waiting<?, ?>> batch, int again) {
        List<Runnable> acknowledgements = new ArrayList<>(batch.size());
        boolean begun = false;
        boolean committing = false;
        try {
            if (session.isLost()) {
                session = dialect.session();
            }
            session.run(dialect.begin());
            begun = true;
            for (List<Waiting<?, ?>> alike : byWork(batch)) {
                run(alike, acknowledgements);
            }
            session.writeCounts();
            committing = true;
            session.commit();
        } catch (SQLException e) {
            rollBack(begun);
            LedgerException failure = dialect.explain(e);
            boolean lost = session.isLost();
            if (dialect.isCollision(e) && again > 0) {
                return transact(batch, again - 1);
            }
            if (begun && !committing && batch.size() > 1 && !lost && !dialect.isFatal(e)) {
                return false;
            }
            if (lost) {
                close(session);
            }
            if (!failure.isPassing() && (!begun || committing || dialect.isFatal(e))) {
                damaged |= dialect.isFatal(e);
                refuse(failure);
            }
            fail(batch, failure);
            return true;
        } catch (RuntimeException e) {
            rollBack(begun);
            if (batch.size() > 1) {
                return false;
            }
            batch.get(0).done().completeExceptionally(e);
            return true;
        }
        String loss = dialect.lost();
        if (loss != null) {
            // it was committed to a file that nobody may find again
            var failure = new LedgerException(loss, false, new IllegalStateException(loss));
            refuse(failure);
            fail(batch, failure);
            return true;
        }
        acknowledgements.forEach(Runnable::run);
        return true;
    }

    private static Collection<List<Waiting<?, ?>>> byWork(List<Waiting<?, ?>> batch) {
        return batch.stream()
                .collect(Collectors.groupingBy(Waiting::work, LinkedHashMap::new, Collectors.toList()))
                .values();
    }

    /** @param alike the same work with different inputs */
    @SuppressWarnings("unchecked")
    private <I, T> void run(List<Waiting<?, ?>> alike, List<Runnable> acknowledgements) throws SQLException {
        List<Waiting<I, T>> waiting = (List<Waiting<I, T>>) (List<?>) alike;
        Bulk<I, T> work = Objects.requireNonNull(waiting.get(0).work());
        List<T> results = work.run(session, waiting.stream().map(Waiting::input).toList());
        for (int i = 0; i < waiting.size(); i++) {
            CompletableFuture<T> done = waiting.get(i).done();
            T result = results.get(i);
            acknowledgements.add(() -> done.complete(result));
        }
    }

    private void rollBack(boolean begun) {
        if (!begun) {
            return;
        }
        try {
            session.rollBack();
        } catch (SQLException alreadyRolledBack) {
            // the database ended the transaction itself when it failed
        }
    }

    private void fail(List<Waiting<?, ?>> waiting, Throwable cause) {
        LedgerException failure = cause instanceof LedgerException known
                ? known
                : new LedgerException("The ledger cannot be used: " + cause.getMessage(), false, cause);
        waiting.forEach(each -> each.done().completeExceptionally(failure));
    }

    private static void close(Session session) {
        try {
            session.close();
        } catch (SQLException e) {
            // nothing is left to lose: every acknowledged step was committed
        }
    }

    /** Commits what was handed in before, then closes the connection. */
    @Override
    public void close() {
        beside.forEach(GroupCommit::close);
        queue.add(new Waiting<>(null, this, new CompletableFuture<>()));
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
