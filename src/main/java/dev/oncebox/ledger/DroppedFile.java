package dev.oncebox.ledger;

import dev.oncebox.job.Job;

/**
 * A file that was dropped.
 *
 * @param path below the inbox, with {@code /} between the names
 * @param kind what its items are
 * @param sha256 of its bytes
 */
public record DroppedFile(String path, Job job, Kind kind, byte[] sha256) {

    /** How the items of a file are laid out, and so how its answers are. */
    public enum Kind {
        /** One item: the whole text. */
        TEXT,
        /** One item a line. */
        LINES,
        /** A JSON array of items. */
        ARRAY,
        /** One JSON object. */
        OBJECT,
        /** One whole request a line, in OpenAI's batch format; the answers are in that format, too. */
        OPENAI
    }
}
