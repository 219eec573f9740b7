package dev.oncebox.runtime;

import dev.oncebox.ledger.Standing;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * What an {@code ask} found.
 *
 * @param answer where the answer is; null: nowhere yet, or never
 * @param shown the item that says most; null: nothing is recorded
 * @param code why there is no answer, for programs; null: there is no reason
 * @param message for people; null: there is nothing to say
 */
public record AskReply(
        Status status,
        @Nullable Path answer,
        Standing.@Nullable Shown shown,
        @Nullable String code,
        @Nullable String message) {

    /** How it stands, with the exit code that says so. */
    public enum Status {
        /** The answer is in the outbox. */
        ANSWERED(0),
        /** It is sent, or accepted for sending, by this very ask, or waits to be sent. */
        QUEUED(42),
        /** It was sent or accepted before, or nobody knows what became of it. */
        PROCESSING(3),
        /** It never gets an answer. */
        FAILED(1);

        private final int exit;

        Status(int exit) {
            this.exit = exit;
        }

        public int exit() {
            return exit;
        }
    }

    static AskReply failed(String code, @Nullable String message) {
        return new AskReply(Status.FAILED, null, null, code, message);
    }

    /** Nothing can be said for sure, so that no other way may be taken. */
    public static AskReply unclear(String code, @Nullable String message) {
        return new AskReply(Status.PROCESSING, null, null, code, message);
    }
}
