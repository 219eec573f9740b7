package dev.oncebox.intake;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.oncebox.ledger.Request;
import org.jspecify.annotations.Nullable;

/** One request in a dropped file, or the place where one should have been. */
public sealed interface Item {

    /** Which item of its file: the line number in a line file, the place in an array, else 1. Counted from 1. */
    long n();

    /** The line on which it starts, counted from 1. */
    long line();

    /** Where it starts, in bytes from the start of the file; for bad characters, where the first of them is. */
    long offset();

    /** The item's own id as JSON text, numbers spelled as in the file; null when it has none that can be read. */
    @Nullable
    String id();

    /**
     * An item that can be asked.
     *
     * @param text what to ask; null when the item brought {@code messages}
     * @param messages chat messages, at least one, each with a {@code role}; null when there is a {@code text}
     * @param fields the whole object with exact numbers; for plain text just {@code text}
     * @param passed the whole body that is to be sent; there is neither text nor messages then. Null: it is to be made
     * @param row the row of a table as it stands in the file, its line end included; null: it is no row
     */
    record Readable(
            long n,
            long line,
            long offset,
            @Nullable String id,
            @Nullable String text,
            @Nullable ArrayNode messages,
            ObjectNode fields,
            Request.@Nullable Passed passed,
            @Nullable String row)
            implements Item {}

    /**
     * An item that is not sent.
     *
     * @param code what is wrong, for programs
     * @param message what is wrong and what to do, for people
     */
    record Unreadable(
            long n, long line, long offset, @Nullable String id, String code, String message) implements Item {}
}
