package dev.oncebox.cli;

import dev.oncebox.cli.OnceboxCommand.CommandFailed;
import dev.oncebox.config.Settings;
import dev.oncebox.ledger.CallState;
import dev.oncebox.ledger.sql.SqlDecisions;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** {@code oncebox doubt}: calls that were sent and of which nobody knows what became. */
@Command(
        name = "doubt",
        description =
                "Calls in doubt: sent, and nobody knows whether they were processed. Works beside a running worker.",
        mixinStandardHelpOptions = true)
final class DoubtCommand implements Runnable {

    private static final String NONE = "No call is in doubt.";

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
        return decisions().list(CallState.DOUBT, NONE);
    }

    @Command(name = "resend", description = "Sends one again. It may be paid twice.", mixinStandardHelpOptions = true)
    int resend(
            @Parameters(paramLabel = "KEY", description = "The call's key, or its first 8 digits or more.") String key)
            throws CommandFailed {
        return decisions().decide(CallState.DOUBT, key, false, "is sent again", this::resend);
    }

    /** A worker claims nothing for an engine that is configured no more. */
    private boolean resend(SqlDecisions decisions, SqlDecisions.Case call) {
        Settings settings = parent.settings();
        String engine = settings.engines().containsKey(call.engine())
                ? call.engine()
                : settings.jobs()
                        .find(call.job())
                        .map(job -> job.engines().get(0))
                        .orElse(call.engine());
        return decisions.resend(call, engine);
    }

    @Command(
            name = "accept-loss",
            description = "Gives one up: its items get their error lines, and nothing is sent.",
            mixinStandardHelpOptions = true)
    int acceptLoss(
            @Parameters(paramLabel = "KEY", description = "The call's key, or its first 8 digits or more.") String key)
            throws CommandFailed {
        return decisions().decide(CallState.DOUBT, key, false, "is given up", SqlDecisions::acceptLoss);
    }

    private Decisions decisions() {
        return new Decisions(parent.settings(), spec.commandLine().getOut());
    }
}
