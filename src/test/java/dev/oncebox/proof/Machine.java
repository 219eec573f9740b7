package dev.oncebox.proof;

import dev.oncebox.ShellCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.opentest4j.TestAbortedException;

/** What the machine must offer for a proof; where it does not, the proof is aborted and says why. */
final class Machine {

    private static final boolean ROOT =
            "0".equals(ShellCommand.of("id", "-u").run().out().strip());

    private Machine() {}

    /** Aborts unless we are root, who may mount and trace, and all of these commands are there. */
    static void needs(String... commands) {
        if (!ROOT) {
            throw missing("it takes root to mount and to trace");
        }
        for (String command : commands) {
            if (path(command).isEmpty()) {
                throw missing("there is no " + command);
            }
        }
    }

    /** A shared library by the end of its name, or an abort. */
    static Path library(String name) {
        for (Path folder : List.of(Path.of("/usr/lib"), Path.of("/usr/lib64"), Path.of("/lib"))) {
            try (Stream<Path> below = Files.isDirectory(folder) ? Files.walk(folder, 3) : Stream.empty()) {
                var found = below.filter(path -> path.getFileName().toString().equals(name))
                        .findFirst();
                if (found.isPresent()) {
                    return found.get();
                }
            } catch (IOException | java.io.UncheckedIOException e) {
                // a folder that cannot be walked has nothing for us
            }
        }
        throw missing("there is no " + name);
    }

    static TestAbortedException missing(String what) {
        Figures.notMade(what);
        return new TestAbortedException(what);
    }

    /** Runs a command that must succeed. */
    static String done(String... words) {
        ShellCommand.Result result = ShellCommand.of(words).run();
        if (result.exit() != 0) {
            throw new IllegalStateException(String.join(" ", words) + ": " + result.err());
        }
        return result.out().strip();
    }

    private static String path(String command) {
        return ShellCommand.of("sh", "-c", "command -v " + command).run().out().strip();
    }
}
