package dev.oncebox.cli;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.oncebox.ledger.sql.SqlRetention.Dropped;
import dev.oncebox.runtime.Purge;
import java.io.PrintWriter;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** {@code oncebox purge}: drops the bodies of what was delivered long ago. */
@Command(
        name = "purge",
        description = {
            "Drops requests, answers and replies of calls that were delivered long ago from the ledger. Keys, states, usage,"
                    + " costs and the journal stay, and the files in the outbox.",
            "Who asks for a purged answer again gets the error answer_purged, and nothing is paid again unless a person"
                    + " says so: oncebox dead retry KEY.",
            "Works beside a running runtime; the ledger is made smaller when none runs."
        },
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "May be killed at any moment and repeated. Exit codes: 0 done; 1 failed; 2 wrong usage or configuration."
        })
final class PurgeCommand implements Callable<Integer> {

    private static final String[] UNITS = {"KB", "MB", "GB", "TB"};

    @ParentCommand
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private OnceboxCommand parent;

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Option(
            names = "--older-than",
            required = true,
            paramLabel = "T",
            description = "What had its end, and was delivered, longer ago than that: 30d, 24h, 90m; at most 366d.")
    private Duration olderThan = Duration.ZERO;

    @Option(names = "--dry-run", description = "Says what would be dropped, and changes nothing.")
    private boolean dryRun;

    @Option(names = "--json", description = "One JSON object, for programs.")
    private boolean json;

    @Override
    public Integer call() {
        Clock clock = Clock.systemUTC();
        var purge = new Purge(parent.settings().ledger(), clock);
        long before = clock.millis() - olderThan.toMillis();
        Purge.End end = dryRun ? purge.count(before) : purge.run(before);
        PrintWriter out = spec.commandLine().getOut();
        out.print(json ? json(end) : text(end));
        out.flush();
        return OnceboxCommand.DONE;
    }

    private String text(Purge.End end) {
        Dropped dropped = end.dropped();
        String table = dropped.rows() == 0 ? "" : " and " + dropped.rows() + " rows of tables";
        String first = line(
                dryRun ? "to drop" : "dropped",
                size(dropped.bytes()) + ": the bodies of " + dropped.calls() + " calls" + table
                        + " that were delivered before " + Instant.ofEpochMilli(end.before()));
        String sizes =
                dryRun ? size(end.sizeAfter()) : size(end.sizeBefore()) + " before, " + size(end.sizeAfter()) + " now";
        String free = end.free() == 0 ? "" : ", " + size(end.free()) + " of it free";
        String remark = end.remark() == null ? "" : ". " + end.remark();
        return first + line("ledger", sizes + free + remark);
    }

    private static String line(String label, String value) {
        return String.format("%-10s%s%n", label, value);
    }

    static String size(long bytes) {
        double size = bytes;
        int unit = -1;
        while (size >= 1024 && unit < UNITS.length - 1) {
            size /= 1024;
            unit++;
        }
        return unit < 0 ? bytes + " bytes" : String.format(Locale.ROOT, "%.1f %s", size, UNITS[unit]);
    }

    private String json(Purge.End end) {
        ObjectNode object = JsonNodeFactory.instance.objectNode();
        object.put("dryRun", dryRun);
        object.put("before", Instant.ofEpochMilli(end.before()).toString());
        object.put("calls", end.dropped().calls());
        object.put("rows", end.dropped().rows());
        object.put("bytes", end.dropped().bytes());
        object.putObject("ledger")
                .put("before", end.sizeBefore())
                .put("after", end.sizeAfter())
                .put("free", end.free());
        object.put("remark", end.remark());
        return object + System.lineSeparator();
    }
}
