package dev.oncebox.ledger.sql;

import dev.oncebox.ledger.LedgerException;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Says every few seconds that this node lives, and looks every second whether the ledger can still be trusted. */
final class Heartbeat implements AutoCloseable {

    private static final Duration WATCH = Duration.ofSeconds(1);

    /** How long a node counts as living after its last beat, usually. */
    static final Duration LEASE = Duration.ofSeconds(15);

    /** How often a node says that it lives. */
    static Duration beat(Duration lease) {
        return lease.dividedBy(3);
    }

    private final Dialect dialect;
    private final GroupCommit writer;
    private final Nodes nodes;
    private final Lease lease;
    private final Consumer<String> onLost;
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "ledger-timer");
        thread.setDaemon(true);
        return thread;
    });

    /**
     * @param writer of nothing else where nodes share a ledger: a beat waits for nobody there, and the row that it holds
     *     until its commit is one that every claim and every send looks at
     * @param onLost told why when the ledger can no longer be trusted
     */
    Heartbeat(Dialect dialect, GroupCommit writer, Nodes nodes, Lease lease, Consumer<String> onLost) {
        this.dialect = dialect;
        this.writer = writer;
        this.nodes = nodes;
        this.lease = lease;
        this.onLost = onLost;
        timer.scheduleWithFixedDelay(this::watch, WATCH.toMillis(), WATCH.toMillis(), TimeUnit.MILLISECONDS);
        long beat = beat(lease.length()).toMillis();
        timer.scheduleWithFixedDelay(this::beat, beat, beat, TimeUnit.MILLISECONDS);
    }

    private void watch() {
        LedgerException refusal = writer.refusal();
        String loss = dialect.lost();
        if (loss != null) {
            writer.refuse(new LedgerException(loss, false, new IllegalStateException(loss)));
            lost(loss + " Nothing more is sent, since nothing could be recorded. It knows what was"
                    + " paid: put the very file back, leave the -wal file beside it where it is, and start again.");
        } else if (refusal != null) {
            lost(refusal.getMessage() + ". Nothing more is sent, since a write that failed once may be lost although"
                    + " the next one succeeds. Check the disk, and start again.");
        } else if (!lease.isHeld()) {
            // it was paused: what it has is not its own before it is heard of again
            beat();
        }
    }

    private void lost(String why) {
        timer.shutdown();
        onLost.accept(why);
    }

    /** Who was taken for dead has nothing any more, and comes back as another. */
    private void beat() {
        try {
            long node = lease.node();
            lease.renew(() -> among(writer.write(session -> nodes.beat(session, node) ? node : nodes.enter(session))));
        } catch (LedgerException e) {
            if (!e.isPassing()) {
                lost(e.getMessage() + ". Nothing more is sent. Check the disk, and start again.");
            }
        }
    }

    /** Asked after the entry is durable, so that of two that enter at once one sees the other. */
    private Lease.Membership among(long node) {
        return writer.write(session -> Nodes.membership(session, node));
    }

    /** Waits for a beat that is under way: it may bring the number under which the node has to leave. */
    @Override
    public void close() {
        timer.shutdown();
        try {
            if (!timer.awaitTermination(lease.length().toMillis(), TimeUnit.MILLISECONDS)) {
                timer.shutdownNow();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
