package dev.oncebox.ledger.camel;

import dev.oncebox.ledger.LedgerException;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Phaser;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.camel.Endpoint;
import org.apache.camel.Exchange;
import org.apache.camel.Processor;
import org.apache.camel.support.DefaultConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes work out of the ledger and gives each piece to a thread of its own. Woken by the ledger's changes, and by the
 * clock for what falls due or was added by another process.
 *
 * <p>What is under way, the taking itself included, is counted by a phaser, so that a stop can wait for all of it.
 */
abstract class LedgerConsumer extends DefaultConsumer {

    private static final Logger LOG = LoggerFactory.getLogger(LedgerConsumer.class);
    private static final long LONGEST_WAIT_MILLIS = 250;
    private static final long MOMENT_MILLIS = 2;
    private static final long PAUSE_AFTER_FAILURE_MILLIS = 1000;

    private final Phaser underWay = new Phaser(1);
    private final Semaphore wakeUps = new Semaphore(0);
    private final Outage outage;
    private volatile boolean taking;
    private volatile boolean looking;
    private @Nullable ExecutorService workers;

    LedgerConsumer(Endpoint endpoint, Processor processor, LedgerComponent component) {
        super(endpoint, processor);
        this.outage = component.outage();
        component.ledger().onChange(this::wakeUp);
    }

    /** Takes what there is to do now and hands it to {@link #start}; true: there may be more at once. */
    abstract boolean take();

    /** How long there is nothing to do unless something changes, as far as is known; no longer than a look is apart. */
    long restMillis() {
        return LONGEST_WAIT_MILLIS;
    }

    final void wakeUp() {
        if (wakeUps.availablePermits() == 0) {
            wakeUps.release();
        }
    }

    /** Processes an exchange in a thread of its own; {@code after} runs whatever became of it. */
    final void start(Exchange exchange, Runnable after) {
        underWay.register();
        boolean handedOver = false;
        try {
            execute(exchange, after);
            handedOver = true;
        } finally {
            if (!handedOver) {
                underWay.arriveAndDeregister();
                after.run();
            }
        }
    }

    private void execute(Exchange exchange, Runnable after) {
        Objects.requireNonNull(workers).execute(() -> {
            try {
                getProcessor().process(exchange);
                if (exchange.getException() != null) {
                    getExceptionHandler().handleException("Failed", exchange, exchange.getException());
                }
            } catch (Exception e) {
                getExceptionHandler().handleException("Failed", exchange, e);
            } finally {
                try {
                    after.run();
                } finally {
                    releaseExchange(exchange, false);
                    underWay.arriveAndDeregister();
                    wakeUp();
                }
            }
        });
    }

    @Override
    protected void doStart() throws Exception {
        super.doStart();
        if (workers == null) {
            workers = getEndpoint()
                    .getCamelContext()
                    .getExecutorServiceManager()
                    .newCachedThreadPool(this, getEndpoint().getEndpointUri());
        }
        taking = true;
        underWay.register();
        workers.execute(this::run);
    }

    private void run() {
        try {
            takeWhileWanted();
        } finally {
            underWay.arriveAndDeregister();
        }
    }

    private void takeWhileWanted() {
        boolean failing = false;
        while (taking) {
            try {
                looking = true;
                boolean more = take();
                looking = false;
                if (failing) {
                    outage.isOver();
                }
                failing = false;
                if (!more) {
                    rest();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            } catch (LedgerException e) {
                looking = false;
                if (e.isPassing()) {
                    outage.met(e);
                } else if (!failing && taking) {
                    LOG.error("{} Nothing more is sent.", e.getMessage());
                }
                failing = true;
                pause();
            } catch (RuntimeException | Error e) {
                looking = false;
                LOG.error("Unexpected failure while taking from {}", getEndpoint(), e);
                pause();
            }
        }
    }

    /** Until something changes; what comes within a moment is then seen by one look. */
    private void rest() throws InterruptedException {
        if (wakeUps.tryAcquire(Math.min(LONGEST_WAIT_MILLIS, restMillis()), TimeUnit.MILLISECONDS) && taking) {
            TimeUnit.MILLISECONDS.sleep(MOMENT_MILLIS);
        }
        wakeUps.drainPermits();
    }

    private void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(PAUSE_AFTER_FAILURE_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            taking = false;
        }
    }

    /** The same, or whether something may be taken at this moment. */
    final boolean mayBeWorking() {
        return looking || isWorking();
    }

    /** Whether anything is under way beside the taking. */
    final boolean isWorking() {
        return underWay.getRegisteredParties() > (taking ? 2 : 1);
    }

    /** Ends the taking; returns when nothing more will be started. */
    final void stopTaking() {
        taking = false;
        wakeUp();
    }

    /** Waits until nothing is under way; false: the time was over first. */
    final boolean awaitIdle(long nanos) throws InterruptedException {
        try {
            underWay.awaitAdvanceInterruptibly(underWay.arrive(), Math.max(0, nanos), TimeUnit.NANOSECONDS);
            return true;
        } catch (TimeoutException e) {
            return false;
        }
    }

    @Override
    protected void doStop() throws Exception {
        taking = false;
        wakeUp();
        super.doStop();
    }

    @Override
    protected void doShutdown() throws Exception {
        if (workers != null) {
            getEndpoint().getCamelContext().getExecutorServiceManager().shutdownGraceful(workers);
            workers = null;
        }
        super.doShutdown();
    }
}
