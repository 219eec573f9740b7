package dev.oncebox.progress;

import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/** A line now and then, where nobody sits before a terminal. Work that is shorter than that has none. */
final class Lines implements Progress {

    private static final Duration EVERY = Duration.ofSeconds(10);

    private final String name;
    private final Unit unit;
    private final Consumer<String> out;
    private final LongSupplier nanos;
    private final long begun;
    private long last;

    Lines(String name, Unit unit, Consumer<String> out, LongSupplier nanos) {
        this.name = name;
        this.unit = unit;
        this.out = out;
        this.nanos = nanos;
        this.begun = nanos.getAsLong();
        this.last = begun;
    }

    @Override
    public boolean isDue() {
        return nanos.getAsLong() - last >= EVERY.toNanos();
    }

    @Override
    public void show(long done, long total, String more) {
        long now = nanos.getAsLong();
        if (now - last < EVERY.toNanos()) {
            return;
        }
        last = now;
        double rate = done / ((now - begun) / 1e9);
        var line = new StringBuilder(name).append(": ").append(unit.text(done));
        if (total >= 0) {
            line.append(" of ").append(unit.text(total));
        }
        line.append(", ").append(unit.text(rate)).append("/s");
        if (total >= done && done > 0) {
            line.append(", ").append(time((total - done) / rate)).append(" left");
        }
        out.accept(
                more.isEmpty()
                        ? line.toString()
                        : line.append(", ").append(more).toString());
    }

    private static String time(double seconds) {
        Duration left = Duration.ofSeconds(Math.round(seconds));
        return "%d:%02d:%02d".formatted(left.toHours(), left.toMinutesPart(), left.toSecondsPart());
    }

    @Override
    public void close() {
        // each line stands for itself
    }
}
