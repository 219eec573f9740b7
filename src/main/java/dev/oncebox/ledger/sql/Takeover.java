package dev.oncebox.ledger.sql;

import dev.oncebox.ledger.LedgerException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks after what other nodes have left: at every beat, so that it is taken over within two leases. In a thread of its
 * own, since it may take long and this node must go on beating.
 */
final class Takeover implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Takeover.class);

    private final Readers readers;
    private final GroupCommit writer;
    private final Nodes nodes;
    private final SqlRecovery recovery;
    private final Lease lease;
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "ledger-takeover");
        thread.setDaemon(true);
        return thread;
    });

    Takeover(Readers readers, GroupCommit writer, Nodes nodes, SqlRecovery recovery, Lease lease) {
        this.readers = readers;
        this.writer = writer;
        this.nodes = nodes;
        this.recovery = recovery;
        this.lease = lease;
    }

    /**
     * Begins to look. What is told before may still record what the dead had received; what is told after may be what
     * this node itself could not end while the ledger was away, so that it is told at every look.
     */
    void watch(Runnable before, Runnable after) {
        long beat = Heartbeat.beat(lease.length()).toMillis();
        timer.scheduleWithFixedDelay(() -> look(before, after), beat, beat, TimeUnit.MILLISECONDS);
    }

    private void look(Runnable before, Runnable after) {
        try {
            if (!lease.isHeld()) {
                return;
            }
            if (readers.read(nodes::hasLost)) {
                before.run();
                int inDoubt = writer.write(session -> recovery.takeOver(session, lease.node()));
                LOG.warn(
                        "Another node ended or is not heard of any more; what it had goes on here. {} calls were in"
                                + " flight there; the journal names them",
                        inDoubt);
            }
            after.run();
        } catch (LedgerException e) {
            LOG.debug("The ledger cannot be looked through for what other nodes left", e);
        } catch (RuntimeException e) {
            LOG.error("What another node left could not be put in order, which is tried again", e);
        }
    }

    @Override
    public void close() {
        timer.shutdownNow();
    }
}
