package dev.oncebox.ledger;

import org.jspecify.annotations.Nullable;

/**
 * The bytes that came back, kept whatever they mean: they may have been paid for.
 *
 * @param status the HTTP status
 * @param body as received, perhaps cut short
 * @param requestId the provider's own id of the attempt, fit for a column; null when the reply had none
 */
public record Reply(int status, byte[] body, @Nullable String requestId) {

    public Reply {
        requestId = requestId == null || requestId.isBlank() ? null : Shown.word(requestId);
    }

    /** Of an attempt without an id. */
    public Reply(int status, byte[] body) {
        this(status, body, null);
    }
}
