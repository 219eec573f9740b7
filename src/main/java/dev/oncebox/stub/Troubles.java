package dev.oncebox.stub;

import java.util.List;

/** What goes wrong the first time, the second time, and so on; in the end nothing does. */
final class Troubles {

    private final List<Step> steps;
    private int times;

    Troubles(List<Step> steps) {
        this.steps = steps;
    }

    synchronized Step next() {
        return times < steps.size() ? steps.get(times++) : Step.GOOD;
    }
}
