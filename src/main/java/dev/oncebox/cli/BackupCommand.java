package dev.oncebox.cli;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.oncebox.config.LedgerUrl;
import dev.oncebox.progress.Progress;
import dev.oncebox.progress.Unit;
import dev.oncebox.runtime.Backup;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Clock;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** {@code oncebox backup}: a copy of the ledger, also while a runtime works on it. */
@Command(
        name = "backup",
        description = {
            "Copies the ledger, as of one moment and checked, into a file that is not there yet. Works beside a running"
                    + " runtime, which goes on sending.",
            "To restore it: stop the runtime, put the file in place of the ledger, remove the ledger's -wal and -shm, start."
                    + " What was sent after the backup it does not know; calls that waited then are held."
        },
        mixinStandardHelpOptions = true,
        footer = {"", "Exit codes: 0 done; 1 the copy failed, and there is none; 2 wrong usage or configuration."})
final class BackupCommand implements Callable<Integer> {

    @ParentCommand
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private OnceboxCommand parent;

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Option(names = "--json", description = "One JSON object, for programs.")
    private boolean json;

    @Parameters(index = "0", paramLabel = "FILE", description = "The file to make, in a folder that exists.")
    private Path file = Path.of("");

    @Override
    public Integer call() {
        LedgerUrl ledger = parent.settings().ledger();
        Backup.Made made;
        try (Progress progress = parent.progress("backup", Unit.MEGABYTES)) {
            made = new Backup(ledger, Clock.systemUTC(), progress).make(file);
        }
        PrintWriter out = spec.commandLine().getOut();
        out.println(json ? json(made) : text(made));
        out.flush();
        return OnceboxCommand.DONE;
    }

    private static String text(Backup.Made made) {
        return made.file() + ": " + PurgeCommand.size(made.bytes()) + ", "
                + made.counts().files() + " files, " + made.counts().calls() + " calls, "
                + made.counts().sends() + " sends";
    }

    private static String json(Backup.Made made) {
        ObjectNode object = JsonNodeFactory.instance.objectNode();
        object.put("file", made.file().toString());
        object.put("bytes", made.bytes());
        object.put("files", made.counts().files());
        object.put("calls", made.counts().calls());
        object.put("sent", made.counts().sends());
        return object.toString();
    }
}
