package dev.oncebox.answer;

import com.fasterxml.jackson.databind.JsonNode;
import dev.oncebox.ledger.Request;
import dev.oncebox.ledger.Usage;
import org.jspecify.annotations.Nullable;

/**
 * Sees that an engine did not read the whole prompt: it says that it read fewer tokens than any tokenizer makes of it.
 *
 * <p>The bound is a low one. A token hardly ever spans two words, so there are at least about as many tokens as runs of
 * letters and digits; half of that is taken. A text without spaces is one run, whatever its length.
 */
final class PromptCut {

    private static final int FEWEST_WORDS = 200;

    private PromptCut() {}

    /** What is to be said of a prompt that was cut; null when nothing shows that it was. */
    static @Nullable String seen(Request request, Usage usage) {
        Long read = usage.inputTokens();
        if (read == null || read == 0) {
            return null; // unknown, and some engines say 0 for that
        }
        long words = words(request);
        long least = words / 2;
        if (words < FEWEST_WORDS || read >= least) {
            return null;
        }
        return "The engine says it read " + read + " tokens of a prompt that has at least " + least
                + ": it was cut. Raise the engine's context (num_ctx, say), or shorten the prompt.";
    }

    /** Of the messages alone where there are some: they may bring a system text in place of the job's. */
    private static long words(Request request) {
        if (request.messages() == null) {
            return words(request.system()) + words(request.text());
        }
        long words = 0;
        for (JsonNode message : request.messages()) {
            JsonNode content = message.path("content");
            words += words(content.textValue());
            for (JsonNode part : content) {
                words += words(part.path("text").textValue());
            }
        }
        return words;
    }

    private static long words(@Nullable String text) {
        long words = 0;
        boolean within = false;
        for (int i = 0; text != null && i < text.length(); ) {
            int point = text.codePointAt(i);
            boolean letter = isPartOfWord(point, within);
            words += letter && !within ? 1 : 0;
            within = letter;
            i += Character.charCount(point);
        }
        return words;
    }

    /** Marks and joiners stand within the words of many scripts, and begin none. */
    private static boolean isPartOfWord(int point, boolean within) {
        if (Character.isLetterOrDigit(point)) {
            return true;
        }
        return within
                && switch (Character.getType(point)) {
                    case Character.NON_SPACING_MARK,
                            Character.COMBINING_SPACING_MARK,
                            Character.ENCLOSING_MARK,
                            Character.FORMAT -> true;
                    default -> false;
                };
    }
}
