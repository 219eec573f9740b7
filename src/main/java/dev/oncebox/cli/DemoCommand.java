package dev.oncebox.cli;

import dev.oncebox.cli.OnceboxCommand.CommandFailed;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code oncebox demo}: the whole story, with a process that is really killed. */
@Command(
        name = "demo",
        description = "Forty abstracts, a counting endpoint, and a kill -9 in the middle; on a temporary home.",
        mixinStandardHelpOptions = true)
final class DemoCommand implements Callable<Integer> {

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    @Option(names = "--in", paramLabel = "DIR", description = "Where to make the home. Default: a temporary folder.")
    private @Nullable Path folder;

    @Override
    public Integer call() throws CommandFailed, IOException, InterruptedException {
        PrintWriter out = spec.commandLine().getOut();
        boolean kept = new Demo(out, folder).play();
        if (!kept) {
            throw new CommandFailed("The demo did not come out as it should; its home is kept for a look.");
        }
        return OnceboxCommand.DONE;
    }
}
