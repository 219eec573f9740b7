package dev.oncebox.ledger;

/** What the journal records. Each says what the next start does when it is the last event of a call. */
public enum EventKind {
    /** A worker claimed the call; nothing was sent: it is sent. */
    ATTEMPT,
    /** Durable before the first byte left: the engine's doubt policy. */
    SENT,
    /** An asynchronous engine accepted the call: it is polled, never sent. */
    QUEUED,
    /** An accepted call was asked for: it is polled again. */
    POLLED,
    /** No whole reply within the engine's timeout: the engine's doubt policy. */
    TIMEOUT,
    /** A reply that was cut short or does not meet the job's rules: sent again within the attempts, or dead. */
    INCOMPLETE,
    /** Certainly not charged: sent again later, or dead. */
    REFUSED,
    /** Sent, and nobody knows whether it was processed: the engine's doubt policy. */
    IN_DOUBT,
    /** Handed to the next engine of the job. */
    FALLBACK,
    /** Another item asked for a known call: nothing is sent for it. */
    CACHE_HIT,
    /** The answer is stored: nothing is sent, missing outbox files are written. */
    COMPLETE,
    /** A file's answers are in the outbox. */
    DELIVERED,
    /** Failed for good: nothing, until somebody asks for it again. */
    DEAD_LETTER
}
