package dev.oncebox.ledger.sql;

import dev.oncebox.ledger.Batch;
import dev.oncebox.ledger.Batches;
import dev.oncebox.ledger.Call;
import dev.oncebox.ledger.NextStep;
import dev.oncebox.ledger.Reply;
import dev.oncebox.ledger.Verdict;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The batches of a ledger, through its one writer. */
final class GroupedBatches implements Batches {

    private final Access ledger;
    private final SqlBatches batches;
    private final Function<List<SqlCalls.Stored>, List<Call>> readable;

    /** The ledger's connections, and whom to tell of a change. */
    record Access(Readers readers, GroupCommit writer, long node, Runnable changed) {}

    GroupedBatches(Access ledger, SqlBatches batches, Function<List<SqlCalls.Stored>, List<Call>> readable) {
        this.ledger = ledger;
        this.batches = batches;
        this.readable = readable;
    }

    @Override
    public @Nullable Batch gather(String engine, int limit, Duration age) {
        List<Call> claimed = readable.apply(
                ledger.writer().write(session -> batches.claim(session, ledger.node(), engine, limit, age)));
        return claimed.isEmpty() ? null : ledger.writer().write(session -> batches.gathered(session, engine, claimed));
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
        return ledger.writer().write(session -> batches.sent(session, ledger.node(), batch));
    }

    @Override
    public void settle(Batch batch, Verdict verdict, NextStep step, @Nullable Reply reply) {
        ledger.writer().write(session -> {
            batches.settle(session, ledger.node(), batch, verdict, step, reply);
            return true;
        });
        ledger.changed().run();
    }

    @Override
    public List<Batch> due(String engine, Duration interval, int limit) {
        return ledger.writer().write(session -> batches.due(session, engine, interval, limit));
    }

    @Override
    public @Nullable Call open(Batch batch, byte[] key) {
        return ledger.readers()
                .read(session -> Optional.ofNullable(batches.open(session, batch, key)))
                .orElse(null);
    }

    @Override
    public List<Call> open(Batch batch, long after, int limit) {
        return ledger.readers().read(session -> batches.open(session, batch, after, limit));
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
