package dev.oncebox.ledger.sql;

import dev.oncebox.ledger.DroppedFile;
import org.jspecify.annotations.Nullable;

/**
 * Why an item is refused that has the id of an earlier one of its file.
 *
 * @param message a sentence for whoever wrote the file
 */
record SameId(String code, String message) {

    /**
     * @param first the number of the earlier item
     * @param sameRequest whether both ask for the same
     * @return null when the item is as good as the earlier one
     */
    static @Nullable SameId refusal(DroppedFile.Kind kind, long first, boolean sameRequest) {
        if (kind == DroppedFile.Kind.OPENAI) {
            return new SameId(
                    "duplicate_custom_id",
                    "The custom_id stands on line " + first + " already; give each line one of its own.");
        }
        return sameRequest
                ? null
                : new SameId(
                        "duplicate_id",
                        "Item " + first + " of this file has the same id and other content."
                                + " Give each item an id of its own, or leave the ids out.");
    }
}
