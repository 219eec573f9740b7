package dev.oncebox.intake;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/** Looks into the beginning of a file for a layout that its name does not tell. */
final class Sniffer {

    private static final int CHUNK = 1 << 13;
    /** So many lines may be broken before one shows what the file is. */
    private static final int LOOKED_AT = 100;

    private Sniffer() {}

    /** Opens the file at its beginning. */
    interface Opener {
        InputStream open() throws IOException;
    }

    /** How the file is divided into items. */
    static FileKind kind(FileKind named, Opener file, long maxItem) throws IOException {
        if (named == FileKind.TABLE || (named != FileKind.LINES && beginsWithWord(file, maxItem))) {
            return named;
        }
        try (InputStream in = new Beginning(file.open(), maxItem + CHUNK)) {
            if (isOfWholeRequests(named, in, maxItem)) {
                return FileKind.OPENAI;
            }
        }
        if (named != FileKind.LINES) {
            return named;
        }
        try (InputStream in = new Beginning(file.open(), maxItem + CHUNK)) {
            return isSpread(in, maxItem) ? FileKind.SPREAD : FileKind.LINES;
        }
    }

    /** Whether the first line begins with a character that no object begins with, as most texts do: it need not be read. */
    private static boolean beginsWithWord(Opener file, long maxItem) throws IOException {
        try (InputStream in = new Beginning(file.open(), maxItem + CHUNK)) {
            int first = new ValueScanner(new Window(in, maxItem, CHUNK)).next();
            return first > ' ' && first < 0x7F && first != '{';
        }
    }

    /**
     * Whether the first value is an array of items, or takes several lines. A line that is merely broken is neither: its
     * brackets close on another line at best, and what is between is no JSON.
     */
    private static boolean isSpread(InputStream in, long maxItem) throws IOException {
        var window = new Window(in, maxItem, CHUNK);
        var scanner = new ValueScanner(window);
        int next = scanner.next();
        boolean array = next == '[';
        if (array) {
            window.skip();
            next = scanner.next();
        }
        long line = scanner.line();
        if ((next != '{' && !(array && next == '"')) || !scanner.value() || window.tooLong()) {
            return false;
        }
        boolean lines = scanner.line() > line;
        if (!isJson(window)) {
            return false;
        }
        int after = scanner.next();
        return array ? after == ',' || after == ']' : lines;
    }

    private static boolean isJson(Window window) {
        try {
            Item item = new ItemParser(false).parse(window.text(), new Place(1, 1, 0));
            return !(item instanceof Item.Unreadable bad) || !bad.code().equals(ItemParser.BAD_JSON);
        } catch (BadCharacter e) {
            return false;
        }
    }

    /** Another name than one for lines is believed, unless the very first line is a whole request. */
    private static boolean isOfWholeRequests(FileKind named, InputStream in, long maxItem) throws IOException {
        int most = named == FileKind.LINES ? LOOKED_AT : 1;
        var lines = new LineReader(in, maxItem, CHUNK);
        for (int n = 0; n < most; n++) {
            Item item = lines.read();
            if (item == null) {
                return false;
            }
            if (WholeRequest.isOne(item)) {
                return true;
            }
            if (item instanceof Item.Readable) {
                return false;
            }
        }
        return false;
    }

    /** Ends after so many bytes: a quote that is never closed does not have the whole of a large file read. */
    private static final class Beginning extends FilterInputStream {
        private long left;

        Beginning(InputStream in, long most) {
            super(in);
            this.left = most;
        }

        @Override
        public int read(byte[] bytes, int from, int length) throws IOException {
            int read = left == 0 ? -1 : super.read(bytes, from, (int) Math.min(left, length));
            left -= Math.max(0, read);
            return read;
        }
    }
}
