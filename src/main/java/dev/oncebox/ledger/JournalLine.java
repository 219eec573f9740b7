package dev.oncebox.ledger;

import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;

/**
 * One event, as the journal shows it.
 *
 * @param at epoch milliseconds
 * @param key the call's key in hexadecimal digits; null for an event of a file as a whole
 * @param attempt which send of the call it belongs to, counted from 1; null when to none
 * @param charged whether the attempt cost money; null when the event does not say
 * @param cost as far as the engine said what the attempt used; null when it did not
 * @param file below the inbox; null for an event of a call alone
 * @param requestId the provider's own id of the attempt; null when its reply had none
 */
public record JournalLine(
        long at,
        @Nullable String key,
        EventKind event,
        @Nullable Integer attempt,
        @Nullable String engine,
        @Nullable String detail,
        @Nullable Charged charged,
        @Nullable BigDecimal cost,
        @Nullable String file,
        @Nullable String requestId) {}
