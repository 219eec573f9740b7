package dev.oncebox.cli;

import dev.oncebox.cli.OnceboxCommand.CommandFailed;
import dev.oncebox.config.EngineSettings;
import dev.oncebox.config.Settings;
import dev.oncebox.engine.Engines;
import dev.oncebox.ledger.CallState;
import dev.oncebox.ledger.sql.SqlDecisions;
import dev.oncebox.operate.Decision;
import java.io.PrintWriter;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
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

    /** What a person may give up. */
    private static final Set<CallState> DECIDABLE = Decision.ACCEPT_LOSS.states();

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

    @Command(
            name = "list",
            description = "Names them, and accepted calls whose engine is asked no more.",
            mixinStandardHelpOptions = true)
    int list() {
        Map<String, EngineSettings> engines = parent.settings().engines();
        return decisions()
                .list(
                        DECIDABLE,
                        call -> call.state() == CallState.DOUBT
                                || !engines.containsKey(call.engine())
                                || !engines.get(call.engine()).protocol().isAsynchronous(),
                        NONE);
    }

    @Command(
            name = "resend",
            description = "Sends one, or all, again. They may be paid twice.",
            mixinStandardHelpOptions = true)
    int resend(
            @Parameters(
                            paramLabel = "KEY",
                            arity = "0..1",
                            description = "The call's key, or its first 8 digits or more.")
                    @Nullable
                    String key,
            @Option(names = "--all", description = "Every call in doubt.") boolean all)
            throws CommandFailed {
        require(key, all);
        return decisions()
                .decide(
                        Decisions.Subject.of(CallState.DOUBT, key),
                        "is sent again",
                        (decisions, call) -> Decision.RESEND.make(decisions, call, parent.settings()));
    }

    private void require(@Nullable String key, boolean all) {
        if ((key == null) != all) {
            throw new ParameterException(spec.commandLine(), "Name a key, or --all.");
        }
    }

    @Command(
            name = "accept-loss",
            description = {
                "Gives one up: its items get their error lines, and nothing is sent. Also one that an engine accepted",
                "and has not answered; the engine is told, if it takes that."
            },
            mixinStandardHelpOptions = true)
    int acceptLoss(
            @Parameters(
                            paramLabel = "KEY",
                            arity = "0..1",
                            description = "The call's key, or its first 8 digits or more.")
                    @Nullable
                    String key,
            @Option(names = "--all", description = "Every call in doubt, and none that an engine accepted.")
                    boolean all)
            throws CommandFailed {
        require(key, all);
        List<SqlDecisions.Case> accepted = new ArrayList<>();
        var subject = new Decisions.Subject(DECIDABLE, key, call -> call.state() == CallState.DOUBT);
        int exit = decisions().decide(subject, "is given up", (decisions, call) -> {
            boolean done = Decision.ACCEPT_LOSS.make(decisions, call, parent.settings());
            if (done && call.state() == CallState.POLLING && call.remote() != null) {
                accepted.add(call);
            }
            return done;
        });
        accepted.forEach(this::tellTheEngine);
        return exit;
    }

    /** Afterwards: whatever becomes of it, its answer is not waited for any more. */
    private void tellTheEngine(SqlDecisions.Case call) {
        Settings settings = parent.settings();
        PrintWriter out = spec.commandLine().getOut();
        try (var engines = new Engines(settings.engines().values(), settings.retry(), Clock.systemUTC())) {
            out.println(engines.giveUp(call.engine(), String.valueOf(call.remote())));
            out.flush();
        }
    }

    private Decisions decisions() {
        return new Decisions(parent.settings(), spec.commandLine().getOut());
    }
}
