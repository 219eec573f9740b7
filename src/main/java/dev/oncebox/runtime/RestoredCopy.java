package dev.oncebox.runtime;

import dev.oncebox.ledger.Ledger;
import java.time.Instant;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A start on a ledger that somebody put in place from a backup. */
final class RestoredCopy {

    private static final Logger LOG = LoggerFactory.getLogger(RestoredCopy.class);

    private RestoredCopy() {}

    /** Holds what may have been sent since the backup, and says so. */
    static void hold(Ledger ledger) {
        ledger.restored()
                .ifPresent(copy -> LOG.warn(
                        "The ledger was put in place from a backup of {}. What was sent after that it does not know; {}"
                                + " calls that waited then are held. See oncebox doubt list, then oncebox doubt resend or"
                                + " accept-loss, KEY or --all",
                        Instant.ofEpochMilli(copy.madeAt()),
                        copy.held()));
    }
}
