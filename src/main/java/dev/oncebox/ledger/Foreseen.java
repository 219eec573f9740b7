package dev.oncebox.ledger;

/**
 * What taking in an item would come to, found out without taking it in.
 *
 * @param entry the item; an {@link Entry.Invalid} with the reason where it would be refused
 * @param variant whether it is written otherwise than the item that first asked for its call
 */
public record Foreseen(Entry entry, Kind kind, boolean variant) {

    /** What becomes of an item; of the items of one call only the first is told by the call's state. */
    public enum Kind {
        /** It is not sent and has its line in the errors file. */
        INVALID,
        /** Nobody asked for it before: it is sent. */
        NEW,
        /** It failed for good at no cost, and dropping the file sends it again. */
        RETRIED,
        /** Its answer is in the ledger. */
        ANSWERED,
        /** An earlier file asked for it, and it will be sent for that one. */
        WAITING,
        /** It was sent, and its answer is awaited. */
        IN_FLIGHT,
        /** A person has to decide about it. */
        IN_DOUBT,
        /** It failed for good, and dropping the file does not change that. */
        DEAD,
        /** An earlier item of the same file has the same call. */
        REPEATED,
        /** An earlier one of the files has the same call. */
        SHARED;

        /** Whether the item's call is sent because of this item. */
        public boolean isSent() {
            return this == NEW || this == RETRIED;
        }
    }

    /** An item that cannot be read. */
    public static Foreseen invalid(Entry.Invalid entry) {
        return new Foreseen(entry, Kind.INVALID, false);
    }

    /** An item that is refused though it can be read. */
    public static Foreseen refused(Entry.Asking entry, String code, String message) {
        return invalid(new Entry.Invalid(entry.n(), entry.line(), entry.offset(), entry.id(), code, message));
    }
}
