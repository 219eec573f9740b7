package dev.oncebox.config;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The properties that route files use as {@code {{name}}}: an integrator's own settings are known by their use. */
final class RoutePlaceholders {

    /** The parameters of a template are no properties. */
    private static final Pattern PARAMETER = Pattern.compile("(?m)^ +- name: (\\S+)$");

    private static final Pattern PLACEHOLDER = Pattern.compile("\\{\\{\\??([A-Za-z0-9._-]+)(:[^}]*)?}}");

    private RoutePlaceholders() {}

    static Set<String> usedIn(Path routes) {
        Set<String> names = new TreeSet<>();
        if (!Files.isDirectory(routes)) {
            return names;
        }
        try (Stream<Path> files = Files.walk(routes)) {
            for (Path file : files.filter(f -> f.toString().endsWith(".yaml")).toList()) {
                String text = new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
                Set<String> used = names(PLACEHOLDER, text);
                if (text.contains("routeTemplate:")) {
                    used.removeAll(names(PARAMETER, text));
                }
                names.addAll(used);
            }
        } catch (IOException | UncheckedIOException e) {
            throw new ConfigException(routes + " cannot be read: " + e.getMessage());
        }
        return names;
    }

    private static Set<String> names(Pattern pattern, String text) {
        return pattern.matcher(text).results().map(match -> match.group(1)).collect(Collectors.toSet());
    }
}
