package dev.oncebox.ledger.sql;

import dev.oncebox.config.ConfigException;
import dev.oncebox.config.LedgerUrl;
import dev.oncebox.ledger.Asker;
import dev.oncebox.ledger.Batches;
import dev.oncebox.ledger.Call;
import dev.oncebox.ledger.DroppedFile;
import dev.oncebox.ledger.Entry;
import dev.oncebox.ledger.Ledger;
import dev.oncebox.ledger.LedgerException;
import dev.oncebox.ledger.NextStep;
import dev.oncebox.ledger.Outcome;
import dev.oncebox.ledger.Output;
import dev.oncebox.ledger.Pause;
import dev.oncebox.ledger.QueuedFile;
import dev.oncebox.ledger.ReceivedFile;
import dev.oncebox.ledger.Reply;
import dev.oncebox.ledger.Restored;
import dev.oncebox.ledger.SettledFile;
import dev.oncebox.ledger.Share;
import dev.oncebox.ledger.Transition;
import dev.oncebox.ledger.Verdict;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The ledger in a database: one group-committing writer, and readers beside it. */
public final class SqlLedger implements Ledger {

    private final Dialect dialect;
    private final Clock clock;
    private final Readers readers;
    private final GroupCommit writer;

    private final SqlIntake intake;
    private final SqlCalls calls;
    private final GroupedCalls grouped;
    private final SqlRecovery recovery;
    private final SqlEngines engines;
    private final SqlPolling polling;
    private final GroupedBatches batches;
    private final SqlDeliveries deliveries;
    private final Nodes nodes;
    private final Lease lease;
    private final Takeover takeover;
    private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
    private final Heartbeat heartbeat;

    private SqlLedger(Dialect dialect, Surroundings around, Scope scope) throws SQLException {
        var codec = new RequestCodec();
        this.dialect = dialect;
        this.clock = around.clock();
        this.intake = new SqlIntake(codec, clock, around.keyVersion());
        this.calls = new SqlCalls(codec, clock, scope);
        var settling = new SqlSettling(around.policies(), clock, around.random());
        this.nodes = new Nodes(clock, around.lease());
        this.recovery = new SqlRecovery(calls, settling, nodes, clock);
        this.engines = new SqlEngines(clock, scope);
        this.polling = new SqlPolling(clock, scope);
        this.deliveries = new SqlDeliveries(clock, scope);
        this.readers = new Readers(dialect);
        this.writer = new GroupCommit(dialect);
        this.lease = new Lease(around.lease(), dialect.sharing(), Clock.systemUTC(), System::nanoTime);
        lease.renew(() -> {
            long node = writer.write(nodes::enter);
            return writer.write(session -> Nodes.membership(session, node));
        });
        this.grouped = new GroupedCalls(writer.beside("ledger-calls"), lease, calls, settling, polling, recovery);
        this.batches = new GroupedBatches(
                new GroupedBatches.Access(readers, writer, lease, this::changed),
                new SqlBatches(calls, settling, clock),
                grouped::readable);
        this.heartbeat = new Heartbeat(dialect, writer.beside("ledger-lease"), nodes, lease, around.onLost());
        this.takeover = new Takeover(readers, writer, nodes, recovery, lease);
    }

    /** Opens a ledger as its worker, or as one of its nodes, making or migrating it. */
    public static SqlLedger open(LedgerUrl ledger, Surroundings around) {
        return open(ledger, around, Scope.everything());
    }

    /** The same, with what it is to claim, ask for and deliver. */
    public static SqlLedger open(LedgerUrl ledger, Surroundings around, Scope scope) {
        return open(Dialect.working(ledger), around, scope);
    }

    static SqlLedger open(Dialect dialect, Surroundings around, Scope scope) {
        boolean opened = false;
        try {
            dialect.migrate();
            var ledger = new SqlLedger(dialect, around, scope);
            opened = true;
            return ledger;
        } catch (SQLException | LedgerException e) {
            throw new ConfigException(
                    "The ledger " + dialect.name() + " cannot be opened: " + e.getMessage(),
                    e instanceof SQLException failure ? dialect.explain(failure) : e);
        } finally {
            if (!opened) {
                dialect.close();
            }
        }
    }

    @Override
    public ReceivedFile receive(DroppedFile file) {
        return writer.write(session -> intake.receive(session, file));
    }

    @Override
    public void record(ReceivedFile file, List<Entry> entries) {
        writer.write(session -> intake.record(session, file, entries));
        changed();
    }

    @Override
    public long taken(ReceivedFile file) {
        long items = writer.write(session -> intake.taken(session, file));
        changed();
        return items;
    }

    @Override
    public void archived(ReceivedFile file) {
        writer.write(session -> session.update("UPDATE file SET archived = 1 WHERE id = ?", file.id()));
        changed();
    }

    @Override
    public void discard(ReceivedFile file) {
        writer.write(session -> HalfRead.discard(session, file));
    }

    @Override
    public boolean reserve(String path) {
        return dialect.sharing() == Sharing.ALONE
                || writer.write(session -> nodes.reserve(session, lease.node(), path));
    }

    @Override
    public void release(String path) {
        if (dialect.sharing() == Sharing.SHARED) {
            writer.write(
                    session -> session.update("DELETE FROM taking WHERE path = ? AND node = ?", path, lease.node()));
        }
    }

