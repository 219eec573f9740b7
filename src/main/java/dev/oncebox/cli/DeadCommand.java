package dev.oncebox.cli;

import dev.oncebox.cli.OnceboxCommand.CommandFailed;
import dev.oncebox.ledger.CallState;
import dev.oncebox.ledger.sql.SqlDecisions;
import dev.oncebox.operate.Decision;
import java.io.PrintWriter;
import java.util.Set;
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

    private static final String DROP_FIRST =
            "what is to be asked was purged. Drop the file that asks it into the inbox again, then retry.";

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
            @Option(names = "--all", description = "Every dead letter, but those whose answer was purged.") boolean all,
            @Option(
                            names = "--purged",
                            description = "With --all: those as well. They were paid for, and are paid for again.")
                    boolean purged)
            throws CommandFailed {
        if ((key == null) != all || purged && !all) {
            throw new ParameterException(spec.commandLine(), "Name a key, or --all.");
        }
        var left = new Left();
        var subject = new Decisions.Subject(
                Set.of(CallState.DEAD), key, call -> left.sendable(call) && (purged || left.unanswered(call)));
        int exit = decisions().decide(subject, "is sent again", this::retry);
        left.say(spec.commandLine().getOut());
        return exit;
    }

    /** What "all" does not mean. */
    private static final class Left {
        private int hollow;
        private int answered;

        boolean sendable(SqlDecisions.Case call) {
            hollow += call.sendable() ? 0 : 1;
            return call.sendable();
        }

        boolean unanswered(SqlDecisions.Case call) {
            answered += call.isAnswerPurged() ? 1 : 0;
            return !call.isAnswerPurged();
        }

        void say(PrintWriter out) {
            if (answered > 0) {
                out.println(answered + " left: they were paid for and answered, and their answers were purged. With"
                        + " --purged they are paid for again.");
            }
            if (hollow > 0) {
                out.println(hollow + " left: " + DROP_FIRST);
            }
            out.flush();
        }
    }

    private boolean retry(SqlDecisions decisions, SqlDecisions.Case call) throws CommandFailed {
        if (!call.sendable()) {
            throw new CommandFailed(call.key() + " cannot be sent: " + DROP_FIRST);
        }
        return Decision.RETRY.make(decisions, call, parent.settings());
    }

    private Decisions decisions() {
        return new Decisions(parent.settings(), spec.commandLine().getOut());
    }
}
