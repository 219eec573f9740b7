package dev.oncebox.intake;

import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/** A text file: one item, every character of it. */
final class TextReader extends ItemReader {

    private static final boolean[] NOTHING = new boolean[128];

    private boolean done;

    TextReader(InputStream in, long maxItem, int chunk) throws IOException {
        super(in, maxItem, chunk);
    }

    @Override
    @Nullable
    Item read() throws IOException {
        if (done) {
            return null;
        }
        done = true;
        window.find(NOTHING);
        window.finish();
        return decode(
                new Place(1, 1, window.itemOffset()),
                (text, at) -> Blank.isBlank(text) ? null : ItemParser.plain(text, at));
    }
}
