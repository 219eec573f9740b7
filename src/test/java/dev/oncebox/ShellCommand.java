package dev.oncebox;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A command as somebody types it, run to its end. */
public record ShellCommand(List<String> words, Path folder, Map<String, String> environment) {

    private static final long PATIENCE_SECONDS = 300;

    /** @param err what it said on standard error */
    public record Result(int exit, String out, String err) {}

    public static ShellCommand of(String... words) {
        return new ShellCommand(List.of(words), Path.of("").toAbsolutePath(), Map.of());
    }

    /** A script, which also makes and looks at names that the locale of the tests may not be able to. */
    public static ShellCommand script(String script) {
        return of("sh", "-euc", script);
    }

    public ShellCommand in(Path elsewhere) {
        return new ShellCommand(words, elsewhere, environment);
    }

    public ShellCommand with(String name, String value) {
        var more = new HashMap<>(environment);
        more.put(name, value);
        return new ShellCommand(words, folder, more);
    }

    public Result run() {
        return run(Duration.ofSeconds(PATIENCE_SECONDS));
    }

    /** @param patience after which it counts as hanging */
    Result run(Duration patience) {
        try {
            Path out = Files.createTempFile("oncebox-", ".out");
            Path err = Files.createTempFile("oncebox-", ".err");
            var builder = new ProcessBuilder(words)
                    .directory(folder.toFile())
                    .redirectOutput(out.toFile())
                    .redirectError(err.toFile());
            builder.environment().putAll(environment);
            Process process = builder.start();
            if (!process.waitFor(patience.toMillis(), TimeUnit.MILLISECONDS)) {
                process.destroyForcibly();
                throw new AssertionError("still running: " + words + "\n" + text(out) + text(err));
            }
            var result = new Result(process.exitValue(), text(out), text(err));
            Files.delete(out);
            Files.delete(err);
            return result;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static String text(Path file) throws IOException {
        return new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
    }
}
