package dev.oncebox.cli;

import dev.oncebox.cli.OnceboxCommand.CommandFailed;
import dev.oncebox.config.Settings;
import dev.oncebox.runtime.Runs;
import dev.oncebox.runtime.Worker;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;

/** {@code oncebox run}: the runtime. */
@Command(
        name = "run",
        description = "Takes files from the inbox, asks the engines, writes the answers to the outbox.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Exit codes: 0 done or stopped; 1 failed; 2 wrong usage or configuration;",
            "4 (--until-idle) ended with dead letters, doubts or calls parked for later;",
            "130, 143 (--until-idle) stopped by a signal before the end."
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

    @Override
    public Integer call() throws CommandFailed {
        Settings settings = parent.settings();
        Runs.End end;
        try {
            end = new Runs(settings, untilIdle ? maxWait : null).run();
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
