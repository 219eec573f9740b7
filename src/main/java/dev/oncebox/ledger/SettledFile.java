package dev.oncebox.ledger;

import org.jspecify.annotations.Nullable;

/**
 * A file of which every item has its end, ready for the outbox.
 *
 * @param path below the inbox
 * @param sidecar where the address of its job was written, below the outbox; null when none was
 * @param output where its answers went the last time, below the outbox; null when they never did
 */
public record SettledFile(
        long id,
        String path,
        String job,
        DroppedFile.Kind kind,
        byte[] sha256,
        long receivedAt,
        @Nullable String sidecar,
        @Nullable String output) {}
