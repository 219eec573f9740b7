package dev.oncebox.ledger;

/** Where a call stands. */
public enum CallState {
    /** Waiting until it is due. Nothing is in flight. */
    READY,
    /** A worker has it, and nothing was sent; lost, it is {@link #READY} again. */
    CLAIMED,
    /** Durable before the first byte leaves; lost, it is in doubt. */
    SENT,
    /** An asynchronous engine accepted it; asking again costs nothing. */
    POLLING,
    /** Answered; the answer is stored. */
    DONE,
    /** Sent, and nobody knows whether it was processed; a person decides, or a late answer does. */
    DOUBT,
    /** Failed for good. */
    DEAD;

    /** Whether nothing more will happen by itself. A doubt is no end: its answer may still come. */
    public boolean isEnd() {
        return this == DONE || this == DEAD;
    }
}
