package dev.oncebox.cli;

import dev.oncebox.cli.OnceboxCommand.CommandFailed;
import dev.oncebox.config.Settings;
import dev.oncebox.ledger.CallState;
import dev.oncebox.ledger.sql.SqlDecisions;
import java.io.PrintWriter;
import java.time.Clock;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What the commands for doubts and dead letters share. */
final class Decisions {

    private static final int SHORTEST_KEY = 8;

    private final Settings settings;
    private final PrintWriter out;

    Decisions(Settings settings, PrintWriter out) {
        this.settings = settings;
        this.out = out;
    }

    /** Carries a decision out; false: somebody else was faster. */
    @FunctionalInterface
    interface Decision {
        boolean make(SqlDecisions decisions, SqlDecisions.Case call) throws CommandFailed;
    }

    /**
     * What a decision is about.
     *
     * @param key of the one call that is meant, or its beginning; null: all of them
     * @param byAll which are meant by all
     */
    record Subject(Set<CallState> states, @Nullable String key, Predicate<SqlDecisions.Case> byAll) {

        static Subject of(CallState state, @Nullable String key) {
            return new Subject(Set.of(state), key, call -> true);
        }

        private boolean isMeant(SqlDecisions.Case call) {
            return key == null ? byAll.test(call) : call.key().startsWith(key);
        }
    }

    int list(CallState state, String none) {
        return list(Set.of(state), call -> true, none);
    }

    int list(Set<CallState> states, Predicate<SqlDecisions.Case> shown, String none) {
        try (SqlDecisions decisions = SqlDecisions.reading(settings.ledger(), Clock.systemUTC())) {
            List<SqlDecisions.Case> cases = all(decisions, states).filter(shown).toList();
            if (cases.isEmpty()) {
                out.println(none);
            }
            for (SqlDecisions.Case call : cases) {
                out.println(call.key() + "  " + call.engine() + "  sent " + call.sends()
                        + ", perhaps or surely charged " + call.attempts() + "  "
                        + (call.code() == null ? "accepted, and its engine said: " : call.code() + ": ")
                        + call.reason());
            }
            out.flush();
            return OnceboxCommand.DONE;
        }
    }

    /** Decides about one call, or about all. */
    int decide(Subject subject, String done, Decision decision) throws CommandFailed {
        String key = subject.key();
        try (SqlDecisions decisions = open()) {
            List<SqlDecisions.Case> cases =
                    all(decisions, subject.states()).filter(subject::isMeant).toList();
            if (key != null && key.length() < SHORTEST_KEY) {
                throw new CommandFailed("Give at least " + SHORTEST_KEY + " digits of the key.");
            }
            if (cases.isEmpty() && key != null) {
                throw new CommandFailed("No such call is "
                        + (subject.states().contains(CallState.DEAD) ? "dead" : "in doubt") + ": " + key);
            }
            if (cases.size() > 1 && key != null) {
                throw new CommandFailed(
                        cases.size() + " calls have a key that starts with " + key + ". Give more of it.");
            }
            for (SqlDecisions.Case call : cases) {
                out.println(call.key() + "  " + (decision.make(decisions, call) ? done : "was settled meanwhile"));
            }
            out.flush();
            return OnceboxCommand.DONE;
        }
    }

    private static Stream<SqlDecisions.Case> all(SqlDecisions decisions, Set<CallState> states) {
        return states.stream().sorted().flatMap(state -> decisions.list(state).stream());
    }

    private SqlDecisions open() {
        return SqlDecisions.open(settings.ledger(), Clock.systemUTC());
    }
}
