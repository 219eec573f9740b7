package dev.oncebox.runtime;

import dev.oncebox.ledger.Ledger;
import java.util.Collection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Accepted calls of engines that are asked no more: what an engine accepted is asked of it alone. */
final class Orphans {

    private static final Logger LOG = LoggerFactory.getLogger(Orphans.class);

    private Orphans() {}

    /** @param polled the engines that are asked for what they accepted */
    static void name(Ledger ledger, Collection<String> polled) {
        ledger.accepted().forEach((engine, calls) -> {
            if (!polled.contains(engine)) {
                LOG.warn(
                        "{} calls were accepted by engine {}, and no asynchronous engine of this name is configured."
                                + " They are neither asked for nor sent again: configure it as it was, or give them up:"
                                + " oncebox doubt list",
                        calls,
                        engine);
            }
        });
    }
}
