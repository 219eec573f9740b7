package dev.oncebox.files;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Flushes folders to the disk, so that the names given in them stay after a power cut. Whoever comes while a flush of the
 * same folder is under way waits for the next one, which is made once for all who came before it began.
 *
 * <p>The hazards: a flush that had begun before a name was given says nothing of that name, so it serves nobody who came
 * later. A flush that failed may have left as written what is not, names of those who came meanwhile among it, and the
 * system says so only once: so it fails for all who are there at its end, and is not tried again here.
 */
public final class FolderSync {

    private static final FolderSync DISK = new FolderSync(FolderSync::force);

    /** The flush itself. */
    @FunctionalInterface
    interface Flush {
        void run(Path folder) throws IOException;
    }

    private final Flush flush;
    private final ReentrantLock lock = new ReentrantLock();
    /** Those somebody waits for. */
    private final Map<Path, Folder> folders = new HashMap<>();

    FolderSync(Flush flush) {
        this.flush = flush;
    }

    /** One flush, and what came of it. */
    private static final class Round {
        private boolean ended;
        private @Nullable Throwable failure;

        private void end(@Nullable Throwable reason) {
            ended = true;
            failure = reason;
        }
    }

    private static final class Folder {
        private final Condition change;
        private int there;
        private boolean flushing;
        /** The flush that has not begun. */
        private Round next = new Round();

        Folder(Condition change) {
            this.change = change;
        }
    }

    /** Returns when all names that were given in the folder before the call are on the disk. */
    public static void sync(Path folder) throws IOException {
        DISK.await(folder);
    }

    void await(Path path) throws IOException {
        Folder folder = enter(path);
        Round mine = folder.next;
        try {
            while (folder.flushing && !mine.ended) {
                folder.change.awaitUninterruptibly();
            }
            if (!mine.ended) {
                lead(folder, path, mine);
            } else if (mine.failure != null) {
                throw new IOException(path + " could not be flushed to the disk: " + mine.failure, mine.failure);
            }
        } finally {
            leave(path, folder);
        }
    }

    /** The lock is held from here to {@link #leave}, but for the waiting and the flush. */
    private Folder enter(Path path) {
        lock.lock();
        Folder folder = folders.computeIfAbsent(path, made -> new Folder(lock.newCondition()));
        folder.there++;
        return folder;
    }

    private void leave(Path path, Folder folder) {
        folder.there--;
        if (folder.there == 0) {
            folders.remove(path);
        }
        lock.unlock();
    }

    private void lead(Folder folder, Path path, Round mine) throws IOException {
        folder.flushing = true;
        folder.next = new Round();
        Throwable failure = null;
        lock.unlock();
        try {
            run(path);
        } catch (IOException | RuntimeException | Error e) {
            failure = e;
            throw e;
        } finally {
            lock.lock();
            folder.flushing = false;
            mine.end(failure);
            if (failure != null) {
                folder.next.end(failure);
                folder.next = new Round();
            }
            folder.change.signalAll();
        }
    }

    /** An interrupt would close the channel, which is a failure for everybody. */
    private void run(Path path) throws IOException {
        boolean interrupted = Thread.interrupted();
        try {
            flush.run(path);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** How many are there for a folder: one that flushes it, and those who wait. */
    int there(Path path) {
        lock.lock();
        try {
            Folder folder = folders.get(path);
            return folder == null ? 0 : folder.there;
        } finally {
            lock.unlock();
        }
    }

    private static void force(Path folder) throws IOException {
        try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }
}
