package dev.oncebox.config;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/** Everything that is wrong, in the order in which it was found, so that it can be mended in one go. */
public final class Problems {

    private final Set<String> found = new LinkedHashSet<>();

    /**
     * @param problem what was wrong, where, and what to do; several have a line each
     */
    public void add(String problem) {
        problem.lines().forEach(found::add);
    }

    /** Reads something; another value stands for what is refused, so that the reading can go on. */
    public <T> T or(T otherwise, Supplier<T> reading) {
        try {
            return reading.get();
        } catch (ConfigException e) {
            add(String.valueOf(e.getMessage()));
            return otherwise;
        }
    }

    /** Looks at something. */
    public void of(Runnable check) {
        try {
            check.run();
        } catch (ConfigException e) {
            add(String.valueOf(e.getMessage()));
        }
    }

    public List<String> all() {
        return List.copyOf(found);
    }

    /** @throws ConfigException with a line for each problem, if there are any */
    public void raise() {
        if (!found.isEmpty()) {
            throw new ConfigException(String.join("\n", found));
        }
    }
}
