package dev.oncebox.config;

import java.nio.file.Path;
import java.util.regex.Pattern;

/** Where the ledger is: one file for one worker at a time, or a database server's for any number of nodes. */
public sealed interface LedgerUrl {

    /** For people; nothing secret in it. */
    String name();

    /** A file of SQLite's. */
    record SqliteFile(Path file) implements LedgerUrl {
        @Override
        public String name() {
            return file.toString();
        }
    }

    /**
     * A database of a PostgreSQL server.
     *
     * @param url {@code jdbc:postgresql://HOST[:PORT]/DATABASE[?…]}; its parameters may hold a password
     */
    record PostgresDatabase(String url) implements LedgerUrl {
        @Override
        public String name() {
            return shown(url);
        }

        @Override
        public String toString() {
            return name();
        }
    }

    /**
     * Reads a JDBC address.
     *
     * @param root what the path of a file is relative to
     * @throws IllegalArgumentException whose message says what it must be
     */
    static LedgerUrl parse(String url, Path root) {
        String file = url.startsWith(Shapes.SQLITE) ? url.substring(Shapes.SQLITE.length()) : "";
        if (!file.isEmpty() && !file.contains(":memory:") && !file.contains("?")) {
            return new SqliteFile(root.resolve(file).normalize());
        }
        if (Shapes.POSTGRES_WITH_USER.matcher(url).lookingAt()) {
            throw new IllegalArgumentException(
                    "has a user before the host, which its driver takes for a part of the host's name. Write"
                            + " jdbc:postgresql://HOST/DATABASE?user=NAME&password={{env:NAME_OF_A_VARIABLE}}.");
        }
        if (Shapes.POSTGRES.matcher(url).matches()) {
            return new PostgresDatabase(url);
        }
        throw new IllegalArgumentException("is \"" + shown(url)
                + "\", but must be jdbc:sqlite:FILE, such as jdbc:sqlite:data/ledger.db, or"
                + " jdbc:postgresql://HOST[:PORT]/DATABASE[?user=…].");
    }

    private static String shown(String url) {
        int parameters = url.indexOf('?');
        return parameters < 0 ? url : url.substring(0, parameters);
    }

    /** What the addresses look like. */
    final class Shapes {
        private static final String SQLITE = "jdbc:sqlite:";
        private static final Pattern POSTGRES_WITH_USER = Pattern.compile("jdbc:postgresql://[^/?]*@");
        private static final Pattern POSTGRES = Pattern.compile("jdbc:postgresql://[^/?\\s]*/[^/?\\s]+(\\?\\S*)?");

        private Shapes() {}
    }
}
