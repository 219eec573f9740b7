package dev.oncebox.runtime;

import dev.oncebox.runtime.RouteText.Key;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.nodes.Node;

/**
 * What every route file keeps to, the distribution's and an integrator's, so that the next one is found as the last was.
 * Looks at the text alone; what Camel makes of it, {@link RouteFiles} sees.
 */
public final class RouteConventions {

    private static final Set<String> NAMED = Set.of("route", "routeTemplate", "templatedRoute");
    private static final Set<String> DESCRIBED = Set.of("route", "routeTemplate", "routeConfiguration");
    private static final Set<String> LANGUAGES =
            Set.of("simple", "constant", "method", "header", "jsonpath", "jq", "variable", "exchangeProperty");
    private static final Set<String> HOLDS_AN_EXPRESSION =
            Set.of("expression", "onWhen", "handled", "continued", "correlationExpression", "completionPredicate");
    private static final Set<String> NO_EXPRESSION_BELOW = Set.of("bean", "parameters", "method");
    private static final Set<String> FREE_TEXT = Set.of("description", "expression", "precondition", "message");
    /** Numbers that are no setting: what they mean is in the name, and nobody would want another. */
    private static final Map<String, String> NUMBERS = Map.of("initialDelay", "0");

    private static final Pattern PLACEHOLDER = Pattern.compile("\\{\\{\\??([A-Za-z0-9._-]+)(:[^}]*)?}}");
    private static final Pattern HOST = Pattern.compile("//[^{/]|\\b\\d{1,3}(\\.\\d{1,3}){3}\\b|\\blocalhost\\b");
    private static final Pattern PATH = Pattern.compile("^(file:(//)?)?/.*");
    private static final Pattern NUMBER = Pattern.compile("\\d+(ms|s|m|h)?");
    private static final Pattern OPTION = Pattern.compile("[?&]([^=&]+)=([^&]*)");

    private final Set<String> properties;
    private final List<RouteText> files;
    private final List<String> complaints = new ArrayList<>();
    private final Map<String, Template> templates = new HashMap<>();

    /** Parameters of a template, and which of them have no default. */
    private record Template(Set<String> parameters, Set<String> required) {}

    private RouteConventions(List<RouteText> files, Set<String> properties) {
        this.files = files;
        this.properties = properties;
    }

    /**
     * Looks through all route files of a folder.
     *
     * @param properties those that have a value
     * @return what does not keep to the conventions, each with file, line, key and what to do; none: all is well
     */
    public static List<String> complaints(Path folder, Set<String> properties) {
        List<RouteText> files = new RouteFiles(folder, true)
                .files().stream()
                        .flatMap(file -> RouteText.read(folder, file).stream())
                        .toList();
        return new RouteConventions(files, properties).look();
    }

    private List<String> look() {
        each((file, key) -> {
            if (key.isTop() && key.name().equals("routeTemplate")) {
                templates.put(String.valueOf(key.text("id")), template(key));
            }
        });
        files.forEach(this::lookAtIds);
        each(this::lookAtDescription);
        each(this::lookAtErrorHandling);
        each(this::lookAtParameters);
        each(this::lookAtPlaceholders);
        each(this::lookAtForm);
        each(this::lookAtLiterals);
        return complaints;
    }

    private void each(BiConsumer<RouteText, Key> look) {
        files.forEach(file -> file.keys().forEach(key -> look.accept(file, key)));
    }

    private void complain(RouteText file, Key key, String what) {
        complain(file, key.line(), key.name(), what);
    }

    private void complain(RouteText file, int line, String key, String what) {
        complaints.add(file.file() + ":" + line + ": " + key + ": " + what);
    }

    private static @Nullable String idOf(Key route) {
        return route.text(route.name().equals("templatedRoute") ? "routeId" : "id");
    }

