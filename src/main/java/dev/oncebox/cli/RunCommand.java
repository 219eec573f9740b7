package dev.oncebox.cli;

import dev.oncebox.cli.OnceboxCommand.CommandFailed;
import dev.oncebox.config.Settings;
import dev.oncebox.progress.Progress;
import dev.oncebox.progress.Unit;
import dev.oncebox.runtime.Runs;
import dev.oncebox.runtime.Worker;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** {@code oncebox run}: the runtime. */
@Command(
        name = "run",
        description = "Takes files from the inbox, asks the engines, writes the answers to the outbox.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Exit codes: 0 done or stopped; 1 failed; 2 wrong usage or configuration;",
            "4 (--until-idle) ended with dead letters, doubts or calls parked for later, also by a used-up budget;",
            "129, 130, 143 (--until-idle) stopped by a signal before the end."
        })
final class RunCommand implements Callable<Integer> {

    private static final int LEFT_OVER = 4;

    @ParentCommand
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private OnceboxCommand parent;

    @Option(names = "--until-idle", description = "End when nothing is left to do.")
    private boolean untilIdle;

    @Option(
            names = "--max-wait",
            paramLabel = "T",
            defaultValue = "10m",
            description = "With --until-idle: end when nothing is due within this time. Default: ${DEFAULT-VALUE}.")
    private Duration maxWait = Duration.ofMinutes(10);

    @Option(
            names = "--max-calls",
            paramLabel = "N",
            description = "Send nothing more once N calls were, or may have been, charged in this run.")
    private @Nullable Long maxCalls;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    @Override
    public Integer call() throws CommandFailed {
        if (maxCalls != null && maxCalls < 1) {
            throw new ParameterException(spec.commandLine(), "--max-calls must be 1 or more.");
        }
        Settings settings = parent.settings();
        Runs.End end;
        try (Progress progress = parent.progress("run", Unit.ITEMS)) {
            var watched = new WatchedRun(settings.ledger(), Clock.systemUTC(), progress);
            end = new Runs(settings, untilIdle ? maxWait : null, maxCalls, watched).run();
        } catch (Worker.BusyException e) {
            throw new CommandFailed(String.valueOf(e.getMessage()));
        }
        return switch (end.kind()) {
            case IDLE -> end.isClean() ? OnceboxCommand.DONE : LEFT_OVER;
            case SIGNAL -> untilIdle ? 128 + end.signal() : OnceboxCommand.DONE;
            case LOST -> throw new CommandFailed(end.message());
        };
    }
}
