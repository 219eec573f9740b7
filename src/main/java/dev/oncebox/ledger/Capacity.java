package dev.oncebox.ledger;

import java.util.Collection;

/** How many calls may be in flight. Asked before calls are claimed, so that none waits claimed for a place. */
public interface Capacity {

    /** The engines that can be asked. */
    Collection<String> engines();

    /** Takes up to {@code wanted} places of an engine and returns how many it took. */
    int take(String engine, int wanted);

    /** Gives places back. */
    void release(String engine, int places);
}