    @Override
    public List<UnarchivedFile> unarchived() {
        return readers.read(session -> SqlIntake.unarchived(session, lease.node()));
    }

    @Override
    public boolean isKnown(String path, byte[] sha256) {
        return readers.read(
                session -> session.number("SELECT count(*) FROM file WHERE path = ? AND sha256 = ?", path, sha256) > 0);
    }

    @Override
    public void abandoned(UnarchivedFile file) {
        writer.write(session -> HalfRead.abandoned(session, file.id()));
        changed();
    }

    @Override
    public List<Call> claim(String engine, int limit) {
        return grouped.claim(engine, limit);
    }

    @Override
    public long untilDue(Collection<String> engines) {
        return readers.read(session -> this.engines.untilDue(session, engines));
    }

    @Override
    public boolean sent(Call call) {
        return grouped.sent(call);
    }

    @Override
    public @Nullable Transition settle(Call call, Verdict verdict, NextStep step, @Nullable Reply reply) {
        Transition next = grouped.settle(call, verdict, step, reply).orElse(null);
        changed();
        return next;
    }

    @Override
    public List<Call> polling(String engine, Duration interval, int limit) {
        return grouped.polling(engine, interval, limit).stream()
                .map(Call::beforeSend)
                .toList();
    }

    @Override
    public Batches batches() {
        return batches;
    }

    @Override
    public Map<String, Long> accepted() {
        return readers.read(SqlFigures::polling);
    }

    @Override
    public long untilPolling(Collection<String> engines) {
        return readers.read(session -> polling.untilDue(session, engines));
    }

    @Override
    public List<QueuedFile> queued(int limit) {
        return readers.read(session -> polling.queued(session, limit));
    }

    @Override
    public boolean placed(QueuedFile file, String sidecar) {
        return writer.write(session -> SqlPolling.placed(session, file, sidecar)) == 1;
    }

    @Override
    public void addressed(QueuedFile file) {
        writer.write(session -> SqlPolling.addressed(session, file));
    }

    @Override
    public boolean isOpen(Call call) {
        return readers.read(session -> calls.isOpen(session, call));
    }

    @Override
    public List<SettledFile> settled(int limit) {
        if (dialect.sharing() == Sharing.SHARED && lease.isHeld() && readers.read(deliveries::hasFree)) {
            writer.write(session -> deliveries.take(session, lease.node(), limit));
        }
        return readers.read(session -> deliveries.settled(session, lease.node(), limit));
    }

    @Override
    public boolean outcomes(SettledFile file, Consumer<Outcome> each) {
        return readers.read(session -> deliveries.outcomes(session, file, each));
    }

    @Override
    public void delivered(SettledFile file, Output output) {
        writer.write(session -> deliveries.delivered(session, lease.node(), file, output));
        changed();
    }

    @Override
    public Optional<Asker> asker(long call) {
        return readers.read(session -> Askers.first(session, call));
    }

    @Override
    public Optional<Call> inFlight(byte[] key, long fence) {
        return readers.read(session -> Optional.ofNullable(recovery.inFlight(session, key, fence)));
    }

    @Override
    public int recover() {
        return writer.write(session -> recovery.recover(session, lease.node()));
    }

    @Override
    public Optional<Restored> restored() {
        return dialect.marksCopies()
                ? writer.write(session -> new SqlRestored(clock).hold(session, lease.node()))
                : Optional.empty();
    }

    @Override
    public Work work(Duration horizon, Reach reach) {
        return readers.read(session -> engines.work(session, clock.millis() + horizon.toMillis(), reach));
    }

    @Override
    public boolean isBusy(Duration horizon, Reach reach) {
        return readers.read(session -> engines.isBusy(session, clock.millis() + horizon.toMillis(), reach));
    }

    @Override
    public void releaseClaims() {
        writer.write(session -> recovery.release(session, lease.node()));
    }

    @Override
    public int reassign(Collection<String> engines, Map<String, String> engineOfJob) {
        return writer.write(session -> this.engines.reassign(session, lease.node(), engines, engineOfJob));
    }

    @Override
    public int fallBack(Move move, int limit) {
        return writer.write(session -> engines.fallBack(session, lease.node(), move, limit));
    }

    @Override
    public void pauses(Map<String, Pause> pauses) {
        writer.write(session -> engines.pauses(session, lease.node(), pauses));
    }

    @Override
    public Map<String, Pause> pauses() {
        return readers.read(SqlEngines::pauses);
    }

    @Override
    public Share share() {
        return lease.share();
    }

    @Override
    public Spent spent(long since) {
        return readers.read(session -> SqlFigures.spent(session, since));
    }

    @Override
    public void onTakeover(Runnable before, Runnable after) {
        if (dialect.sharing() == Sharing.SHARED) {
            takeover.watch(before, after);
        }
    }

    @Override
    public void onChange(Runnable changed) {
        listeners.add(changed);
    }

    private void changed() {
        listeners.forEach(Runnable::run);
    }

    @Override
    public void close() {
        takeover.close();
        heartbeat.close();
        try {
            writer.write(session -> nodes.leave(session, lease.node()));
        } catch (LedgerException e) {
            // a node that could not say goodbye is seen by its lease
        }
        writer.close();
        readers.close();
        dialect.close();
    }
}
