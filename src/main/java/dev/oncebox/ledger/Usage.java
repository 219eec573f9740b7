package dev.oncebox.ledger;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigDecimal;
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
}
