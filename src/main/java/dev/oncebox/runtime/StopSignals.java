package dev.oncebox.runtime;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;
import sun.misc.Signal;

/**
 * SIGTERM and SIGINT: the first one asks for a graceful stop, the second ends the process at once. The latter is safe
 * for what it leaves behind, as being killed is at any moment.
 */
final class StopSignals {

    private final AtomicInteger received = new AtomicInteger();

    /**
     * @param first called with the signal's number on the first signal
     */
    void install(IntConsumer first) {
        for (String name : new String[] {"TERM", "INT", "HUP"}) {
            Signal.handle(new Signal(name), signal -> {
                if (received.getAndIncrement() == 0) {
                    first.accept(signal.getNumber());
                } else {
                    Runtime.getRuntime().halt(128 + signal.getNumber());
                }
            });
        }
    }
}
