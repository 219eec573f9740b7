package dev.oncebox.outbox;

import dev.oncebox.ledger.DroppedFile;
import dev.oncebox.ledger.SettledFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The answers to a file of many items, the errors if there are any, and the receipt. */
final class BatchDelivery extends Delivery {

    private static final Logger LOG = LoggerFactory.getLogger(BatchDelivery.class);

    private final Receipt receipt = new Receipt();
    private final SettledFile file;
    private final Part answersPart;
    private final ItemLines answers;
    private final Part receiptPart;
    private @Nullable Part errorsPart;
    private @Nullable ItemLines errors;

    private BatchDelivery(SettledFile file, OutputNames names, Path folder) throws IOException {
        super(names, folder);
        this.file = file;
        try {
            answersPart = begin(names.answer());
            receiptPart = begin(names.receipt());
            answers = switch (file.kind()) {
                case ARRAY -> JsonValues.array(out(answersPart));
                case TABLE -> new TableRows(file, out(answersPart));
                case OPENAI -> new OpenAiLines(file, out(answersPart));
                case LINES, TEXT, OBJECT -> JsonValues.lines(out(answersPart));
            };
        } catch (IOException | RuntimeException e) {
            close();
            throw e;
        }
    }

    static BatchDelivery begin(SettledFile file, OutputNames names, Path folder) throws IOException {
        return new BatchDelivery(file, names, folder);
    }

    @Override
    void take(ItemResult read) throws IOException {
        ItemResult result = file.kind() == DroppedFile.Kind.TABLE ? writable(read) : read;
        receipt.add(result);
        if (result instanceof ItemResult.Answered) {
            answers.write(result);
        } else {
            errors().write(result);
        }
    }

    private static ItemResult writable(ItemResult result) {
        return result instanceof ItemResult.Answered answered
                        && !StandardCharsets.UTF_8.newEncoder().canEncode(answered.value())
                ? new ItemResult.Failed(
                        answered.outcome(),
                        "not_utf8",
                        "The answer holds half a surrogate pair, which no table can. It is kept exactly: drop the same"
                                + " text as a line of a .jsonl file for the same job, and it is delivered, unpaid.")
                : result;
    }

    private ItemLines errors() throws IOException {
        if (errors == null) {
            errorsPart = begin(names.errors());
            errors = file.kind() == DroppedFile.Kind.OPENAI
                    ? new OpenAiLines(file, out(errorsPart))
                    : JsonValues.lines(out(errorsPart));
        }
        return errors;
    }

    @Override
    void finish() throws IOException {
        answers.finish();
        if (errors != null) {
            errors.finish();
        }
        ClosingCount closing = receipt.close(file, answers.written(), errors == null ? 0 : errors.written());
        if (!closing.addsUp()) {
            LOG.atError()
                    .addKeyValue("file", file.path())
                    .log(
                            "The receipt of {} does not add up: {}. The answers are delivered all the same, and the receipt says"
                                    + " so; keep the ledger and report this.",
                            file.path(),
                            closing);
        }
        receipt.write(file, closing, out(receiptPart));
    }

    @Override
    List<Part> publication() {
        var parts = new ArrayList<Part>();
        if (errorsPart != null) {
            parts.add(errorsPart);
        }
        parts.add(receiptPart);
        parts.add(answersPart);
        return parts;
    }
}
