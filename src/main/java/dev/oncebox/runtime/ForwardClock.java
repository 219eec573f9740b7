package dev.oncebox.runtime;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.function.LongSupplier;

/**
 * The time of day, but a clock that is set back goes on from where it was: what waits for its time would wait a day
 * longer, and so would what was dropped a moment ago. Set forth it is followed, as after a machine slept.
 */
final class ForwardClock extends Clock {

    /** Smaller steps back are the machine's own corrections. */
    private static final Duration TOLERATED = Duration.ofSeconds(1);

    private final Clock clock;
    private final LongSupplier nanoTime;
    private long millis;
    private long nanos;
    private long ahead;

    ForwardClock(Clock clock, LongSupplier nanoTime) {
        this.clock = clock;
        this.nanoTime = nanoTime;
        this.millis = clock.millis();
        this.nanos = nanoTime.getAsLong();
    }

    @Override
    public synchronized long millis() {
        long nanosNow = nanoTime.getAsLong();
        long expected = millis + Duration.ofNanos(nanosNow - nanos).toMillis();
        long now = clock.millis() + ahead;
        if (now < expected - TOLERATED.toMillis()) {
            ahead += expected - now;
            now = expected;
        }
        millis = now;
        nanos = nanosNow;
        return now;
    }

    @Override
    public Instant instant() {
        return Instant.ofEpochMilli(millis());
    }

    @Override
    public ZoneId getZone() {
        return clock.getZone();
    }

    @Override
    public Clock withZone(ZoneId zone) {
        return Clock.fixed(instant(), zone);
    }
}