    private void lookAtIds(RouteText file) {
        boolean first = true;
        for (Key key : file.keys()) {
            if (key.isTop() && NAMED.contains(key.name())) {
                String id = idOf(key);
                boolean named = id != null && (id.equals(file.stem()) || (!first && id.startsWith(file.stem() + "-")));
                if (!named) {
                    complain(
                            file,
                            key,
                            (id == null ? "it has no id." : "its id is " + id + ".") + " Call it " + file.stem()
                                    + (first ? "," : "-…,")
                                    + " as the file is, so that a name in the log leads to the file.");
                }
                first = false;
            }
        }
    }

    private void lookAtDescription(RouteText file, Key key) {
        boolean described = key.text("description") != null;
        if (key.isTop() && DESCRIBED.contains(key.name()) && !described) {
            complain(file, key, "it has no description. Say in one line which pattern it is and what it does.");
        }
        if (key.isTop() && key.name().equals("routeTemplate")) {
            for (Node parameter : key.list("parameters")) {
                if (RouteText.text(parameter, "description") == null) {
                    complain(
                            file,
                            RouteText.line(parameter),
                            String.valueOf(RouteText.text(parameter, "name")),
                            "the parameter has no description. Say what it is for.");
                }
            }
        }
    }

    private void lookAtErrorHandling(RouteText file, Key key) {
        if (key.isTop() && key.name().equals("routeConfiguration") && key.text("id") != null) {
            complain(
                    file,
                    key,
                    "a configuration with an id covers only the routes that name it. Remove the id, so that failures of"
                            + " every route are handled.");
        }
        if (Set.of("errorHandler", "doTry").contains(key.name())
                || (key.name().equals("onException") && !key.above().contains("routeConfiguration"))) {
            complain(
                    file,
                    key,
                    "a route of its own rules hides what went wrong from its source and from the ledger. Remove it, and"
                            + " put what it does into on-failure.camel.yaml.");
        }
        if (Set.of("redeliveryPolicy", "maximumRedeliveries", "retryWhile").contains(key.name())) {
            complain(
                    file,
                    key,
                    "a repetition within a route may be a second payment, and is lost when the process ends. Remove it:"
                            + " the ledger repeats what may be repeated.");
        }
    }

    private static Template template(Key template) {
        Set<String> parameters = new TreeSet<>();
        Set<String> required = new TreeSet<>();
        for (Node parameter : template.list("parameters")) {
            String name = String.valueOf(RouteText.text(parameter, "name"));
            parameters.add(name);
            if (RouteText.text(parameter, "defaultValue") == null
                    && !"false".equals(RouteText.text(parameter, "required"))) {
                required.add(name);
            }
        }
        return new Template(parameters, required);
    }

    private void lookAtParameters(RouteText file, Key key) {
        if (!key.isTop() || !key.name().equals("templatedRoute")) {
            return;
        }
        String name = key.text("routeTemplateRef");
        Template template = templates.get(name);
        if (template == null) {
            complain(
                    file,
                    key,
                    "there is no template " + name + ". Correct routeTemplateRef; there are "
                            + new TreeSet<>(templates.keySet()) + ".");
            return;
        }
        Set<String> missing = new TreeSet<>(template.required());
        for (Node parameter : key.list("parameters")) {
            String given = String.valueOf(RouteText.text(parameter, "name"));
            missing.remove(given);
            if (!template.parameters().contains(given)) {
                complain(
                        file,
                        RouteText.line(parameter),
                        given,
                        "the template " + name + " has no such parameter. Correct or remove it; there are "
                                + template.parameters() + ".");
            }
        }
        if (!missing.isEmpty()) {
            complain(file, key, "the template " + name + " wants " + missing + " as well. Add it to the parameters.");
        }
    }

    private void lookAtPlaceholders(RouteText file, Key key) {
        if (key.isTop() && key.name().equals("routeTemplate")) {
            Template template = template(key);
            Set<String> used = new HashSet<>();
            file.keys().stream()
                    .filter(each -> !each.above().contains("parameters")
                            || !each.above().get(1).equals("parameters"))
                    .forEach(each -> placeholders(each).forEach((name, fallback) -> used.add(name)));
            for (Node parameter : key.list("parameters")) {
                String name = String.valueOf(RouteText.text(parameter, "name"));
                if (!used.contains(name)) {
                    complain(
                            file,
                            RouteText.line(parameter),
                            name,
                            "nothing uses the parameter. Use it as {{" + name + "}}, or remove it.");
                }
            }
            for (Key each : file.keys()) {
                complainOfUnset(file, each, template.parameters());
            }
        } else if (file.keys().stream()
                        .noneMatch(each -> each.isTop() && each.name().equals("routeTemplate"))
                && !isOff(file)) {
            complainOfUnset(file, key, Set.of());
        }
    }

