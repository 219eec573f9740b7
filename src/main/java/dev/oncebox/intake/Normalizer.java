package dev.oncebox.intake;

import dev.oncebox.job.Keying;
import java.text.Normalizer.Form;

/**
 * What counts as the same text: brings a text into the one form that all its equals share.
 *
 * <p>Guaranteed: only white space and canonically equivalent characters are ever unified; a second pass changes
 * nothing; the time is linear in the length; no text is refused, not even one with lone surrogates.
 *
 * <p>The hazard is merging too much: two texts with the same form are answered with one answer. So where it is unclear
 * whether a line is code, it counts as code, and code keeps its indentation. The result is for comparing and
 * for the key only; what is sent is the text as written.
 *
 * <p>White space is Unicode's White_Space. Only LF, CRLF and CR end a line. Fences are those of CommonMark 0.31, with
 * two liberties: an opening fence may be indented by any amount, and an unclosed one runs to the end of the text
 * even where its list or quotation ends before.
 */
public final class Normalizer {
    /**
     * A run of more combining marks than this is in no language; ordering it takes time quadratic in its length.
     * Unicode's stream-safe format (UAX #15) allows 30.
     */
    private static final int MAX_MARKS = 128;

    private static final int TAB_STOP = 4;
    /** A closing fence that is indented further than this beyond its opening fence is code, says CommonMark. */
    private static final int CLOSING_INDENT = 3;

    private Normalizer() {}

    /**
     * The form of {@code text} that all texts share which count as the same under {@code keying}.
     *
     * <p>A text with a run of more than 128 combining marks is compared without unifying canonical equivalents.
     *
     * @param keying {@link Keying#ID} compares contents as {@link Keying#WHITESPACE} does
     */
    public static String normalize(String text, Keying keying) {
        return switch (keying) {
            case EXACT -> text;
            case LINES -> lines(composed(text));
            case WHITESPACE, ID -> isPlain(text) ? text : whitespace(composed(text));
        };
    }

    private static String lines(String text) {
        StringBuilder out = new StringBuilder(text.length());
        for (int start = 0; start <= text.length(); ) {
            int end = lineEnd(text, start);
            out.append(text, start, trimmedEnd(text, start, end)).append('\n');
            start = nextLine(text, end);
        }
        return withoutFinalNewlines(out);
    }

    /**
     * Running text becomes one line between fences. That can neither make nor break a fence: a running line does not
     * start with one, what follows it is only appended after a space, and fence lines stay lines of their own.
     */
    private static String whitespace(String text) {
        StringBuilder out = new StringBuilder(text.length());
        Fence open = Fence.NONE;
        boolean running = false;
        for (int start = 0; start <= text.length(); ) {
            int end = lineEnd(text, start);
            Fence fence = Fence.at(text, start, end);
            if (open == Fence.NONE && !fence.opens()) {
                running = appendWords(text, start, end, out, running);
            } else {
                if (!out.isEmpty()) {
                    out.append('\n');
                }
                out.append(text, start, trimmedEnd(text, start, end));
                running = false;
                if (open == Fence.NONE) {
                    open = fence;
                } else if (fence.closes(open)) {
                    open = Fence.NONE;
                }
            }
            start = nextLine(text, end);
        }
        return withoutFinalNewlines(out);
    }

    private static boolean appendWords(String text, int start, int end, StringBuilder out, boolean running) {
        boolean inRunningText = running;
        int at = start;
        while (true) {
            int word = firstBlack(text, at, end);
            if (word == end) {
                return inRunningText;
            }
            at = word;
            while (at < end && !isWhite(text.charAt(at))) {
                at++;
            }
            if (!out.isEmpty()) {
                out.append(inRunningText ? ' ' : '\n');
            }
            out.append(text, word, at);
            inRunningText = true;
        }
    }

