package dev.oncebox.proof;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** One line a proof, on standard output and, for a summary, in {@code proofs.txt} beside the distribution. */
public final class Figures {

    /** {@code -Doncebox.seed=S} repeats a run's choices. */
    public static final long SEED = Long.getLong("oncebox.seed", System.nanoTime() % 1_000_000);

    private static final Path FILE = Path.of(System.getProperty("oncebox.dist")).resolveSibling("proofs.txt");

    private Figures() {}

    /** How often what is random is repeated: {@code -Doncebox.proof.rounds=N}. */
    public static int rounds(int usual) {
        return Integer.getInteger("oncebox.proof.rounds", usual);
    }

    public static void say(String format, Object... values) {
        write(format.formatted(values) + ", seed " + SEED);
    }

    /** That a proof was left out, and why; the summary of a run has to show it. */
    static void notMade(String why) {
        write("PROOF NOT MADE: " + why + " on this machine");
    }

    private static synchronized void write(String line) {
        System.out.println(line);
        try {
            Files.writeString(FILE, line + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
