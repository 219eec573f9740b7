package dev.oncebox.bench;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A process whose time on the processors, of user and system, is looked at all the while. */
final class Watched implements AutoCloseable {

    private static final long LOOK_MILLIS = 20;

    private final Process process;
    private final Path log;
    private final Curve cpu = new Curve();

    private Watched(Process process, Path log) {
        this.process = process;
        this.log = log;
        var watch = new Thread(this::watch, "watch");
        watch.setDaemon(true);
        watch.start();
    }

    /** @param log takes what it says */
    static Watched start(List<String> command, Map<String, String> environment, Path log) throws IOException {
        var builder = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
        builder.redirectInput(new File("/dev/null"));
        builder.environment().putAll(environment);
        return new Watched(builder.start(), log);
    }

    private void watch() {
        try {
            while (process.isAlive()) {
                process.info()
                        .totalCpuDuration()
                        .ifPresent(time -> cpu.add(System.currentTimeMillis(), time.toMillis()));
                TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** In milliseconds. */
    Curve cpu() {
        return cpu;
    }

    boolean isAlive() {
        return process.isAlive();
    }

    long pid() {
        return process.pid();
    }

    /** Waits for its end. */
    void finish(Duration patience) throws InterruptedException {
        if (!process.waitFor(patience.toMillis(), TimeUnit.MILLISECONDS)) {
            throw new IllegalStateException("Still running after " + patience + ", see " + log);
        }
        if (process.exitValue() != 0) {
            throw new IllegalStateException("Ended with " + process.exitValue() + ", see " + log);
        }
    }

    /** Kills it, as {@code kill -9} does. */
    @Override
    public void close() {
        process.destroyForcibly();
        try {
            process.waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
