package dev.oncebox.cli;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.oncebox.config.ConfigException;
import dev.oncebox.config.Settings;
import dev.oncebox.runtime.AskReply;
import dev.oncebox.runtime.AskedFile;
import dev.oncebox.runtime.Asking;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

/**
 * {@code oncebox ask}: one file, for cron and scripts. Exit code 1 lets a script take another way, which costs again; so
 * whatever is not known to have failed for good has another one.
 */
@Command(
        name = "ask",
        description = {
            "The answer to one file, for cron and scripts: its path on standard output, everything else on standard"
                    + " error. The file stays where it is.",
            "May be repeated by anything at any time: nothing is sent twice. Works beside a running runtime or without."
        },
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Exit codes: 0 the answer is in the outbox; 42 queued: sent, or accepted for sending, ask again later;",
            "3 still processing; 1 failed for good, use another way; 2 wrong usage or configuration;",
            "129, 130, 143 stopped by a signal: ask again."
        })
final class AskCommand implements Callable<Integer> {

    private static final Logger LOG = LoggerFactory.getLogger(AskCommand.class);
    private static final String USAGE_CODE = "usage";
    private static final int SIGNALLED = 128;

    @ParentCommand
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private OnceboxCommand parent;

    @Option(
            names = "--job",
            paramLabel = "J",
            description = "The job. Default: default, or the one in whose folder of the inbox the file lies.")
    private @Nullable String job;

    @Option(
            names = "--wait",
            paramLabel = "T",
            description =
                    "How long to wait for the answer: 0s, 90s, 10m. Default: the timeouts of the job's first engine,"
                            + " and not for asynchronous ones. A call that is under way is finished.")
    private @Nullable Duration wait;

    @Option(names = "--json", description = "One JSON object instead of the path, whatever the exit code.")
    private boolean json;

    @Parameters(index = "0", paramLabel = "FILE", description = "The file, wherever it is.")
    private Path file = Path.of("");

    /** @param asked null: not even that is known */
    private record Outcome(
            int exit, AskReply reply, @Nullable AskedFile asked) {}

    @Override
    public Integer call() {
        PrintStream out = System.out;
        // whatever a route or a library says is not the answer
        System.setOut(System.err);
        try {
            Outcome outcome = ask();
            say(outcome, out);
            return outcome.exit();
        } finally {
            out.flush();
            System.setOut(out);
        }
    }

    private Outcome ask() {
        AskedFile asked = null;
        try {
            Settings settings = parent.settings();
            asked = AskedFile.of(settings, file, job);
            Asking.End end = new Asking(settings, asked, wait).ask();
            int exit = end.signal() == 0 ? end.reply().status().exit() : SIGNALLED + end.signal();
            return new Outcome(exit, end.reply(), asked);
        } catch (ConfigException e) {
            return new Outcome(
                    OnceboxCommand.USAGE,
                    new AskReply(AskReply.Status.FAILED, null, null, USAGE_CODE, e.getMessage()),
                    asked);
        } catch (RuntimeException | Error e) {
            LOG.error("Unexpected failure", e);
            AskReply reply = AskReply.unclear("unexpected", "Unexpected failure: " + e);
            return new Outcome(reply.status().exit(), reply, asked);
        }
    }

    private void say(Outcome outcome, PrintStream out) {
        AskReply reply = outcome.reply();
        if (reply.message() != null) {
            System.err.println("oncebox: " + reply.message()
                    + (reply.code() == null || reply.code().equals(USAGE_CODE) ? "" : " (" + reply.code() + ")"));
        }
        if (json) {
            out.println(json(outcome));
        } else if (outcome.exit() == OnceboxCommand.DONE) {
            out.println(reply.answer());
        }
    }

    private String json(Outcome outcome) {
        AskReply reply = outcome.reply();
        AskedFile asked = outcome.asked();
        ObjectNode object = JsonNodeFactory.instance.objectNode();
        object.put("status", reply.status().name().toLowerCase(Locale.ROOT));
        object.put("exit", outcome.exit());
        object.put("file", (asked == null ? file.toAbsolutePath().normalize() : asked.file()).toString());
        object.put("job", asked == null ? job : asked.job().name());
        object.put("key", reply.shown() == null ? null : reply.shown().key());
        object.put("answer", reply.answer() == null ? null : reply.answer().toString());
        object.put("url", reply.shown() == null ? null : reply.shown().remote());
        object.put("engine", reply.shown() == null ? null : reply.shown().engine());
        object.put("code", reply.code());
        object.put("message", reply.message());
        return object.toString();
    }
}
