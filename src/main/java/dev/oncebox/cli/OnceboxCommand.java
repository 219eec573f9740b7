package dev.oncebox.cli;

import dev.oncebox.config.ConfigException;
import dev.oncebox.config.Home;
import dev.oncebox.config.Settings;
import dev.oncebox.config.Values;
import dev.oncebox.ledger.LedgerException;
import dev.oncebox.progress.Progress;
import dev.oncebox.progress.ProgressDisplay;
import dev.oncebox.progress.Unit;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** {@code oncebox}: what all commands share. Exit codes: 0 done, 1 failed, 2 wrong usage or configuration. */
@Command(
        name = "oncebox",
        description = "Files in, model answers out, each distinct request paid once.",
        mixinStandardHelpOptions = true,
        versionProvider = OnceboxCommand.Version.class,
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {
            RunCommand.class,
            AskCommand.class,
            PlanCommand.class,
            StatusCommand.class,
            AnswersCommand.class,
            JournalCommand.class,
            DoubtCommand.class,
            DeadCommand.class,
            PurgeCommand.class,
            BackupCommand.class,
            MigrateLedgerCommand.class,
            CheckCommand.class,
            StubCommand.class,
            DemoCommand.class
        })
public final class OnceboxCommand implements Runnable {

    static final int DONE = 0;
    static final int FAILED = 1;
    static final int USAGE = 2;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    @Option(
            names = "--home",
            scope = ScopeType.INHERIT,
            paramLabel = "DIR",
            description = "The home folder. Default: $ONCEBOX_HOME, else the current folder when it has"
                    + " config/application.properties, else the distribution's own folder.")
    private @Nullable Path home;

    @Option(
            names = "--quiet",
            scope = ScopeType.INHERIT,
            description = "No progress, and nothing in the log but warnings and errors.")
    private boolean quiet;

    /** Runs the command line and returns the exit code. */
    public static int run(String... args) {
        LogShape.eraseBars();
        var commandLine = new CommandLine(new OnceboxCommand());
        commandLine.registerConverter(Duration.class, OnceboxCommand::duration);
        commandLine.setExecutionExceptionHandler(OnceboxCommand::explain);
        return commandLine.execute(args);
    }

    private static Duration duration(String text) {
        try {
            return Values.parseDuration(text);
        } catch (IllegalArgumentException e) {
            throw new CommandLine.TypeConversionException(e.getMessage());
        }
    }

    private static int explain(Exception failure, CommandLine command, CommandLine.ParseResult parsed)
            throws Exception {
        if (failure instanceof ConfigException) {
            String.valueOf(failure.getMessage()).lines().forEach(line -> command.getErr()
                    .println("oncebox: " + line));
            return USAGE;
        }
        if (failure instanceof LedgerException || failure instanceof CommandFailed) {
            command.getErr().println("oncebox: " + failure.getMessage());
            return FAILED;
        }
        throw failure;
    }

    Home home() {
        return Home.locate(home, System.getenv());
    }

    /** What the home says; from now on the log is as it says as well. */
    Settings settings() {
        Map<String, String> environment = System.getenv();
        Settings settings = Settings.read(Home.locate(home, environment), environment);
        new LogShape(settings.logFormat(), quiet).apply(settings.home());
        return settings;
    }

    /** Begins a piece of work that somebody may want to watch. */
    Progress progress(String name, Unit unit) {
        return quiet ? Progress.silent() : ProgressDisplay.ofProcess().begin(name, unit);
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "Name a command.");
    }

    /** A command that could not do what it was asked to; the message says why. */
    static final class CommandFailed extends Exception {
        private static final long serialVersionUID = 1;

        CommandFailed(String message) {
            super(message);
        }
    }

    static final class Version implements CommandLine.IVersionProvider {
        @Override
        public String[] getVersion() {
            String version = OnceboxCommand.class.getPackage().getImplementationVersion();
            return new String[] {"oncebox " + (version == null ? "(not packaged)" : version)};
        }
    }
}
