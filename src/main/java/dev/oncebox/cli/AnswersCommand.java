package dev.oncebox.cli;

import dev.oncebox.cli.OnceboxCommand.CommandFailed;
import dev.oncebox.ledger.Outcome;
import dev.oncebox.operate.Reports;
import dev.oncebox.outbox.AnswerLines;
import dev.oncebox.outbox.ReceiptLines;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Clock;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

/** {@code oncebox answers}: what a file has so far, before it is delivered as a whole. */
@Command(
        name = "answers",
        description = {
            "The answers that a file's items have so far, a line each as in the outbox, also while it waits for others.",
            "Reads the ledger alone; costs and changes nothing."
        },
        mixinStandardHelpOptions = true)
final class AnswersCommand implements Callable<Integer> {

    @ParentCommand
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private OnceboxCommand parent;

    @Parameters(index = "0", paramLabel = "FILE", description = "A file's path below the inbox, or its name.")
    private String file = "";

    @Option(
            names = "--receipt",
            description = "What each item caused instead: charged, engine, attempts, the provider's request id, tokens,"
                    + " cost. Items without an answer are listed as well.")
    private boolean receipt;

    @FunctionalInterface
    private interface Lines {
        void write(Outcome outcome) throws IOException;
    }

    @Override
    public Integer call() throws CommandFailed, IOException {
        if (receipt) {
            try (ReceiptLines lines = new ReceiptLines(System.out)) {
                return write(lines::write);
            }
        }
        try (AnswerLines lines = new AnswerLines(System.out)) {
            return write(lines::write);
        }
    }

    private int write(Lines lines) throws CommandFailed, IOException {
        try (Reports reports = Reports.open(parent.settings().ledger(), Clock.systemUTC())) {
            boolean found = reports.outcomes(file, outcome -> {
                try {
                    lines.write(outcome);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            if (!found) {
                throw new CommandFailed("No file \"" + file
                        + "\" was taken in. A file is named by its path below the inbox, such as default/b.md.");
            }
            return OnceboxCommand.DONE;
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }
}
