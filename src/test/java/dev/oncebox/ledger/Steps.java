package dev.oncebox.ledger;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What the routes say about each kind of failure, for tests that settle calls without routes. */
public final class Steps {

    private static final Pattern STEP =
            Pattern.compile("(?m)^ +(unsent|busy|engine|misfit|request|unusable|incomplete|unknown): (.+)$");

    private static final Map<String, NextStep> OF_ROUTES = read();

    private Steps() {}

    public static NextStep of(Verdict verdict) {
        return OF_ROUTES.getOrDefault(verdict.kind(), NextStep.IN_DOUBT);
    }

    private static Map<String, NextStep> read() {
        try {
            Map<String, NextStep> steps = new HashMap<>();
            Matcher step = STEP.matcher(Files.readString(Path.of("routes/on-failure.camel.yaml")));
            while (step.find()) {
                steps.put(step.group(1).toUpperCase(Locale.ROOT), NextStep.of(step.group(2)));
            }
            return steps;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
