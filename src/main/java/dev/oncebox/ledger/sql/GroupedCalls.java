package dev.oncebox.ledger.sql;

import dev.oncebox.ledger.Call;
import dev.oncebox.ledger.NextStep;
import dev.oncebox.ledger.Reply;
import dev.oncebox.ledger.Transition;
import dev.oncebox.ledger.Verdict;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The calls of a ledger, through a writer of their own where the database has connections for two: a call that is sent
 * or answered does not wait until a file with many items is recorded.
 */
final class GroupedCalls {

    private final GroupCommit writer;
    private final Lease lease;
    private final SqlCalls calls;
    private final SqlPolling polling;
    private final SqlRecovery recovery;
    private final GroupCommit.Bulk<Call, Boolean> sending;
    private final GroupCommit.Bulk<SqlSettling.Settlement, Optional<Transition>> settling;

    GroupedCalls(
            GroupCommit writer,
            Lease lease,
            SqlCalls calls,
            SqlSettling settling,
            SqlPolling polling,
            SqlRecovery recovery) {
        this.writer = writer;
        this.lease = lease;
        this.calls = calls;
        this.polling = polling;
        this.recovery = recovery;
        this.sending = (session, claimed) -> calls.sent(session, lease.node(), claimed);
        this.settling = (session, ends) -> settling.settle(session, lease.node(), ends);
    }

    List<Call> claim(String engine, int limit) {
        return readable(writer.write(session -> calls.claim(session, lease.node(), engine, limit)));
    }

    List<Call> polling(String engine, Duration interval, int limit) {
        return readable(writer.write(session -> polling.polling(session, engine, interval, limit)));
    }

    /** Those that can be read; the others end here. */
    List<Call> readable(List<SqlCalls.Stored> stored) {
        return recovery.readable(stored, bad -> writer.write(session -> recovery.bury(session, lease.node(), bad)));
    }

    boolean sent(Call call) {
        lease.require();
        boolean sent = writer.write(sending, call);
        // nobody has sent it yet, and nobody will, if this node was paused meanwhile
        lease.require();
        return sent;
    }

    Optional<Transition> settle(Call call, Verdict verdict, NextStep step, @Nullable Reply reply) {
        return writer.write(settling, new SqlSettling.Settlement(call, verdict, step, reply));
    }
}
