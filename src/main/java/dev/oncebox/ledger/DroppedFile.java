package dev.oncebox.ledger;

import dev.oncebox.job.Job;
import org.jspecify.annotations.Nullable;

/**
 * A file that was dropped.
 *
 * @param path below the inbox, with {@code /} between the names
 * @param kind what its items are
 * @param sha256 of its bytes
 * @param head what the answers begin with, in a form of the intake's own; null for all but tables
 */
public record DroppedFile(
        String path,
        Job job,
        Kind kind,
        byte[] sha256,
        @Nullable String head) {

    public DroppedFile(String path, Job job, Kind kind, byte[] sha256) {
        this(path, job, kind, sha256, null);
    }

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
        OPENAI,
        /** One item a row; the answers are further columns. */
        TABLE;

        /** Whether such a file is one item as a whole. */
        public boolean isOneItem() {
            return this == TEXT || this == OBJECT;
        }
    }
}
