package dev.oncebox;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * A started distribution: waited for, signalled, and never left behind.
 *
 * <p>The tests start it some hundred times, so they spare the compiler and share a class archive; what is tested is the
 * same program. Those that look at the start itself do without.
 */
public final class Launched implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final String QUICK = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC";

    private final Process process;

    private Launched(Process process) {
        this.process = process;
    }

    /** Starts a command on a home, with more options for Java. */
    public static Launched quickly(TestHome home, String javaOptions, String... command) {
        return plainly(home, quickOptions() + " " + javaOptions, command);
    }

    /** What spares Java time at a start, for JAVA_OPTS. */
    static String quickOptions() {
        return QUICK + " -XX:SharedArchiveFile=" + Archive.FILE;
    }

    /** Starts a command on a home, with more variables in its environment. */
    public static Launched within(List<String> environment, TestHome home, String... command) {
        List<String> all = new ArrayList<>(environment);
        all.add("JAVA_OPTS=" + quickOptions());
        return new Launched(home.start(all, command));
    }

    static Launched plainly(TestHome home, String javaOptions, String... command) {
        return new Launched(home.start(List.of("JAVA_OPTS=" + javaOptions), command));
    }

    public static Launched untilIdle(TestHome home) {
        return quickly(home, "", "run", "--until-idle");
    }

    public long pid() {
        return process.pid();
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /** Waits for its end and returns its exit code. */
    public int exit() {
        return exitWithin(PATIENCE);
    }

    public int exitWithin(Duration time) {
        if (!endsWithin(time)) {
            throw new AssertionError("still running after " + time);
        }
        return process.exitValue();
    }

    public boolean endsWithin(Duration time) {
        try {
            return process.waitFor(time.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private boolean signalled;

    /** kill -9; returns whether it was still alive. If not, it must have come to its end properly. */
    public boolean kill() {
        process.destroyForcibly();
        int exit = exit();
        // a TERM that comes before the runtime listens for it ends the process as it ends any other
        boolean terminated = signalled && exit == 143;
        if (!terminated && !Set.of(0, 4, 137).contains(exit)) {
            throw new AssertionError("ended by itself with exit code " + exit);
        }
        return exit == 137;
    }

    public void signal(String name) {
        signalled = true;
        ShellCommand.of("kill", "-" + name, String.valueOf(pid())).run();
    }

    /** Waits for its end and returns the most memory it had, in MB. */
    public long peakMegabytes(Duration atMost) {
        var peak = new long[1];
        await().atMost(atMost).pollInterval(Duration.ofMillis(50)).until(() -> {
            peak[0] = Math.max(peak[0], residentMegabytes());
            return !isAlive();
        });
        return peak[0];
    }

    private long residentMegabytes() {
        try {
            return Files.readAllLines(Path.of("/proc/" + pid() + "/status")).stream()
                    .filter(line -> line.startsWith("VmHWM:"))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) / 1024)
                    .findFirst()
                    .orElse(0);
        } catch (IOException e) {
            return 0;
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
        exit();
    }

    /** Classes as they lie in memory after a start, made once. Without it every start takes half a second longer. */
    private static final class Archive {

        static final Path FILE = make();

        private static Path make() {
            Path file = Path.of(System.getProperty("oncebox.dist"))
                    .resolveSibling("classes-" + ProcessHandle.current().pid() + ".jsa");
            file.toFile().deleteOnExit();
            try {
                Path home = Files.createTempDirectory(file.getParent(), "archive-home-");
                ShellCommand.of(System.getProperty("oncebox.dist") + "/bin/oncebox", "check", "--home", home.toString())
                        .with("JAVA_OPTS", QUICK + " -XX:ArchiveClassesAtExit=" + file)
                        .run();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            return file;
        }
    }
}
