package dev.oncebox.intake;

import dev.oncebox.ledger.Ledger;
import dev.oncebox.ledger.LedgerException;
import org.apache.camel.Exchange;
import org.apache.camel.support.SynchronizationAdapter;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Leaves a path of the inbox to other nodes when its exchange ends, whichever way. */
final class Released extends SynchronizationAdapter {

    private static final Logger LOG = LoggerFactory.getLogger(Released.class);

    private final Ledger ledger;
    private final String path;

    Released(Ledger ledger, String path) {
        this.ledger = ledger;
        this.path = path;
    }

    @Override
    public void onDone(Exchange exchange) {
        try {
            ledger.release(path);
        } catch (LedgerException e) {
            LOG.debug("{} stays this node's until it is taken, or the node ends", path, e);
        }
    }
}
