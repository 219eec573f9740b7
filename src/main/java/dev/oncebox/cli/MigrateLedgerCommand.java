package dev.oncebox.cli;

import dev.oncebox.config.ConfigException;
import dev.oncebox.config.LedgerUrl;
import dev.oncebox.runtime.Migration;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** {@code oncebox migrate-ledger}: from a file of SQLite's into a database of PostgreSQL's. */
@Command(
        name = "migrate-ledger",
        description = {
            "Copies a ledger of SQLite's into an empty database of PostgreSQL's, compares the two by counts and sums, and"
                    + " puts the file aside as FILE.moved. Stop the runtime first; then set ledger.url and start.",
            "{{env:NAME}} in an address stands for a variable of the environment, such as a password."
        },
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "May be killed at any moment and repeated, and goes on where it was. Exit codes: 0 done; 1 failed; 2 wrong usage"
                    + " or configuration."
        })
final class MigrateLedgerCommand implements Callable<Integer> {

    private static final Pattern VARIABLE = Pattern.compile("\\{\\{env:([A-Za-z_][A-Za-z0-9_]*)}}");

    @ParentCommand
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private OnceboxCommand parent;

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Parameters(index = "0", paramLabel = "FROM", description = "jdbc:sqlite:FILE, below the home or an absolute path.")
    private String from = "";

    @Parameters(index = "1", paramLabel = "TO", description = "jdbc:postgresql://HOST/DATABASE?user=…")
    private String to = "";

    @Override
    public Integer call() {
        Path root = parent.home().root();
        PrintWriter out = spec.commandLine().getOut();
        Migration.End end = new Migration(url(from, root), url(to, root)).run((table, rows) -> {
            out.printf("%-10s%d rows%n", table, rows);
            out.flush();
        });
        out.println("Compared and equal: " + end.tables().size() + " tables. The file is now " + end.left()
                + "; set ledger.url and start.");
        out.flush();
        return OnceboxCommand.DONE;
    }

    private static LedgerUrl url(String text, Path root) {
        Matcher variables = VARIABLE.matcher(text);
        String filled = variables.replaceAll(match -> {
            String value = System.getenv(match.group(1));
            if (value == null) {
                throw new ConfigException("The environment variable " + match.group(1) + " is not set.");
            }
            return Matcher.quoteReplacement(value);
        });
        try {
            return LedgerUrl.parse(filled, root);
        } catch (IllegalArgumentException e) {
            throw new ConfigException("An address " + e.getMessage());
        }
    }
}
