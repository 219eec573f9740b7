package dev.oncebox.files;

import java.nio.charset.StandardCharsets;

/**
 * A file's name, divided where a number goes when the name is taken.
 *
 * @param stem what stands before the extension
 * @param extension with its dot; empty when there is none
 */
public record FileName(String stem, String extension) {

    /** What Linux, macOS and Windows file systems take, in bytes of UTF-8. */
    private static final int LONGEST = 255;

    private static final int LONGEST_EXTENSION = 64;

    /** Divides at the last dot that does not begin the name. */
    public static FileName of(String name) {
        int dot = name.lastIndexOf('.');
        if (dot <= 0 || bytes(name.substring(dot)) > LONGEST_EXTENSION) {
            return new FileName(name, "");
        }
        return new FileName(name.substring(0, dot), name.substring(dot));
    }

    /**
     * The stem with a number and an ending: {@code b.md}, {@code b~2.md}, {@code b~3.md} and so on. A stem that is too
     * long for it is shortened, between two characters.
     *
     * @param n from 1; the first has no number
     * @param ending what follows the number, the extension for example
     */
    public String numbered(int n, String ending) {
        return fitted("", stem, (n == 1 ? "" : "~" + n) + ending);
    }

    /** The three parts together, the middle one as short as needed. */
    static String fitted(String start, String middle, String end) {
        int room = LONGEST - bytes(start) - bytes(end);
        int kept = middle.length();
        for (int size = bytes(middle); size > room && kept > 0; ) {
            int character = middle.codePointBefore(kept);
            kept -= Character.charCount(character);
            size -= bytes(Character.toString(character));
        }
        return start + middle.substring(0, kept) + end;
    }

    private static int bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }
}
