package dev.oncebox.progress;

import java.io.PrintStream;
import java.time.Duration;
import java.util.function.LongSupplier;
import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;
import org.jspecify.annotations.Nullable;

/**
 * A bar on a terminal, with what is done, the time that it took and takes, and the rate. It begins with the first thing
 * that there is to show, so that short work has none.
 *
 * <p>The width is given, since finding it out is the one thing for which the library would take a terminal over, and its
 * signals with it: Ctrl-C would no longer let calls in flight finish.
 */
final class Bar implements Progress {

    private static final Duration EVERY = Duration.ofMillis(500);

    private final String name;
    private final Unit unit;
    private final PrintStream terminal;
    private final int columns;
    private final LongSupplier nanos;
    private final long begun;
    private long last;
    private @Nullable ProgressBar bar;

    /** @param columns how wide the terminal is */
    Bar(String name, Unit unit, PrintStream terminal, int columns, LongSupplier nanos) {
        this.name = name;
        this.unit = unit;
        this.terminal = terminal;
        this.columns = columns;
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
        last = nanos.getAsLong();
        if (bar == null) {
            bar = begin(done);
        }
        bar.setExtraMessage(more.isEmpty() ? "" : ", " + more);
        bar.maxHint(total);
        bar.stepTo(done);
        bar.refresh();
    }

    private ProgressBar begin(long done) {
        return new ProgressBarBuilder()
                .setTaskName(name)
                .setUnit(unit.name(), unit.size())
                .setInitialMax(-1)
                .startsFrom(done, Duration.ofNanos(last - begun))
                .setStyle(ProgressBarStyle.ASCII)
                .setUpdateIntervalMillis((int) EVERY.toMillis())
                .continuousUpdate()
                .showSpeed()
                .setConsumer(new ConsoleProgressBarConsumer(terminal, columns - 1))
                .build();
    }

    @Override
    public void close() {
        if (bar != null) {
            bar.close();
        }
    }
}
