package dev.oncebox.intake;

/** What counts as nothing but white space: Unicode's and Java's idea of it together. */
final class Blank {

    private Blank() {}

    static boolean isBlank(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (!Character.isWhitespace(c) && !Character.isSpaceChar(c) && c != '\u0085') {
                return false;
            }
        }
        return true;
    }
}
