package dev.oncebox.cli;

import dev.oncebox.cli.OnceboxCommand.CommandFailed;
import dev.oncebox.config.Settings;
import dev.oncebox.runtime.Worker;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** {@code oncebox check}: everything that a start would check, and no start. */
@Command(
        name = "check",
        description = "Checks configuration, jobs, routes, folders and ledger; says what is wrong and where."
                + " Takes and sends nothing.",
        mixinStandardHelpOptions = true)
final class CheckCommand implements Callable<Integer> {

    @ParentCommand
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private OnceboxCommand parent;

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Override
    public Integer call() throws CommandFailed {
        Settings settings = parent.settings();
        try (Worker worker = Worker.prepare(settings, null, loss -> {})) {
            spec.commandLine()
                    .getOut()
                    .println("All is well: " + settings.engines().size() + " engine(s) "
                            + settings.engines().keySet() + ", "
                            + settings.jobs().all().size() + " job(s), home "
                            + settings.home().root() + ", ledger "
                            + settings.ledger().name() + ".");
            return OnceboxCommand.DONE;
        } catch (Worker.BusyException e) {
            throw new CommandFailed(
                    e.getMessage() + " The configuration was read and is well so far; stop it to check" + " the rest.");
        }
    }
}
