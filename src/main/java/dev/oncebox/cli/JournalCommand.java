package dev.oncebox.cli;

import dev.oncebox.cli.OnceboxCommand.CommandFailed;
import dev.oncebox.config.Settings;
import dev.oncebox.operate.Reports;
import java.io.PrintWriter;
import java.time.Clock;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** {@code oncebox journal}: the proof of what was sent and what became of it. */
@Command(
        name = "journal",
        description = "The events of a call or of all calls of a file, one JSON object a line.",
        mixinStandardHelpOptions = true)
final class JournalCommand implements Callable<Integer> {

    @ParentCommand
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private OnceboxCommand parent;

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Parameters(
            index = "0",
            paramLabel = "KEY|FILE",
            description = "A call's key (64 hex digits, or the first 8 or more), or a file's path below the inbox.")
    private String subject = "";

    @Option(
            names = "--replies",
            description = "What came back for the call, as it came, instead of its events. KEY only.")
    private boolean replies;

    @Override
    public Integer call() throws CommandFailed {
        Settings settings = parent.settings();
        PrintWriter out = spec.commandLine().getOut();
        try (Reports reports = Reports.open(settings.ledger(), Clock.systemUTC())) {
            boolean found = replies ? reports.replies(subject, out::println) : reports.journal(subject, out::println);
            out.flush();
            if (!found) {
                throw new CommandFailed("The journal knows no call and no file \"" + subject
                        + "\". A file is named by its path below the inbox, such as default/b.md.");
            }
            return OnceboxCommand.DONE;
        }
    }
}
