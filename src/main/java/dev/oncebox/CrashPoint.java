package dev.oncebox;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * The moments between two durable steps. A test names one in the system property {@code oncebox.crash-at} and the
 * process halts there as if it had been killed; otherwise reaching one does nothing.
 *
 * <p>{@code oncebox.crash-at=AFTER_SENT:3} halts when the moment is reached for the third time.
 */
public enum CrashPoint {
    /** A file is known; none of its items is recorded. */
    AFTER_RECEIVED,
    /** Items of a file are recorded; there may be more. */
    AFTER_RECORDED,
    /** All items of a file are recorded; the file is still in the inbox. */
    AFTER_INTAKE,
    /** The file is in the archive; the ledger is not told. */
    AFTER_ARCHIVE_MOVE,
    /** The ledger knows that the file is in the archive. */
    AFTER_ARCHIVED,
    /** Why a file is rejected stands in its place; the file is still in the inbox. */
    AFTER_EXPLAINED,
    /** A call is claimed; nothing was sent. */
    AFTER_CLAIM,
    /** The send is recorded; the first byte has not left. */
    AFTER_SENT,
    /** The first byte of the reply has arrived. */
    AFTER_FIRST_BYTE,
    /** The whole reply has arrived; nothing is recorded. */
    AFTER_RESPONSE,
    /** The outcome is recorded; nothing is in the outbox. */
    AFTER_DONE,
    /** A call belongs to its job's next engine, which was not asked yet. */
    AFTER_FALLBACK,
    /** It is recorded that an engine is left in peace. */
    AFTER_PAUSE,
    /** An outbox file is whole under its temporary name. */
    AFTER_TEMP_FILE,
    /** An outbox file has its name. */
    AFTER_RENAME,
    /** All files of a delivery are in the outbox; the delivery is not recorded. */
    AFTER_DELIVERED,
    /** The delivery is recorded. */
    AFTER_DELIVERY_RECORDED,
    /** A reply that an earlier process could not record is recorded. */
    AFTER_RESCUE,
    /** A new process has opened the ledger and looked at nothing in it. */
    BEFORE_RECOVERY,
    /** What the last process left is in order, but not for good: the transaction is open. */
    IN_RECOVERY,
    /** What the last process left of calls is in order. */
    AFTER_RECOVERY,
    /** Everything that the last process left is in order; nothing is taken or sent. */
    AFTER_RESUME,
    /** Nothing is in flight any more; the process has not said goodbye. */
    AFTER_DRAIN,
    /** It is recorded that an asynchronous engine accepted a call. */
    AFTER_ACCEPTED,
    /** An accepted call is due to be asked for; it was not asked. */
    BEFORE_ASKING,
    /** An accepted call was asked for; the reply is not recorded. */
    AFTER_ASKING,
    /** Calls are claimed for a batch; nothing was sent. */
    AFTER_GATHERED,
    /** What a batch asks is uploaded, which costs nothing; its submission is not recorded. */
    AFTER_UPLOAD,
    /** Some answers of a batch are recorded. */
    IN_RESULTS;

    private final AtomicInteger left = new AtomicInteger(passes(name()));

    /** Ends the process here, at once and without a farewell, when a test asked for it. */
    public void reach() {
        if (left.get() > 0 && left.decrementAndGet() == 0) {
            Runtime.getRuntime().halt(137);
        }
    }

    private static int passes(String name) {
        String[] wanted = System.getProperty("oncebox.crash-at", "").split(":", 2);
        if (!wanted[0].equals(name)) {
            return 0;
        }
        return wanted.length == 1 ? 1 : Integer.parseInt(wanted[1]);
    }
}
