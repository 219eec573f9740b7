package dev.oncebox.cli;

import dev.oncebox.cli.OnceboxCommand.CommandFailed;
import dev.oncebox.config.Settings;
import dev.oncebox.plan.Planner;
import dev.oncebox.progress.Progress;
import dev.oncebox.progress.Unit;
import dev.oncebox.runtime.AskedFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** {@code oncebox plan}: the price first. */
@Command(
        name = "plan",
        description = {
            "What dropping these files would send, what is known already, what is invalid, and an estimate of the price.",
            "Sends nothing and changes nothing; works without a ledger, and beside a running runtime."
        },
        mixinStandardHelpOptions = true,
        footer = {"", "Exit codes: 0 done; 1 a file was written to while it was read; 2 wrong usage or configuration."})
final class PlanCommand implements Callable<Integer> {

    @ParentCommand
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private OnceboxCommand parent;

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Option(
            names = "--job",
            paramLabel = "J",
            description = "The job. Default: default, or the one in whose folder of the inbox a file lies.")
    private @Nullable String job;

    @Option(names = "--json", description = "One JSON object, with every invalid item.")
    private boolean json;

    @Parameters(arity = "1..*", paramLabel = "FILE", description = "The files, wherever they are.")
    private List<Path> files = List.of();

    @Override
    public Integer call() throws CommandFailed, IOException {
        Settings settings = parent.settings();
        Map<Path, Planner.Source> sources = new LinkedHashMap<>();
        for (Path file : files) {
            AskedFile asked = AskedFile.of(settings, file, job);
            sources.putIfAbsent(
                    asked.file(), new Planner.Source(asked.place(), asked.file(), asked.path(), asked.job()));
        }
        List<Planner.Source> each = List.copyOf(sources.values());
        try (Progress progress = parent.progress("plan", Unit.MEGABYTES);
                Planner planner = new Planner(settings, progress)) {
            boolean steady = json
                    ? planner.json(each, System.out)
                    : planner.text(each, spec.commandLine().getOut());
            if (!steady) {
                throw new CommandFailed("A file was written to while it was read. Plan it again when it is whole.");
            }
            return OnceboxCommand.DONE;
        } finally {
            System.out.flush();
        }
    }
}
