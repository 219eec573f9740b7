package dev.oncebox.ledger;

import dev.oncebox.job.Keying;
import org.jspecify.annotations.Nullable;

/** An item as it is recorded: one line of a file, one element of an array, or a whole text. */
public sealed interface Entry {

    /** Its place in the file, which orders the answers; unique within the file. */
    long n();

    /** The line where it starts, counted from 1. */
    long line();

    /** The byte where it starts, counted from 0. */
    long offset();

    /** The client's id as JSON text; null when the item has none and the place serves as one. */
    @Nullable
    String id();

    /**
     * A request to be answered.
     *
     * @param key identifies the call; items of the same key share it
     * @param content tells apart items of the same key that were not written alike
     * @param keying how the key was made
     * @param request the item's own part of the request: text or messages, and sample
     * @param row the row of a table as it stands in the file; null: it is no row
     */
    record Asking(
            long n,
            long line,
            long offset,
            @Nullable String id,
            byte[] key,
            byte[] content,
            Keying keying,
            Request request,
            @Nullable String row)
            implements Entry {

        public Asking(
                long n,
                long line,
                long offset,
                @Nullable String id,
                byte[] key,
                byte[] content,
                Keying keying,
                Request request) {
            this(n, line, offset, id, key, content, keying, request, null);
        }
    }

    /** An item that cannot be sent, and why. */
    record Invalid(long n, long line, long offset, @Nullable String id, String code, String message) implements Entry {}
}