    /** Most short prompts: one line, nothing to compose, only single inner spaces. Needs no copy. */
    private static boolean isPlain(String text) {
        boolean afterWhite = true;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            boolean white = isWhite(c);
            if (c >= '\u0300' || white && (afterWhite || c != ' ')) {
                return false;
            }
            afterWhite = white;
        }
        return text.isEmpty() || !afterWhite;
    }

    private static String composed(String text) {
        boolean simple = true;
        int marks = 0;
        for (int i = 0; i < text.length(); ) {
            int c = text.codePointAt(i);
            i += Character.charCount(c);
            simple &= c < 0x300;
            marks = c >= 0x300 && isMark(c) ? marks + 1 : 0;
            if (marks > MAX_MARKS) {
                return text;
            }
        }
        return simple ? text : java.text.Normalizer.normalize(text, Form.NFC);
    }

    private static boolean isMark(int codePoint) {
        return switch (Character.getType(codePoint)) {
            case Character.NON_SPACING_MARK, Character.COMBINING_SPACING_MARK, Character.ENCLOSING_MARK -> true;
            default -> false;
        };
    }

    private static boolean isWhite(char c) {
        if (c < '\u0085') {
            return c == ' ' || c >= '\t' && c <= '\r';
        }
        return switch (c) {
            case '\u0085', '\u00a0', '\u1680', '\u2028', '\u2029', '\u202f', '\u205f', '\u3000' -> true;
            default -> c >= '\u2000' && c <= '\u200a';
        };
    }

    private static int lineEnd(String text, int start) {
        int end = start;
        while (end < text.length() && text.charAt(end) != '\n' && text.charAt(end) != '\r') {
            end++;
        }
        return end;
    }

    private static int nextLine(String text, int end) {
        return text.startsWith("\r\n", end) ? end + 2 : end + 1;
    }

    private static int firstBlack(String text, int start, int end) {
        int at = start;
        while (at < end && isWhite(text.charAt(at))) {
            at++;
        }
        return at;
    }

    private static int trimmedEnd(String text, int start, int end) {
        int at = end;
        while (at > start && isWhite(text.charAt(at - 1))) {
            at--;
        }
        return at;
    }

    private static String withoutFinalNewlines(StringBuilder out) {
        int end = out.length();
        while (end > 0 && out.charAt(end - 1) == '\n') {
            end--;
        }
        out.setLength(end);
        return out.toString();
    }

    /**
     * The fence at the start of a line, behind indentation, quotation marks and list markers.
     *
     * @param mark the character it is made of
     * @param length how many of them, at least 3
     * @param column where it starts, tabs expanded
     * @param quoted whether it stands in a quotation
     * @param listed whether it stands behind a list marker of its own line
     * @param bare whether nothing but white space follows
     * @param opens whether it can open a block: the info string of a backtick fence has no backtick
     */
    private record Fence(
            char mark, int length, int column, boolean quoted, boolean listed, boolean bare, boolean opens) {
        static final Fence NONE = new Fence('\0', 0, 0, false, false, false, false);

        static Fence at(String text, int start, int end) {
            boolean quoted = false;
            boolean listed = false;
            int column = 0;
            int at = start;
            while (at < end) {
                char c = text.charAt(at);
                int marker = listMarker(text, at, end);
                if (c == '`' || c == '~') {
                    return of(text, at, end, column, quoted, listed);
                } else if (c == '\t') {
                    column += TAB_STOP - column % TAB_STOP;
                    at++;
                } else if (c == '>' || isWhite(c)) {
                    quoted |= c == '>';
                    column++;
                    at++;
                } else if (marker > 0) {
                    listed = true;
                    column += marker;
                    at += marker;
                } else {
                    return NONE;
                }
            }
            return NONE;
        }

        private static Fence of(String text, int at, int end, int column, boolean quoted, boolean listed) {
            char mark = text.charAt(at);
            int info = at;
            while (info < end && text.charAt(info) == mark) {
                info++;
            }
            if (info - at < 3) {
                return NONE;
            }
            int next = info;
            while (next < end && text.charAt(next) != '`') {
                next++;
            }
            boolean bare = firstBlack(text, info, end) == end;
            return new Fence(mark, info - at, column, quoted, listed, bare, mark == '~' || next == end);
        }

        /** The length of the bullet or number at this place, 0 if there is none; white space must follow. */
        private static int listMarker(String text, int start, int end) {
            int at = start;
            while (at < end && text.charAt(at) >= '0' && text.charAt(at) <= '9') {
                at++;
            }
            boolean marker = at < end && (at == start ? "-+*" : ".)").indexOf(text.charAt(at)) >= 0;
            return marker && at + 1 < end && isWhite(text.charAt(at + 1)) ? at + 1 - start : 0;
        }

        boolean closes(Fence open) {
            return bare
                    && !listed
                    && mark == open.mark
                    && length >= open.length
                    && quoted == open.quoted
                    && column <= open.column + CLOSING_INDENT;
        }
    }
}
