package dev.oncebox.ledger;

import java.math.BigDecimal;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The end of one item: an answer, or why there is none.
 *
 * @param id as JSON text; the place in the file when the client gave none
 * @param variant whether it differed from an earlier item of the same key only in what the keying ignores
 * @param fresh whether this item caused its call, rather than finding it known
 * @param call null for an item that was never sent
 * @param code why there is no answer; null when there is one
 * @param answer the stored text or JSON; null when there is none
 * @param raw the reply that the answer or the refusal came in; null when none was kept, or the file's layout needs none
 * @param row the item as it stands in its file, if that is a table; else null
 */
public record Outcome(
        long n,
        long line,
        long offset,
        String id,
        boolean variant,
        boolean fresh,
        @Nullable CallRecord call,
        @Nullable String code,
        @Nullable String message,
        @Nullable StoredAnswer answer,
        @Nullable Raw raw,
        @Nullable String row) {

    public Outcome(
            long n,
            long line,
            long offset,
            String id,
            boolean variant,
            boolean fresh,
            @Nullable CallRecord call,
            @Nullable String code,
            @Nullable String message,
            @Nullable StoredAnswer answer) {
        this(n, line, offset, id, variant, fresh, call, code, message, answer, null, null);
    }

    /**
     * A reply as it came.
     *
     * @param status the HTTP status
     * @param body its text, perhaps no JSON
     */
    public record Raw(int status, String body) {}

    /**
     * What the ledger knows of the call behind an item.
     *
     * @param sends how often it was sent
     * @param doubts how many attempts may have been charged without an answer
     * @param sentAt when it was last sent, epoch milliseconds; 0: never
     * @param doneAt when it ended
     * @param history what each attempt came to, oldest first; empty for a call that was sent once
     * @param requestId the provider's own id of the last attempt that had one; null when there is none, or the file's
     *     layout needs none
     */
    public record CallRecord(
            long id,
            String key,
            int sends,
            int attempts,
            int doubts,
            String engine,
            @Nullable String model,
            @Nullable String usage,
            @Nullable Long inputTokens,
            @Nullable Long outputTokens,
            @Nullable BigDecimal cost,
            long sentAt,
            long doneAt,
            List<Attempt> history,
            @Nullable String requestId) {}

    /**
     * What one attempt came to.
     *
     * @param send which one, counted from 1
     * @param cost as far as the engine said what it used
     * @param requestId the provider's own id of it; null when its reply had none
     */
    public record Attempt(
            int send,
            String engine,
            EventKind event,
            Charged charged,
            @Nullable BigDecimal cost,
            @Nullable String requestId) {}

    /**
     * @param json whether {@code text} is JSON rather than plain text
     * @param notes the codes of what is to be said of it though it was accepted
     */
    public record StoredAnswer(String text, boolean json, List<String> notes) {

        public StoredAnswer(String text, boolean json) {
            this(text, json, List.of());
        }
    }
}
