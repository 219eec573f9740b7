package dev.oncebox.operate;

import dev.oncebox.config.Settings;
import dev.oncebox.job.Job;
import dev.oncebox.ledger.CallState;
import dev.oncebox.ledger.sql.SqlDecisions;
import java.util.Locale;
import java.util.Set;

/** What a person can decide about a call that ended in doubt or failed for good. */
public enum Decision {

    /** It is sent again, and may be paid twice. */
    RESEND(CallState.DOUBT, CallState.DOUBT) {
        /** A worker claims nothing for an engine that is configured no more. */
        @Override
        public boolean make(SqlDecisions decisions, SqlDecisions.Case call, Settings settings) {
            return decisions.resend(
                    call, settings.engines().containsKey(call.engine()) ? call.engine() : firstEngine(call, settings));
        }
    },

    /** Its items get their error lines, and nothing is sent. */
    ACCEPT_LOSS(CallState.DOUBT, CallState.DOUBT, CallState.POLLING) {
        @Override
        public boolean make(SqlDecisions decisions, SqlDecisions.Case call, Settings settings) {
            return decisions.acceptLoss(call);
        }
    },

    /** It is sent with all its attempts, from the start: the engine that failed in the end may have been a fallback. */
    RETRY(CallState.DEAD, CallState.DEAD) {
        @Override
        public boolean make(SqlDecisions decisions, SqlDecisions.Case call, Settings settings) {
            return decisions.retry(call, firstEngine(call, settings));
        }
    };

    private final CallState all;
    private final Set<CallState> states;

    Decision(CallState all, CallState... states) {
        this.all = all;
        this.states = Set.of(states);
    }

    /** Which calls it can be made about. */
    public Set<CallState> states() {
        return states;
    }

    /** In which state the calls are that it is about when it is made about all; see {@link SqlDecisions#all}. */
    public CallState all() {
        return all;
    }

    /** As commands and addresses write it, {@code accept-loss}. */
    public String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Carries it out; false: somebody else was faster. */
    public abstract boolean make(SqlDecisions decisions, SqlDecisions.Case call, Settings settings);

    static String firstEngine(SqlDecisions.Case call, Settings settings) {
        return settings.jobs()
                .find(call.job())
                .map((Job job) -> job.engines().get(0))
                .orElse(call.engine());
    }
}
