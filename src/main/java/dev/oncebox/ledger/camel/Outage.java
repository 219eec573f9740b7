package dev.oncebox.ledger.camel;

import dev.oncebox.ledger.LedgerException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Says once that the ledger cannot be used, and once that it can again, however many routes meet it. */
final class Outage {

    private static final Logger LOG = LoggerFactory.getLogger(Outage.class);

    private @Nullable Long since;

    synchronized void met(LedgerException failure) {
        if (since == null) {
            since = System.nanoTime();
            LOG.error(
                    "{} Nothing is taken or sent until it can be used again; replies that come meanwhile are kept.",
                    failure.getMessage());
        }
    }

    synchronized void isOver() {
        if (since != null) {
            LOG.warn(
                    "The ledger can be used again, after {} s",
                    Duration.ofNanos(System.nanoTime() - since).toSeconds());
            since = null;
        }
    }
}
