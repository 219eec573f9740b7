package dev.oncebox.runtime;

import dev.oncebox.progress.Progress;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Shows how far a file is that somebody else writes, by its size. */
final class GrowingFile implements AutoCloseable {

    private static final long LOOK_MILLIS = 100;

    private final CountDownLatch written = new CountDownLatch(1);
    private final Thread watcher;

    /** @param expected how many bytes it will have, more or less */
    GrowingFile(Path file, long expected, Progress progress) {
        watcher = new Thread(() -> watch(file, expected, progress), "progress");
        watcher.setDaemon(true);
        watcher.start();
    }

    private void watch(Path file, long expected, Progress progress) {
        try {
            while (!written.await(LOOK_MILLIS, TimeUnit.MILLISECONDS)) {
                if (progress.isDue()) {
                    progress.show(file.toFile().length(), expected, "");
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Nothing is shown any more when this returns. */
    @Override
    public void close() {
        written.countDown();
        try {
            watcher.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
