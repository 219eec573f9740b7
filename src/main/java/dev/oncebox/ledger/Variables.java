package dev.oncebox.ledger;

/**
 * The exchange variables that stages hand to one another. Variables and not headers: a header would be sent to the
 * endpoint, and a header of the right name would redirect the call.
 */
public final class Variables {

    /** The {@link ReceivedFile} whose items are recorded. */
    public static final String FILE = "file";

    /** Where in the inbox lies what a source handed over, which waits to see it recorded; at first, who it is. */
    public static final String HANDED_OVER = "handedOver";

    /** The {@link Call} that is dispatched. */
    public static final String CALL = "call";

    /** The {@link Batch} that is submitted or asked for; with a {@link #CALL}, the batch of that call. */
    public static final String BATCH = "batch";

    /** When the call's send was recorded, by {@link System#nanoTime}: from then on its request may have left. */
    public static final String SENT = "sent";

    /** True for a call that was accepted before and is asked for; nothing is sent for it. */
    public static final String ASKED = "asked";

    /** True once the call's outcome is recorded, or kept where the ledger cannot take it. */
    public static final String CALL_SETTLED = "callSettled";

    /** The {@link Reply} as it came. */
    public static final String REPLY = "reply";

    /** The {@link Answer} taken out of the reply. */
    public static final String ANSWER = "answer";

    /** The {@link Verdict} that is settled. */
    public static final String VERDICT = "verdict";

    /** The {@link QueuedFile} whose address is written. */
    public static final String QUEUED = "queued";

    /** The {@link SettledFile} that is delivered. */
    public static final String SETTLED = "settled";

    private Variables() {}
}
