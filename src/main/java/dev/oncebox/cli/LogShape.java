package dev.oncebox.cli;

import dev.oncebox.config.Home;
import dev.oncebox.config.LogFormat;
import java.nio.file.Path;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.core.config.Configurator;

/**
 * The log as the home and the command line want it. It begins as text, since what is wrong with the configuration has to
 * be said somehow.
 */
record LogShape(LogFormat format, boolean quiet) {

    /** On a terminal a line of the log first takes a bar of progress away. To be said before anything is logged. */
    static void eraseBars() {
        if (System.getProperty("oncebox.columns") != null) {
            System.setProperty("oncebox.erase", "\r\u001b[K");
        }
    }

    void apply(Home home) {
        if (format == LogFormat.JSON) {
            Path json = home.distribution().resolve("config").resolve("log4j2-json.properties");
            Configurator.reconfigure(json.toUri());
        }
        if (quiet) {
            Configurator.setLevel("dev.oncebox", Level.WARN);
        }
    }
}
