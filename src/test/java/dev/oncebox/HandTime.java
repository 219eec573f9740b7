package dev.oncebox;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.function.LongSupplier;

/** Time that passes only when a test says so, for what asks the clock and for what asks the nanoseconds. */
public final class HandTime extends Clock implements LongSupplier {

    private final Instant begun = Instant.parse("2026-11-29T00:00:00Z");
    private volatile long nanos;

    public synchronized void pass(Duration time) {
        nanos += time.toNanos();
    }

    public void passMillis(long millis) {
        pass(Duration.ofMillis(millis));
    }

    @Override
    public long getAsLong() {
        return nanos;
    }

    @Override
    public Instant instant() {
        return begun.plusNanos(nanos);
    }

    @Override
    public ZoneId getZone() {
        return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
        return this;
    }
}
