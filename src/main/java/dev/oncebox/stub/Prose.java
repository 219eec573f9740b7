package dev.oncebox.stub;

/** The little the stub does with words. */
final class Prose {

    private static final int WORDS_OF_A_SUMMARY = 12;

    private Prose() {}

    /** The first words, on one line. */
    static String summary(String text) {
        String[] words = text.strip().split("\\s+", WORDS_OF_A_SUMMARY + 1);
        if (words.length <= WORDS_OF_A_SUMMARY) {
            return String.join(" ", words);
        }
        words[WORDS_OF_A_SUMMARY] = "";
        return String.join(" ", words).strip() + "…";
    }

    /** About as many tokens as there are words. */
    static int words(String text) {
        int words = 0;
        boolean within = false;
        for (int i = 0; i < text.length(); i++) {
            boolean letter = !Character.isWhitespace(text.charAt(i));
            words += letter && !within ? 1 : 0;
            within = letter;
        }
        return words;
    }

    static String half(String text) {
        return text.substring(0, text.offsetByCodePoints(0, text.codePointCount(0, text.length()) / 2));
    }
}
