package dev.oncebox.ledger;

/**
 * Makes what a model or an endpoint wrote fit to stand in a sentence or a column: no control characters, no half of a
 * surrogate pair, no tricks with direction, never long.
 */
public final class Shown {

    private static final int LONGEST_WORD = 200;
    private static final int LONGEST_SENTENCE = 1000;
    private static final String CUT = "…";

    private Shown() {}

    /** A name or a code. */
    static String word(String text) {
        return clipped(text, LONGEST_WORD);
    }

    /** A reason for people. */
    static String sentence(String text) {
        return clipped(text, LONGEST_SENTENCE);
    }

    /** Between quotes, at most so many characters of it. */
    public static String quoted(String text, int most) {
        String start = cut(text, most);
        String escaped = start.replace("\\", "\\\\").replace("\"", "\\\"");
        return "\"" + visible(escaped) + "\"" + (start.length() < text.length() ? CUT : "");
    }

    /** At most so many characters of it. */
    public static String clipped(String text, int most) {
        String visible = visible(text);
        String start = cut(visible, most);
        return start.length() < visible.length() ? start + CUT : visible;
    }

    private static String cut(String text, int most) {
        if (text.length() <= most) {
            return text;
        }
        return text.substring(0, Character.isHighSurrogate(text.charAt(most - 1)) ? most - 1 : most);
    }

    private static String visible(String text) {
        var shown = new StringBuilder(text.length());
        text.codePoints().forEach(point -> {
            if (point == '\n') {
                shown.append("\\n");
            } else if (isInvisible(point)) {
                shown.append(String.format("\\u%04x", point));
            } else {
                shown.appendCodePoint(point);
            }
        });
        return shown.toString();
    }

    private static boolean isInvisible(int point) {
        return switch (Character.getType(point)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.PRIVATE_USE,
                    Character.UNASSIGNED,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR -> true;
            default -> false;
        };
    }
}
