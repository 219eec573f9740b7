package dev.oncebox.ledger.sql;

import dev.oncebox.ledger.Batch;
import dev.oncebox.ledger.Batches;
import dev.oncebox.ledger.Call;
import dev.oncebox.ledger.Gathering;
import dev.oncebox.ledger.NextStep;
import dev.oncebox.ledger.Reply;
import dev.oncebox.ledger.Verdict;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The batches of a ledger, through its writer. */
final class GroupedBatches implements Batches {

    /** How many calls are settled in one transaction, which nobody else can write beside. */
    private static final int AT_ONCE = 1000;

    private final Access ledger;
    private final SqlBatches batches;
    private final Function<List<SqlCalls.Stored>, List<Call>> readable;

    /** The ledger's connections, and whom to tell of a change. */
    record Access(Readers readers, GroupCommit writer, Lease lease, Runnable changed) {}

    GroupedBatches(Access ledger, SqlBatches batches, Function<List<SqlCalls.Stored>, List<Call>> readable) {
        this.ledger = ledger;
        this.batches = batches;
        this.readable = readable;
    }

    @Override
    public @Nullable Batch gather(String engine, Gathering gathering) {
        Batch made = ledger.writer()
                .write(session -> Optional.ofNullable(
                        batches.gather(session, ledger.lease().node(), engine, gathering)))
                .orElse(null);
        if (made == null) {
            return null;
        }
        List<Call> claimed = readable.apply(ledger.readers().read(session -> batches.claimed(session, made)));
        if (claimed.isEmpty()) {
            // none of them can be read
            sent(made);
            return null;
        }
        return made.with(claimed);
    }

    @Override
    public void leave(Batch batch, List<Call> rest) {
        ledger.writer().write(session -> {
            batches.leave(session, batch, rest);
            return true;
        });
    }

    @Override
    public boolean sent(Batch batch) {
        ledger.lease().require();
        boolean sent = ledger.writer()
                .write(session -> batches.sent(session, ledger.lease().node(), batch));
        ledger.lease().require();
        return sent;
    }

    @Override
    public void settle(Batch batch, Verdict verdict, NextStep step, @Nullable Reply reply) {
        boolean done = ledger.writer()
                .write(session -> batches.settle(session, ledger.lease().node(), batch, verdict, reply));
        if (!done && batch.calls().isEmpty()) {
            for (List<Call> some = open(batch, -1, AT_ONCE); !some.isEmpty(); ) {
                each(batch, some, verdict, step);
                some = open(batch, some.get(some.size() - 1).id(), AT_ONCE);
            }
        } else if (!done) {
            for (int from = 0; from < batch.calls().size(); from += AT_ONCE) {
                List<Call> all = batch.calls();
                each(batch, all.subList(from, Math.min(from + AT_ONCE, all.size())), verdict, step);
            }
        }
        ledger.changed().run();
    }

    private void each(Batch batch, List<Call> some, Verdict verdict, NextStep step) {
        ledger.writer().write(session -> batches.each(session, ledger.lease().node(), some, batch, verdict, step));
    }

    @Override
    public List<Batch> due(String engine, Duration interval, int limit) {
        return ledger.writer().write(session -> batches.due(session, engine, interval, limit));
    }

    @Override
    public @Nullable Call open(Batch batch, byte[] key) {
        List<Call> found = beforeSend(ledger.readers().read(session -> batches.open(session, batch, key)));
        return found.isEmpty() ? null : found.get(0);
    }

    @Override
    public List<Call> open(Batch batch, long after, int limit) {
        return beforeSend(ledger.readers().read(session -> batches.open(session, batch, after, limit)));
    }

    private List<Call> beforeSend(List<SqlCalls.Stored> stored) {
        return readable.apply(stored).stream().map(Call::beforeSend).toList();
    }

    @Override
    public Set<String> keys(Batch batch) {
        return Set.copyOf(ledger.readers().read(session -> batches.keys(session, batch)));
    }

    @Override
    public List<String> addresses(String engine) {
        return ledger.readers().read(session -> batches.addresses(session, engine));
    }

    @Override
    public boolean isOpen(Batch batch) {
        return ledger.readers().read(session -> batches.isOpen(session, batch));
    }
}
