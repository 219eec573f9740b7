package dev.oncebox.proof;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** System calls of a running process that fail, as long as this is open, on some files and on nothing else. */
final class Strace implements AutoCloseable {

    private final Process process;
    private final Path trace;

    private Strace(Process process, Path trace) {
        this.process = process;
        this.trace = trace;
    }

    /**
     * @param calls names of system calls, with commas
     * @param failure as strace has it: {@code error=EIO}
     */
    static Strace inject(Path scratch, long pid, String calls, String failure, Path... files) {
        Path trace = scratch.resolve("strace." + System.nanoTime());
        List<String> words =
                new ArrayList<>(List.of("strace", "-f", "-o", trace.toString(), "-p", String.valueOf(pid)));
        words.addAll(List.of("-e", "trace=" + calls, "-e", "inject=" + calls + ":" + failure));
        for (Path file : files) {
            words.addAll(List.of("-P", file.toString()));
        }
        Path said = scratch.resolve("strace.err");
        try {
            Process process =
                    new ProcessBuilder(words).redirectError(said.toFile()).start();
            await().pollInterval(Duration.ofMillis(5))
                    .until(() -> text(said).contains("attached") || !process.isAlive());
            if (!process.isAlive()) {
                throw Machine.missing("strace cannot attach (" + text(said).strip() + ")");
            }
            return new Strace(process, trace);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** How many calls have failed so far. */
    long injected() {
        return text(trace).lines().filter(line -> line.contains("(INJECTED)")).count();
    }

    private static String text(Path file) {
        try {
            return Files.exists(file) ? Files.readString(file) : "";
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The calls succeed again; the process goes on. */
    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(10, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
