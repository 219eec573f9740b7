package dev.oncebox.intake;

import org.jspecify.annotations.Nullable;

/** Where an item stands in its file; the components are those of {@link Item}. */
record Place(long n, long line, long offset) {

    Place withOffset(long other) {
        return new Place(n, line, other);
    }

    Item.Unreadable unreadable(@Nullable String id, String code, String message) {
        return new Item.Unreadable(n, line, offset, id, code, message);
    }
}
