package dev.oncebox.ledger;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * What the routes want done after a failed attempt. The ledger carries it out as far as the promise allows: what may
 * have been charged is never repeated as if it were free.
 *
 * @param fallback whether the job's next engine is asked, if there is one, before this call waits in vain or dies
 */
public record NextStep(Kind kind, boolean fallback) {

    /** What follows when a process ended, or a route failed, with the call in flight. */
    public static final NextStep IN_DOUBT = new NextStep(Kind.DOUBT, true);

    private static final String FALLBACK = "fallback";

    /** What to do. */
    public enum Kind {
        /** Repeat it later, as it was not charged, until {@code retry.give-up}. */
        LATER,
        /** Repeat it later, within the job's attempts. */
        AGAIN,
        /** Do what the engine's {@code on-doubt} says. */
        DOUBT,
        /** Give it up. */
        DEAD
    }

    /**
     * As routes write it: {@code later}, {@code again}, {@code doubt} or {@code dead}; before it, with a comma,
     * {@code fallback} where that is to be tried first.
     *
     * @throws IllegalArgumentException when it is none of these
     */
    public static NextStep of(String text) {
        List<String> words = List.of(text.strip().split("\\s*,\\s*"));
        boolean fallback = words.get(0).equals(FALLBACK);
        String last = words.get(words.size() - 1);
        for (Kind kind : Kind.values()) {
            if (words.size() == (fallback ? 2 : 1)
                    && kind.name().toLowerCase(Locale.ROOT).equals(last)) {
                return new NextStep(kind, fallback);
            }
        }
        throw new IllegalArgumentException("\"" + text + "\" is no next step; there are "
                + Arrays.toString(Kind.values()).toLowerCase(Locale.ROOT) + ", each also after \"fallback, \"");
    }
}
