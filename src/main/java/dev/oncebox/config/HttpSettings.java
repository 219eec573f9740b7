package dev.oncebox.config;

import dev.oncebox.config.EngineSettings.Secret;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Where the page and its API are served, from {@code http.…} in {@code application.properties}.
 *
 * @param port 0: any that is free; null: nowhere
 * @param host the address that is bound
 * @param names further names under which it is asked for, in lower case, such as that of a proxy before it
 * @param token what changes are allowed with; null: one is made
 * @param observe who may read health and metrics, when it is bound beyond this machine
 * @param tls null: it speaks plain HTTP
 */
public record HttpSettings(
        @Nullable Integer port,
        String host,
        Set<String> names,
        @Nullable Secret token,
        Observe observe,
        @Nullable Tls tls) {

    /** The port of a page that is not served. */
    private static final String OFF = "off";

    static final HttpSettings NOWHERE = new HttpSettings(null, "127.0.0.1", Set.of(), null, Observe.TOKEN, null);

    private static final int SHORTEST_TOKEN = 16;
    private static final int HIGHEST_PORT = 65_535;

    /** Who may read health and metrics from another machine. */
    public enum Observe {
        /** Who has the token. */
        TOKEN,
        /** Everybody. */
        OPEN
    }

    /** The certificate with its chain, and its key, both in PEM. */
    public record Tls(Path certificate, Path key) {}

    static HttpSettings of(Home home, PropertySource source, Values values) {
        Set<String> names = new TreeSet<>();
        for (String name : values.text("http.names", "").split(",", -1)) {
            if (!name.isBlank()) {
                names.add(name.strip().toLowerCase(Locale.ROOT));
            }
        }
        String token = values.text("http.token");
        if (token != null && (token.length() < SHORTEST_TOKEN || !token.matches("[\\x21-\\x7e]+"))) {
            throw new ConfigException(source.where("http.token") + ": http.token must have at least " + SHORTEST_TOKEN
                    + " characters, ASCII without spaces. Make one with: openssl rand -hex 32");
        }
        return new HttpSettings(
                port(source, values),
                host(source, values),
                names,
                token == null ? null : new Secret(token),
                values.choice("http.observe", Observe.TOKEN),
                tls(home, source, values));
    }

    /** Whether it is served to this machine alone. */
    public boolean isLocal() {
        return address(host).isLoopbackAddress();
    }

    private static @Nullable Integer port(PropertySource source, Values values) {
        String text = values.text("http.port", OFF);
        if (text.equals(OFF)) {
            return null;
        }
        if (!text.matches("\\d{1,5}") || Integer.parseInt(text) > HIGHEST_PORT) {
            throw new ConfigException(source.where("http.port") + ": http.port is \"" + text
                    + "\", but must be off or a port from 0 to 65535, such as 8080.");
        }
        return Integer.valueOf(text);
    }

    private static String host(PropertySource source, Values values) {
        String host = values.text("http.host", "127.0.0.1");
        try {
            return InetAddress.getByName(host).getHostAddress();
        } catch (UnknownHostException e) {
            throw new ConfigException(source.where("http.host") + ": http.host is \"" + host
                    + "\", which is no address of this machine. Use 127.0.0.1, or 0.0.0.0 for all its addresses.");
        }
    }

    private static InetAddress address(String host) {
        try {
            return InetAddress.getByName(host);
        } catch (UnknownHostException e) {
            throw new IllegalStateException(e);
        }
    }

    private static @Nullable Tls tls(Home home, PropertySource source, Values values) {
        Path certificate = file("http.tls.certificate", home, source, values);
        Path key = file("http.tls.key", home, source, values);
        if (certificate == null && key == null) {
            return null;
        }
        if (certificate == null || key == null) {
            String one = certificate == null ? "http.tls.key" : "http.tls.certificate";
            throw new ConfigException(source.where(one) + ": " + one
                    + " stands alone. Set both http.tls.certificate and http.tls.key, PEM files.");
        }
        return new Tls(certificate, key);
    }

    private static @Nullable Path file(String property, Home home, PropertySource source, Values values) {
        String text = values.text(property);
        if (text == null) {
            return null;
        }
        Path file = home.root().resolve(text);
        if (!Files.isReadable(file)) {
            throw new ConfigException(source.where(property) + ": " + property + " is " + file
                    + ", which is not there or cannot be read. Set it to a PEM file.");
        }
        return file;
    }
}
