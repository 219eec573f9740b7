package dev.oncebox.intake;

import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/** A file with an item on each line. LF, CRLF or CR ends a line and nothing else does. */
class LineReader extends ItemReader {

    private static final boolean[] LINE_ENDS = new boolean[128];

    static {
        LINE_ENDS['\n'] = true;
        LINE_ENDS['\r'] = true;
    }

    private final ItemParser parser;
    private long line;
    private boolean afterReturn;

    LineReader(InputStream in, long maxItem, int chunk) throws IOException {
        this(in, maxItem, chunk, new ItemParser(true));
    }

    LineReader(InputStream in, long maxItem, int chunk, ItemParser parser) throws IOException {
        super(in, maxItem, chunk);
        this.parser = parser;
    }

    @Override
    @Nullable
    Item read() throws IOException {
        while (nextLine()) {
            Item item = decode(
                    new Place(line, line, window.itemOffset()),
                    (text, at) -> Blank.isBlank(text) ? null : parser.parse(withoutMark(text), at));
            if (item != null) {
                return item;
            }
        }
        return null;
    }

    /** Where files were put together, the mark of the second stands in the middle; it is no data. */
    private static String withoutMark(String line) {
        return line.startsWith("\uFEFF") ? line.substring(1) : line;
    }

    private boolean nextLine() throws IOException {
        window.begin();
        if (afterReturn && window.peek() == '\n') {
            window.skip();
            window.begin();
        }
        if (window.peek() == Window.END) {
            return false;
        }
        line++;
        int found = window.find(LINE_ENDS);
        window.finish();
        window.skip();
        afterReturn = found == '\r';
        return true;
    }
}
