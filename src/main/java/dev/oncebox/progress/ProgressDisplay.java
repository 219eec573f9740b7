package dev.oncebox.progress;

import java.io.PrintStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where progress is shown: a bar where standard error is a terminal, else a line of the log now and then. Standard output
 * is for results.
 */
public final class ProgressDisplay {

    private static final Logger LOG = LoggerFactory.getLogger(ProgressDisplay.class);
    private static final int NARROWEST = 20;

    private final PrintStream terminal;
    private final int columns;

    /** @param columns of the terminal; 0: it is none */
    ProgressDisplay(PrintStream terminal, int columns) {
        this.terminal = terminal;
        this.columns = columns;
    }

    /** Of this process; {@code bin/oncebox} has looked whether it has a terminal, and how wide that is. */
    public static ProgressDisplay ofProcess() {
        return new ProgressDisplay(System.err, Integer.getInteger("oncebox.columns", 0));
    }

    /** Begins a piece of work. */
    public Progress begin(String name, Unit unit) {
        return columns < NARROWEST
                ? new Lines(name, unit, LOG::info, System::nanoTime)
                : new Bar(name, unit, terminal, columns, System::nanoTime);
    }
}
