package dev.oncebox.config;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The properties in force: the file's, overridden by environment variables ({@code ENGINE_DEFAULT_URL} for
 * {@code engine.default.url}), with secrets filled in from the environment ({@code {{env:NAME}}}).
 */
final class PropertySource {

    private static final List<String> KNOWN = List.of(
            "inbox.dir",
            "inbox.poll",
            "inbox.settle",
            "inbox.max-item",
            "inbox.at-once",
            "inbox.concurrency",
            "poll.concurrency",
            "outbox.dir",
            "outbox.concurrency",
            "ledger.url",
            "ledger.lease",
            "retry.delay",
            "retry.multiplier",
            "retry.max-delay",
            "retry.give-up",
            "budget.calls",
            "budget.cost",
            "budget.period",
            "http.port",
            "http.host",
            "http.names",
            "http.token",
            "http.observe",
            "http.tls.certificate",
            "http.tls.key",
            "log.format");
    private static final List<String> ENGINE = List.of(
            "protocol",
            "url",
            "model",
            "api-key",
            "timeout",
            "connect-timeout",
            "concurrency",
            "requests-per-minute",
            "tokens-per-minute",
            "price.input",
            "price.output",
            "idempotency-header",
            "deduplicates",
            "on-doubt",
            "unpaid-statuses",
            "answer",
            "poll",
            "lost-after",
            "status",
            "status.running",
            "status.failed",
            "batch.calls",
            "batch.wait",
            "batch.size",
            "batch.price",
            "location");
    private static final Pattern ENGINE_PROPERTY = Pattern.compile("engine\\.([a-z0-9][a-z0-9-]*)\\.(.+)");
    private static final Pattern HEADER = Pattern.compile("header\\.[A-Za-z0-9!#$%&'*+.^_`|~-]+");
    /** How shells, Docker, Spring and templates write a variable. */
    private static final Pattern FOREIGN = Pattern.compile("(?:\\$\\{?|\\{\\{(?:env\\.)?|%)([A-Z_][A-Z0-9_]*)[}%]*");

    private static final Pattern SECRET = Pattern.compile("\\{\\{env:([A-Za-z_][A-Za-z0-9_]*)}}");

    private final PropertyFile file;
    private final Map<String, String> values = new TreeMap<>();
    private final Map<String, String> overridden = new HashMap<>();

    private final Problems problems;

    /**
     * @param problems what cannot be used is added to, and counts as not set
     */
    PropertySource(PropertyFile file, Map<String, String> environment, Set<String> usedByRoutes, Problems problems) {
        this.file = file;
        this.problems = problems;
        values.putAll(file.values());
        overrideFrom(environment, usedByRoutes);
        values.keySet().forEach(name -> problems.of(() -> check(name, usedByRoutes)));
        values.replaceAll((name, value) -> problems.or("", () -> withSecrets(name, value, environment)));
    }

    private void overrideFrom(Map<String, String> environment, Set<String> usedByRoutes) {
        Map<String, String> byVariable = new HashMap<>();
        KNOWN.forEach(name -> byVariable.put(variable(name), name));
        usedByRoutes.forEach(name -> byVariable.put(variable(name), name));
        Set<String> engines = new TreeSet<>(engines());
        engines.add("default");
        for (String engine : engines) {
            ENGINE.forEach(
                    name -> byVariable.put(variable("engine." + engine + "." + name), "engine." + engine + "." + name));
        }
        values.keySet().forEach(name -> byVariable.put(variable(name), name));
        environment.forEach((variable, value) -> {
            String name = byVariable.getOrDefault(variable, engineProperty(variable, environment));
            if (name != null) {
                values.put(name, value.strip());
                overridden.put(name, "environment variable " + variable);
            }
        });
    }

    /** An engine that only the environment knows: {@code ENGINE_FAST_API_KEY} is {@code engine.fast.api-key}. */
    private static @Nullable String engineProperty(String variable, Map<String, String> environment) {
        for (String property : ENGINE) {
            String suffix = "_" + variable(property);
            if (variable.startsWith("ENGINE_")
                    && variable.endsWith(suffix)
                    && variable.length() > "ENGINE".length() + suffix.length() + 1) {
                String name = variable.substring("ENGINE_".length(), variable.length() - suffix.length());
                if (name.matches("[A-Z0-9]+") && environment.containsKey("ENGINE_" + name + "_URL")) {
                    return "engine." + name.toLowerCase(Locale.ROOT) + "." + property;
                }
            }
        }
        return null;
    }

    private static String variable(String property) {
        return property.toUpperCase(Locale.ROOT).replaceAll("[^A-Z0-9]", "_");
    }

    private void check(String name, Set<String> usedByRoutes) {
        Matcher engine = ENGINE_PROPERTY.matcher(name);
        String inEngine = engine.matches() ? engine.group(2) : null;
        boolean known = inEngine != null
                ? ENGINE.contains(inEngine) || HEADER.matcher(inEngine).matches()
                : KNOWN.contains(name) || usedByRoutes.contains(name) || name.startsWith("camel.");
        if (!known) {
            List<String> candidates = new ArrayList<>(KNOWN);
            candidates.addAll(usedByRoutes);
            for (String each : engines().isEmpty() ? Set.of("default") : engines()) {
                ENGINE.forEach(property -> candidates.add("engine." + each + "." + property));
            }
            throw file.unknown(name, candidates);
        }
    }

    private String withSecrets(String name, String value, Map<String, String> environment) {
        return SECRET.matcher(value).replaceAll(match -> {
            String secret = environment.get(match.group(1));
            if (secret == null || secret.isBlank()) {
                String nearest = PropertyFile.nearest(match.group(1), environment.keySet(), 0.9);
                throw new ConfigException(where(name) + ": " + name + " wants the environment variable "
                        + match.group(1) + ", which is not set."
                        + (nearest == null ? "" : " Did you mean " + nearest + ", which is?")
                        + " Set it and start again.");
            }
            return Matcher.quoteReplacement(secret.strip());
        });
    }

    /** A secret that is written as some other program would have it: it would be sent as it stands. */
    void checkWritten(String name) {
        Matcher other = FOREIGN.matcher(values.getOrDefault(name, ""));
        if (other.matches()) {
            throw new ConfigException(where(name) + ": " + name + " is \"" + other.group()
                    + "\", which would be sent as it" + " stands. Write {{env:" + other.group(1) + "}}.");
        }
    }

    /** The names of all engines that any property speaks of. */
    Set<String> engines() {
        Set<String> names = new TreeSet<>();
        for (String property : values.keySet()) {
            Matcher matcher = ENGINE_PROPERTY.matcher(property);
            if (matcher.matches()) {
                names.add(matcher.group(1));
            }
        }
        return names;
    }

    Values values() {
        return new Values(values::get, this::where, problems);
    }

    /** A property that may be set to nothing, which is not the same as leaving it out. */
    String orDefault(String name, String otherwise) {
        return values.getOrDefault(name, otherwise);
    }

    /** All properties below a prefix, by the rest of their names. */
    Map<String, String> below(String prefix) {
        Map<String, String> found = new TreeMap<>();
        values.forEach((name, value) -> {
            if (name.startsWith(prefix)) {
                found.put(name.substring(prefix.length()), value);
            }
        });
        return found;
    }

    /** Everything but the engines and the token of the page, secrets that no route needs. */
    Map<String, String> plain() {
        Map<String, String> plain = new TreeMap<>(values);
        plain.keySet().removeIf(name -> name.startsWith("engine.") || name.equals("http.token"));
        return plain;
    }

    String where(String name) {
        return overridden.getOrDefault(name, file.where(name));
    }
}
