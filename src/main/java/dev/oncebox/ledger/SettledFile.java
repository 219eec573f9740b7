package dev.oncebox.ledger;

import org.jspecify.annotations.Nullable;

/**
 * A file of which every item has its end, ready for the outbox.
 *
 * @param path below the inbox
 * @param items how many the intake recorded
 * @param invalid how many of them it recorded as not to be sent
 * @param sidecar where the address of its job was written, below the outbox; null when none was
 * @param output where its answers went the last time, below the outbox; null when they never did
 * @param head what the answers begin with, as {@link DroppedFile#head}
 */
public record SettledFile(
        long id,
        String path,
        String job,
        DroppedFile.Kind kind,
        byte[] sha256,
        long receivedAt,
        long items,
        long invalid,
        @Nullable String sidecar,
        @Nullable String output,
        @Nullable String head) {

    public SettledFile(
            long id,
            String path,
            String job,
            DroppedFile.Kind kind,
            byte[] sha256,
            long receivedAt,
            long items,
            long invalid,
            @Nullable String sidecar,
            @Nullable String output) {
        this(id, path, job, kind, sha256, receivedAt, items, invalid, sidecar, output, null);
    }
}