    /** A route that is not made wants no properties. */
    private boolean isOff(RouteText file) {
        return file.keys().stream()
                .filter(key -> key.isTop() && key.name().equals("templatedRoute"))
                .flatMap(key -> key.list("parameters").stream())
                .filter(parameter -> "enabled".equals(RouteText.text(parameter, "name")))
                .map(parameter -> PLACEHOLDER.matcher(String.valueOf(RouteText.text(parameter, "value"))))
                .anyMatch(switchedBy -> switchedBy.matches() && !properties.contains(switchedBy.group(1)));
    }

    private void complainOfUnset(RouteText file, Key key, Set<String> parameters) {
        placeholders(key).forEach((name, hasDefault) -> {
            if (!hasDefault && !parameters.contains(name) && !properties.contains(name)) {
                complain(
                        file,
                        key,
                        "{{" + name + "}} has no value. Set " + name + " in application.properties, or write {{" + name
                                + ":…}} with what it is otherwise.");
            }
        });
    }

    /** The names in a key's text, and whether each says what it is when it is not set. */
    private static Map<String, Boolean> placeholders(Key key) {
        Map<String, Boolean> names = new HashMap<>();
        String text = key.text();
        if (text != null && !key.name().equals("description")) {
            Matcher matcher = PLACEHOLDER.matcher(text);
            while (matcher.find()) {
                boolean optional = matcher.group(2) != null || matcher.group().startsWith("{{?");
                names.put(matcher.group(1), optional);
            }
        }
        return names;
    }

    private void lookAtForm(RouteText file, Key key) {
        boolean step = key.parent().equals("steps") || (Set.of("from", "route").contains(key.name()));
        if (step && !key.isMapping()) {
            complain(
                    file,
                    key,
                    "this is a shorthand, which editors of routes do not keep. Write its options below it, such as uri: …"
                            + " in a line of its own.");
        }
        boolean language = LANGUAGES.contains(key.name()) && !NO_EXPRESSION_BELOW.contains(key.parent());
        if (language && (!key.isMapping() || !HOLDS_AN_EXPRESSION.contains(key.parent()))) {
            complain(
                    file,
                    key,
                    "this is a shorthand, which editors of routes do not keep. Write expression:, below it "
                            + key.name() + ":, and below that expression: with the text.");
        }
        if (key.name().equals("uri") && key.text() != null && key.text().matches(".*[?&].*")) {
            complain(file, key, "options stand below parameters, one in a line. Move them there.");
        }
    }

    private void lookAtLiterals(RouteText file, Key key) {
        String text = key.text();
        if (text == null || FREE_TEXT.contains(key.name()) || text.equals(NUMBERS.get(key.name()))) {
            return;
        }
        boolean served = key.name().equals("path") && key.parent().equals("parameters");
        if (HOST.matcher(text).find() || (PATH.matcher(text).matches() && !served)) {
            complain(file, key, "\"" + text + "\" " + literal("a host or a path"));
        } else if (key.isNumber() || NUMBER.matcher(text).matches()) {
            complain(file, key, text + " " + literal("a number"));
        } else {
            Matcher options = OPTION.matcher(text);
            while (options.find()) {
                if (NUMBER.matcher(options.group(2)).matches()
                        && !options.group(2).equals(NUMBERS.get(options.group(1)))) {
                    complain(file, key, options.group(1) + "=" + options.group(2) + " " + literal("a number"));
                }
            }
        }
    }

    private static String literal(String what) {
        return "is " + what
                + " that another place or another day wants otherwise. Name it in application.properties, and"
                + " write {{its name}} here.";
    }
}
