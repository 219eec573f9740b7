package dev.oncebox.ledger;

import org.jspecify.annotations.Nullable;

/**
 * A file of one item that an asynchronous engine works on.
 *
 * @param path below the inbox
 * @param sidecar where its address was written before, below the outbox; null when it never was
 * @param address where the engine is asked for the answer
 */
public record QueuedFile(long id, String path, @Nullable String sidecar, String address) {}
