package dev.oncebox.intake;

import java.io.IOException;
import java.util.BitSet;

/** Finds where JSON values begin and end by strings and brackets alone, and counts lines on the way. */
final class ValueScanner {

    /** Deeper brackets are counted but their shapes are not compared; the parser refuses such items anyway. */
    private static final int COMPARED = 1024;

    private static final boolean[] IN_STRING = stops("\"\\\n\r");
    private static final boolean[] IN_BRACKETS = stops("\"{}[]\n\r");
    private static final boolean[] IN_WORD = stops(" \t\n\r,:\"{}[]");

    private final Window window;
    private long line = 1;
    private long afterReturn = -1;

    ValueScanner(Window window) {
        this.window = window;
    }

    /** The line on which the next unit stands, counted from 1. */
    long line() {
        return line;
    }

    /** Steps over white space and returns the unit after it, which stays the next, or {@link Window#END}. */
    int next() throws IOException {
        for (; ; ) {
            window.begin();
            int c = window.peek();
            if (c == '\n' || c == '\r') {
                endLine(c);
            } else if (c == ' ' || c == '\t') {
                window.skip();
            } else {
                return c;
            }
        }
    }

    /** Takes the value that begins here into the window; false when it never ends or its brackets do not match. */
    boolean value() throws IOException {
        window.begin();
        boolean whole =
                switch (window.peek()) {
                    case '{', '[' -> brackets();
                    case '"' -> string();
                    default -> word();
                };
        window.finish();
        return whole;
    }

    private boolean brackets() throws IOException {
        BitSet curly = new BitSet();
        int depth = 0;
        do {
            int c = find(IN_BRACKETS);
            if (c == '"') {
                if (!string()) {
                    return false;
                }
                continue;
            }
            if (c == Window.END) {
                return false;
            }
            window.skip();
            if (c == '{' || c == '[') {
                if (depth < COMPARED) {
                    curly.set(depth, c == '{');
                }
                depth++;
            } else {
                depth--;
                if (depth < COMPARED && curly.get(depth) != (c == '}')) {
                    return false;
                }
            }
        } while (depth > 0);
        return true;
    }

    private boolean string() throws IOException {
        window.skip();
        for (; ; ) {
            int c = find(IN_STRING);
            if (c == Window.END) {
                return false;
            }
            window.skip();
            if (c == '"') {
                return true;
            }
            int escaped = window.peek();
            if (escaped == '"' || escaped == '\\') {
                window.skip();
            }
        }
    }

    private boolean word() throws IOException {
        int first = window.peek();
        if (first < IN_WORD.length && IN_WORD[first]) {
            window.skip();
            return false;
        }
        window.find(IN_WORD);
        return true;
    }

    private int find(boolean[] stops) throws IOException {
        for (; ; ) {
            int c = window.find(stops);
            if (c != '\n' && c != '\r') {
                return c;
            }
            endLine(c);
        }
    }

    private void endLine(int c) {
        if (c == '\r' || window.offset() != afterReturn) {
            line++;
        }
        window.skip();
        if (c == '\r') {
            afterReturn = window.offset();
        }
    }

    private static boolean[] stops(String characters) {
        boolean[] stops = new boolean[128];
        characters.chars().forEach(c -> stops[c] = true);
        return stops;
    }
}
