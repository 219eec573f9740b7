package dev.oncebox.intake;

import java.time.Clock;
import java.time.Duration;
import java.util.function.LongSupplier;

/** Whether the clock was set forth a moment ago: then what was written a moment ago looks as old as that step is long. */
final class ClockStep {

    /** Smaller steps are the machine's own corrections. */
    private static final Duration TOLERATED = Duration.ofSeconds(1);

    private final Clock clock;
    private final LongSupplier nanoTime;
    private long ahead;
    private long since;
    private boolean stepped;

    ClockStep(Clock clock, LongSupplier nanoTime) {
        this.clock = clock;
        this.nanoTime = nanoTime;
        this.ahead = clock.millis() - Duration.ofNanos(nanoTime.getAsLong()).toMillis();
    }

    synchronized boolean isWithin(Duration time) {
        long nanos = nanoTime.getAsLong();
        long now = clock.millis() - Duration.ofNanos(nanos).toMillis();
        if (now - ahead > TOLERATED.toMillis()) {
            stepped = true;
            since = nanos;
        }
        ahead = now;
        stepped &= nanos - since < time.toNanos();
        return stepped;
    }
}
