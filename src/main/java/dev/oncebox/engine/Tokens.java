package dev.oncebox.engine;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

/**
 * How many tokens a call took, as its engine counts them.
 *
 * @param input null when unknown
 * @param output null when unknown
 * @param usualPrice whether each of them has the engine's usual price
 */
record Tokens(@Nullable Long input, @Nullable Long output, boolean usualPrice) {

    /** No call takes as many; sums of what is below do not overflow. */
    private static final long TOO_MANY = 1_000_000_000_000L;

    /** The first of these members that is a count; null when none is. */
    static @Nullable Long count(JsonNode usage, String... names) {
        for (String name : names) {
            JsonNode tokens = usage.path(name);
            if (tokens.isIntegralNumber()
                    && tokens.canConvertToLong()
                    && tokens.longValue() >= 0
                    && tokens.longValue() < TOO_MANY) {
                return tokens.longValue();
            }
        }
        return null;
    }
}
