package dev.oncebox.runtime;

import dev.oncebox.config.ConfigException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.camel.CamelContext;
import org.apache.camel.Endpoint;
import org.apache.camel.component.http.HttpEndpoint;
import org.apache.camel.model.ModelCamelContext;
import org.apache.camel.model.RouteDefinition;
import org.apache.camel.spi.Resource;
import org.apache.camel.support.PluginHelper;
import org.apache.camel.support.ResourceHelper;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;

/** The route files of a home: loads them, and refuses what Camel would take silently. */
final class RouteFiles {

    private static final Pattern LINE = Pattern.compile("line:? (\\d+)");
    /** How Camel says that it has no component for an address, and which route that is in. */
    private static final Pattern MISSING =
            Pattern.compile("(?:No endpoint could be found for: |cannot find component with name )([a-z0-9-]+)");

    private static final Pattern ROUTE = Pattern.compile("Failed to create route:? (\\S+)");

    /** What answers the page. Read by every start, it would cost each a tenth of a second. */
    private static final String OPERATE = "operate";

    private final Path folder;
    private final boolean isPageServed;

    RouteFiles(Path folder, boolean isPageServed) {
        this.folder = folder;
        this.isPageServed = isPageServed;
    }

    /** Loads every {@code *.camel.yaml} below the folder, those in {@code operate/} with a page; the context is not started yet. */
    void load(CamelContext context) {
        List<Path> files = files();
        if (files.isEmpty()) {
            throw new ConfigException("There are no routes: " + folder + " has no file ending in .camel.yaml."
                    + " Copy the routes/ of the distribution there, or remove the folder to use them as they are.");
        }
        List<Resource> resources = new ArrayList<>();
        for (Path file : files) {
            checkSyntax(file);
            resources.add(ResourceHelper.resolveResource(context, "file:" + file));
        }
        try {
            // in one go: a route takes only those configurations along that are loaded before it
            PluginHelper.getRoutesLoader(context).loadRoutes(resources);
        } catch (Exception e) {
            throw refusal(files, e);
        }
    }

    /** Its route files, sorted. */
    List<Path> files() {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(file -> file.toString().endsWith(".camel.yaml"))
                    .filter(file -> isPageServed || !file.startsWith(folder.resolve(OPERATE)))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new ConfigException(folder + " cannot be read: " + e);
        }
    }

    private static void checkSyntax(Path file) {
        try {
            new Load(LoadSettings.builder().setAllowDuplicateKeys(false).build())
                    .loadFromString(Files.readString(file));
        } catch (MarkedYamlEngineException e) {
            String line =
                    e.getProblemMark().map(mark -> ":" + (mark.getLine() + 1)).orElse("");
            throw new ConfigException(file + line + ": broken YAML: " + e.getProblem() + ".");
        } catch (YamlEngineException | IOException e) {
            throw new ConfigException(file + ": cannot be read: " + e.getMessage());
        }
    }

    /** The deepest cause that says something, with the file and the line if any of them names one. */
    private ConfigException refusal(List<Path> files, Throwable failure) {
        String why = failure.toString();
        String line = "";
        Path where = folder;
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            String message = String.valueOf(cause.getMessage());
            Matcher matcher = LINE.matcher(message);
            if (line.isEmpty() && matcher.find()) {
                line = ":" + matcher.group(1);
            }
            for (Path file : files) {
                where = message.contains(file.getFileName().toString()) ? file : where;
            }
            why = cause.getMessage() == null ? why : message;
        }
        return new ConfigException(where + line + ": " + why.lines().collect(Collectors.joining(" ")));
    }

    /**
     * Without error handling a failed file would count as done, and a failed call as never made. Looks at what Camel
     * really applied: a misspelt configuration's name is silently no configuration.
     */
    static void checkErrorHandling(CamelContext context) {
        for (RouteDefinition route : ((ModelCamelContext) context).getRouteDefinitions()) {
            if (route.getAppliedRouteConfigurationIds() == null
                    || route.getAppliedRouteConfigurationIds().isEmpty()) {
                String wanted = route.getRouteConfigurationId();
                throw new ConfigException("Route " + route.getRouteId() + " has no error handling: "
                        + (wanted == null
                                ? "no file has a routeConfiguration without an id, as on-failure.camel.yaml of the"
                                        + " distribution is."
                                : "there is no routeConfiguration \"" + wanted + "\". Correct its routeConfigurationId"
                                        + " or leave it out."));
            }
        }
    }

    /**
     * The HTTP components send options that they do not know on to the server, so that a misspelt one is silent.
     *
     * @param engines the endpoints whose own query is meant for the server
     */
    static void checkHttpOptions(CamelContext context, List<Endpoint> engines) {
        List<String> unknown = new ArrayList<>();
        for (Endpoint endpoint : context.getEndpoints()) {
            if (endpoint instanceof HttpEndpoint http
                    && !engines.contains(endpoint)
                    && http.getHttpUri().getRawQuery() != null) {
                unknown.add(
                        http.getHttpUri().getPath() + "?" + http.getHttpUri().getRawQuery());
            }
        }
        if (!unknown.isEmpty()) {
            throw new ConfigException("A route uses an HTTP endpoint with unknown parameters: " + unknown
                    + ". Correct the option's name. What is meant for the server goes into the header CamelHttpQuery.");
        }
    }

    /** Turns a failure of Camel's start into a sentence. */
    static ConfigException startFailure(Throwable failure) {
        Map<Boolean, List<String>> messages = Stream.iterate(failure, cause -> cause != null, Throwable::getCause)
                .map(cause -> String.valueOf(cause.getMessage()))
                .collect(Collectors.partitioningBy(message -> message.startsWith("Failed to create route")
                        || message.contains("endpoint://")
                        || message.contains("Failed to resolve endpoint")));
        List<String> plain = messages.getOrDefault(false, List.of());
        List<String> framed = messages.getOrDefault(true, List.of());
        String where = framed.isEmpty() ? "" : framed.get(0).lines().findFirst().orElse("");
        String why = plain.isEmpty() ? "" : plain.get(plain.size() - 1);
        Matcher missing = MISSING.matcher(framed + why);
        if (missing.find()) {
            Matcher route = ROUTE.matcher(framed + why);
            return new ConfigException(
                    "The routes cannot be started. " + (route.find() ? route.group(1) : "application.properties")
                            + " wants Camel's component " + missing.group(1)
                            + ", which is not on the class path. Put its jars into"
                            + " lib/ext; lib/ext/README.txt says how.");
        }
        return new ConfigException(
                "The routes cannot be started. " + where + (where.isEmpty() ? "" : ": ") + why, failure);
    }
}
