package dev.oncebox.plan;

import com.knuddels.jtokkit.Encodings;
import com.knuddels.jtokkit.api.Encoding;
import com.knuddels.jtokkit.api.EncodingRegistry;
import com.knuddels.jtokkit.api.EncodingType;
import java.util.Locale;
import java.util.function.ToLongFunction;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Counts the tokens of a text: with the tokenizer of OpenAI's models where the model is one of them by its name, else
 * as a fourth of its characters, which is a rough guess for English and too few for most other languages.
 *
 * @param name what is counted with, for people
 */
record TokenCounter(String name, ToLongFunction<String> tokens) {

    private static final EncodingRegistry ENCODINGS = Encodings.newLazyEncodingRegistry();
    private static final Pattern O200K = Pattern.compile("(gpt-(4o|4\\.|[5-9])|chatgpt-|o[1-9](-|$)).*");
    private static final Pattern CL100K = Pattern.compile("gpt-(4|3\\.5)(-|$).*");
    private static final int CHARACTERS_A_TOKEN = 4;

    /**
     * @param model as the request names it; a vendor's prefix ({@code openai/…}, {@code ft:…}) is passed over
     */
    static TokenCounter of(@Nullable String model) {
        String name = model == null ? "" : model.toLowerCase(Locale.ROOT);
        name = name.substring(name.lastIndexOf('/') + 1);
        name = name.startsWith("ft:") ? name.substring("ft:".length()) : name;
        if (O200K.matcher(name).matches()) {
            return of(EncodingType.O200K_BASE);
        }
        return CL100K.matcher(name).matches()
                ? of(EncodingType.CL100K_BASE)
                : new TokenCounter("characters/4", TokenCounter::quarter);
    }

    private static TokenCounter of(EncodingType type) {
        Encoding encoding = ENCODINGS.getEncoding(type);
        return new TokenCounter(type.getName(), encoding::countTokensOrdinary);
    }

    private static long quarter(String text) {
        return (text.codePointCount(0, text.length()) + CHARACTERS_A_TOKEN - 1L) / CHARACTERS_A_TOKEN;
    }

    long count(@Nullable String text) {
        return text == null || text.isEmpty() ? 0 : tokens.applyAsLong(text);
    }
}
