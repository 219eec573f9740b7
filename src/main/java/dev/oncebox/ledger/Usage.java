package dev.oncebox.ledger;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigDecimal;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What an engine says that a call used.
 *
 * @param reported the engine's own object, as it came; null when it reported nothing
 * @param inputTokens null when unknown
 * @param outputTokens null when unknown
 * @param cost in the currency of the engine's prices; null when prices or tokens are unknown, never 0 for unknown
 */
public record Usage(
        @Nullable JsonNode reported,
        @Nullable Long inputTokens,
        @Nullable Long outputTokens,
        @Nullable BigDecimal cost) {

    public static final Usage UNKNOWN = new Usage(null, null, null, null);

    /** Half a surrogate pair: it has no UTF-8, but an escape in JSON. */
    private static final Pattern HALF = Pattern.compile("\\p{Cs}");

    /** The engine's own object as JSON that any database takes; null when it reported nothing. */
    public @Nullable String text() {
        return reported == null
                ? null
                : HALF.matcher(reported.toString())
                        .replaceAll(half ->
                                "\\\\u" + Integer.toHexString(half.group().charAt(0)));
    }
}
