package dev.oncebox.cli;

import dev.oncebox.cli.OnceboxCommand.CommandFailed;
import dev.oncebox.ledger.CallState;
import dev.oncebox.ledger.sql.SqlDecisions;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** {@code oncebox dead}: calls that failed for good. */
@Command(
        name = "dead",
        description = "Dead letters: calls that failed for good. Works beside a running worker.",
        mixinStandardHelpOptions = true)
final class DeadCommand implements Runnable {

    @ParentCommand
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private OnceboxCommand parent;

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Override
    public void run() {
        list();
    }

    @Command(name = "list", description = "Names them.", mixinStandardHelpOptions = true)
    int list() {
        return decisions().list(CallState.DEAD, "No call failed for good.");
    }

    @Command(
            name = "retry",
            description = "Sends one, or all, again with all attempts; their files are delivered anew.",
            mixinStandardHelpOptions = true)
    int retry(
            @Parameters(paramLabel = "KEY", arity = "0..1", description = "The key, or its first 8 digits or more.")
                    @Nullable
                    String key,
            @Option(names = "--all", description = "Every dead letter.") boolean all)
            throws CommandFailed {
        if ((key == null) != all) {
            throw new ParameterException(spec.commandLine(), "Name a key, or --all.");
        }
        return decisions().decide(CallState.DEAD, key == null ? "" : key, all, "is sent again", this::retry);
    }

    /** From the start: the engine that failed in the end may have been a fallback. */
    private boolean retry(SqlDecisions decisions, SqlDecisions.Case call) {
        String first = parent.settings()
                .jobs()
                .find(call.job())
                .map(job -> job.engines().get(0))
                .orElse(call.engine());
        return decisions.retry(call, first);
    }

    private Decisions decisions() {
        return new Decisions(parent.settings(), spec.commandLine().getOut());
    }
}
