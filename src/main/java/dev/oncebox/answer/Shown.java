package dev.oncebox.answer;

/** Makes what a model wrote fit to stand in a sentence: no control characters, no tricks with direction, never long. */
final class Shown {

    private static final String CUT = "…";

    private Shown() {}

    /** Between quotes, at most so many characters of it. */
    static String quoted(String text, int most) {
        String start = cut(text, most);
        String escaped = start.replace("\\", "\\\\").replace("\"", "\\\"");
        return "\"" + visible(escaped) + "\"" + (start.length() < text.length() ? CUT : "");
    }

    /** At most so many characters of it. */
    static String clipped(String text, int most) {
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
