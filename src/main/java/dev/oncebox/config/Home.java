package dev.oncebox.config;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The folder that holds inbox, outbox, ledger and configuration, and the distribution that fills in what it lacks.
 *
 * @param root the home folder
 * @param distribution where Oncebox itself is installed; has {@code routes/} and {@code config/}
 */
public record Home(Path root, Path distribution) {

    private static final Path PROPERTIES = Path.of("config", "application.properties");

    /**
     * Finds the home: the option, else {@code ONCEBOX_HOME}, else the current folder when it has
     * {@code config/application.properties}, else the distribution.
     */
    public static Home locate(@Nullable Path option, Map<String, String> environment) {
        Path distribution = distributionFolder();
        String variable = environment.get("ONCEBOX_HOME");
        Path current = Path.of("").toAbsolutePath();
        Path root;
        if (option != null) {
            root = option.toAbsolutePath().normalize();
        } else if (variable != null && !variable.isBlank()) {
            root = Path.of(variable).toAbsolutePath().normalize();
        } else if (Files.isRegularFile(current.resolve(PROPERTIES))) {
            root = current;
        } else {
            root = distribution;
        }
        return new Home(root, distribution);
    }

    private static Path distributionFolder() {
        return Path.of(System.getProperty("oncebox.dist", "")).toAbsolutePath().normalize();
    }

    /** The folder of route files: the home's, else the distribution's. */
    public Path routes() {
        return ownOrDistributed("routes");
    }

    /** The folder of configuration files: the home's, else the distribution's. */
    public Path config() {
        return ownOrDistributed("config");
    }

    public Path properties() {
        return config().resolve("application.properties");
    }

    public Path archive() {
        return root.resolve("archive");
    }

    public Path rejected() {
        return root.resolve("rejected");
    }

    public Path data() {
        return root.resolve("data");
    }

    private Path ownOrDistributed(String name) {
        Path own = root.resolve(name);
        return Files.isDirectory(own) ? own : distribution.resolve(name);
    }
}
