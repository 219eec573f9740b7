package dev.oncebox.intake;

import java.io.InterruptedIOException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The memory that may be taken by what is held whole at one time. Whoever wants a part waits until there is one; a part
 * that is larger than all of it is all of it.
 */
final class Room {

    /** An item is held as bytes, as text, normalised, canonical, packed and bound: some ten times in all. */
    private static final int COPIES = 16;

    private final int units;
    private final Semaphore free;

    Room(long bytes) {
        units = units(bytes);
        free = new Semaphore(units, true);
    }

    static Room ofHeap() {
        return new Room(Runtime.getRuntime().maxMemory() / COPIES);
    }

    /** Given back once, however often it is closed. */
    interface Part extends AutoCloseable {
        @Override
        void close();
    }

    Part take(long bytes) throws InterruptedIOException {
        int wanted = Math.min(units(bytes), units);
        try {
            free.acquire(wanted);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("stopped while it waited for memory");
        }
        var given = new AtomicBoolean(true);
        return () -> {
            if (given.getAndSet(false)) {
                free.release(wanted);
            }
        };
    }

    private static int units(long bytes) {
        return (int) Math.min(Math.max(1, bytes >> 10), Integer.MAX_VALUE);
    }
}
