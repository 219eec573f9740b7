package dev.oncebox.outbox;

import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The answer to a file that is one item. */
final class SingleDelivery extends Delivery {

    private static final String NOT_UTF8 = "The answer holds half a surrogate pair, which no text file in UTF-8 can."
            + " It is kept exactly: drop the same text as a line of a .jsonl file for the same job, and it is delivered"
            + " with a JSON escape in its place, unpaid.";

    private final boolean text;
    private @Nullable Part part;

    /**
     * @param text whether the file was a text, whose answer stands alone, rather than an object with an id
     */
    SingleDelivery(OutputNames names, Path folder, boolean text) {
        super(names, folder);
        this.text = text;
    }

    @Override
    void take(ItemResult result) throws IOException {
        if (part != null) {
            throw new IllegalStateException("a file of one item has several");
        }
        if (text && result instanceof ItemResult.Answered answered) {
            if (answered.json()) {
                part = begin(names.jsonAnswer());
                write(new SurrogateWriter(out(part)), answered.value().strip() + "\n");
                return;
            }
            if (StandardCharsets.UTF_8.newEncoder().canEncode(answered.value())) {
                part = begin(names.answer());
                write(new OutputStreamWriter(out(part), StandardCharsets.UTF_8), answered.value());
                return;
            }
            writeItem(names.error(), new ItemResult.Failed(answered.outcome(), "not_utf8", NOT_UTF8));
            return;
        }
        writeItem(result instanceof ItemResult.Answered ? names.answer() : names.error(), result);
    }

    private static void write(Writer to, String answer) throws IOException {
        try (to) {
            to.write(answer);
        }
    }

    private void writeItem(String ending, ItemResult result) throws IOException {
        part = begin(ending);
        JsonValues values = JsonValues.lines(out(part));
        values.write(result);
        values.finish();
    }

    @Override
    void finish() {
        if (part == null) {
            throw new IllegalStateException("a file of one item has none");
        }
    }

    @Override
    List<Part> publication() {
        return part == null ? List.of() : List.of(part);
    }
}
