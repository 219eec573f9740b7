package dev.oncebox.ledger.sql;

import dev.oncebox.ledger.LedgerException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;

/**
 * The only writer of a ledger. Callers hand it steps; it takes all that wait, runs them in one transaction, commits
 * once, and only then lets the callers go on. So a commit's cost, a flush to the disk, is shared by everybody who
 * arrived while the previous one was under way.
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
    /** How often what collided with another node is tried again at once. */
    private static final int COLLISIONS = 5;

    private record Waiting<T>(@Nullable Step<T> step, CompletableFuture<T> done) {}

    private final Dialect dialect;
    private volatile Session session;
    private final BlockingQueue<Waiting<?>> queue = new LinkedBlockingQueue<>();
    private final Thread thread;
    private volatile @Nullable LedgerException refusal;
    /** The disk failed, and what it holds is known only by the checksums of the write-ahead log. */
    private volatile boolean damaged;

    private volatile boolean ended;

    GroupCommit(Dialect dialect) throws SQLException {
        this.dialect = dialect;
        this.session = dialect.session();
        this.thread = new Thread(this::work, "ledger-writer");
        thread.setDaemon(true);
        thread.start();
    }

    /** Runs a step and returns its result once it is durable. */
    <T> T write(Step<T> step) {
        LedgerException refused = refusal;
        if (refused != null) {
            throw refused;
        }
        var done = new CompletableFuture<T>();
        queue.add(new Waiting<>(step, done));
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
        refusal = reason;
    }

    /** Why nothing is written any more; null as long as it is. */
    @Nullable
    LedgerException refusal() {
        return refusal;
    }

    private void work() {
        List<Waiting<?>> batch = new ArrayList<>();
        try {
            while (true) {
                batch.clear();
                batch.add(queue.take());
                queue.drainTo(batch, MOST - 1);
                boolean last = batch.removeIf(waiting -> waiting.step() == null);
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
        List<Waiting<?>> left = new ArrayList<>();
        queue.drainTo(left);
        fail(left, new IllegalStateException("it is closed"));
    }

    /** All steps in one transaction; where one of them fails, each in a transaction of its own. */
    private void commit(List<Waiting<?>> batch) {
        LedgerException refused = refusal;
        if (refused != null) {
            fail(batch, refused);
            return;
        }
        if (batch.isEmpty() || transact(batch)) {
            return;
        }
        for (Waiting<?> waiting : batch) {
            List<Waiting<?>> alone = List.of(waiting);
            if (!waiting.done().isDone() && !transact(alone)) {
                waiting.done().completeExceptionally(new IllegalStateException("a step neither ran nor failed"));
            }
        }
    }

    /** False: a step failed among others, nothing of the batch has happened, and nobody was told anything. */
    private boolean transact(List<Waiting<?>> batch) {
        return transact(batch, COLLISIONS);
    }

    private boolean transact(List<Waiting<?>> batch, int again) {
        List<Runnable> acknowledgements = new ArrayList<>(batch.size());
        boolean begun = false;
        boolean committing = false;
        try {
            if (session.isLost()) {
                session = dialect.session();
            }
            session.run(dialect.begin());
            begun = true;
            for (Waiting<?> waiting : batch) {
                run(waiting, acknowledgements);
            }
            committing = true;
            session.commit();
        } catch (SQLException e) {
            rollBack(begun);
            LedgerException failure = dialect.explain(e);
            boolean lost = session.isLost();
            if (begun && !committing && batch.size() > 1 && !lost && !dialect.isFatal(e)) {
                return false;
            }
            if (dialect.isCollision(e) && again > 0) {
                return transact(batch, again - 1);
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

    private <T> void run(Waiting<T> waiting, List<Runnable> acknowledgements) throws SQLException {
        Step<T> step = waiting.step();
        if (step != null) {
            T result = step.run(session);
            acknowledgements.add(() -> waiting.done().complete(result));
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

    private void fail(List<Waiting<?>> waiting, Throwable cause) {
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
        queue.add(new Waiting<>(null, new CompletableFuture<>()));
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
