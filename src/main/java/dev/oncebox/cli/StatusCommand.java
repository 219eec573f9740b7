package dev.oncebox.cli;

import dev.oncebox.config.EngineSettings;
import dev.oncebox.config.Settings;
import dev.oncebox.operate.Reports;
import dev.oncebox.operate.Status;
import java.io.PrintWriter;
import java.time.Clock;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** {@code oncebox status}: what is going on, beside a running worker or without one. */
@Command(
        name = "status",
        description = "Files, items, calls by state, sent, new, reused, in doubt, dead, cost.",
        mixinStandardHelpOptions = true)
final class StatusCommand implements Callable<Integer> {

    @ParentCommand
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private OnceboxCommand parent;

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Option(names = "--json", description = "One JSON object, for programs.")
    private boolean json;

    @Override
    public Integer call() {
        Settings settings = parent.settings();
        try (Reports reports = Reports.open(settings.ledger(), Clock.systemUTC())) {
            Status status = reports.status(
                    settings.home().rejected(),
                    settings.engines().keySet(),
                    settings.engines().values().stream()
                            .filter(engine -> engine.protocol().isAsynchronous())
                            .map(EngineSettings::name)
                            .toList());
            PrintWriter out = spec.commandLine().getOut();
            out.println(json ? status.json() : status.text());
            out.flush();
            return OnceboxCommand.DONE;
        }
    }
}
