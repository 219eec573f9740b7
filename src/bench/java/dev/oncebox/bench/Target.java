package dev.oncebox.bench;

import java.util.Locale;

/**
 * A ratio and how large it should be, or how small.
 *
 * @param what is compared with what
 * @param measured a ratio of every round
 * @param detail what was measured in which amounts
 */
record Target(String what, Series measured, boolean atLeast, double wanted, String detail) {

    static Target atLeast(double wanted, String what, Series measured, String detail) {
        return new Target(what, measured, true, wanted, detail);
    }

    static Target atMost(double wanted, String what, Series measured, String detail) {
        return new Target(what, measured, false, wanted, detail);
    }

    boolean isMet() {
        return atLeast ? measured.median() >= wanted : measured.median() <= wanted;
    }

    String wantedText() {
        return String.format(Locale.ROOT, "%s %.4g", atLeast ? "≥" : "≤", wanted)
                .replaceAll("\\.?0+$", "");
    }

    /** How well it is met: 1 and more is met, whichever way it is meant. */
    double degree() {
        return atLeast ? measured.median() / wanted : wanted / measured.median();
    }
}
