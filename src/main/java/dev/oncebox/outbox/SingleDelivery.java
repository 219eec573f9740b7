package dev.oncebox.outbox;

import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.CharsetEncoder;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The answer to a file that is one item. */
final class SingleDelivery extends Delivery {

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
            part = begin(answered.json() ? names.jsonAnswer() : names.answer());
            writeAnswer(part, answered.json() ? answered.value().strip() + "\n" : answered.value());
            return;
        }
        part = begin(result instanceof ItemResult.Answered ? names.answer() : names.error());
        JsonValues values = JsonValues.lines(out(part));
        values.write(result);
        values.finish();
    }

    private void writeAnswer(Part to, String answer) throws IOException {
        try (Writer writer = new OutputStreamWriter(out(to), encoder())) {
            writer.write(answer);
        }
    }

    /** Half a surrogate pair becomes the replacement character; the default is a question mark. */
    private static CharsetEncoder encoder() {
        return StandardCharsets.UTF_8
                .newEncoder()
                .onMalformedInput(CodingErrorAction.REPLACE)
                .replaceWith("\uFFFD".getBytes(StandardCharsets.UTF_8));
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
