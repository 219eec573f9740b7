package dev.oncebox.cli;

import dev.oncebox.cli.OnceboxCommand.CommandFailed;
import dev.oncebox.config.ConfigException;
import dev.oncebox.config.Settings;
import dev.oncebox.runtime.HomeCheck;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** {@code oncebox check}: everything that a start would check and more, and no start. Exit codes 0, 1 and 2. */
@Command(
        name = "check",
        description = "Checks configuration, jobs, routes, folders, disk, port, ledger, and whether the engines can be"
                + " reached; says everything that is wrong, where, and what to do. Takes nothing and sends no prompt.",
        mixinStandardHelpOptions = true)
final class CheckCommand implements Callable<Integer> {

    @ParentCommand
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private OnceboxCommand parent;

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Option(
            names = "--offline",
            description =
                    "Does not look whether the engines can be reached. Otherwise each is connected to, and asked for"
                            + " the list of its models where its vendor has one, which costs nothing.")
    private boolean offline;

    @Override
    public Integer call() throws CommandFailed {
        Settings settings = parent.settings();
        HomeCheck.Findings findings = HomeCheck.of(settings, !offline);
        if (!findings.problems().isEmpty()) {
            throw new ConfigException(String.join("\n", findings.problems()));
        }
        if (findings.hindrance() != null) {
            throw new CommandFailed(findings.hindrance());
        }
        spec.commandLine()
                .getOut()
                .println("All is well: " + settings.engines().size() + " engine(s) "
                        + settings.engines().keySet() + ", "
                        + settings.jobs().all().size() + " job(s), home "
                        + settings.home().root() + ", ledger "
                        + settings.ledger().name() + ".");
        return OnceboxCommand.DONE;
    }
}
