package dev.oncebox.intake;

import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Parts of which the one after the next is read by another thread while the caller works on the last. A splitter asks
 * whether there is a next part before it works on one, so reading only the next ahead would make it wait.
 */
final class ReadAhead<T> implements Iterator<T>, AutoCloseable {

    private final Supplier<@Nullable T> read;
    private final Predicate<T> light;
    private final Executor executor;
    private @Nullable T next;
    private @Nullable CompletableFuture<@Nullable T> ahead;
    private boolean ended;

    /**
     * @param read reads a part; null: there is none any more. Called by one thread at a time
     * @param light whether, after this part, another one may be held beside it
     */
    ReadAhead(Supplier<@Nullable T> read, Predicate<T> light, Executor executor) {
        this.read = read;
        this.light = light;
        this.executor = executor;
    }

    @Override
    public boolean hasNext() {
        if (next == null && !ended) {
            next = ahead == null ? read.get() : result(ahead);
            ahead = null;
            ended = next == null;
            if (next != null && light.test(next)) {
                ahead = CompletableFuture.supplyAsync(read, executor);
            }
        }
        return next != null;
    }

    @Override
    public T next() {
        T part = hasNext() ? next : null;
        if (part == null) {
            throw new NoSuchElementException();
        }
        next = null;
        return part;
    }

    private static <T> @Nullable T result(CompletableFuture<@Nullable T> ahead) {
        try {
            return ahead.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof RuntimeException failure) {
                throw failure;
            }
            if (e.getCause() instanceof Error error) {
                throw error;
            }
            throw e;
        }
    }

    /** Waits until nothing is read any more. */
    @Override
    public void close() {
        ended = true;
        if (ahead != null) {
            ahead.handle((part, failure) -> null).join();
        }
    }
}
