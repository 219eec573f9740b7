package dev.oncebox;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * The moments between two durable steps. A test names one in the system property {@code oncebox.crash-at} and the
 * process halts there as if it had been killed; otherwise reaching one does nothing.
 *
 * <p>{@code oncebox.crash-at=AFTER_SENT:3} halts when the moment is reached for the third time.
 */
public enum CrashPoint {
    /** All items of a file are recorded; the file is still in the inbox. */
    AFTER_INTAKE,
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
    /** An outbox file is whole under its temporary name. */
    AFTER_TEMP_FILE,
    /** An outbox file has its name. */
    AFTER_RENAME,
    /** All files of a delivery are in the outbox; the delivery is not recorded. */
    AFTER_DELIVERED;

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
