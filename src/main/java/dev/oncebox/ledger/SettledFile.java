package dev.oncebox.ledger;

import org.jspecify.annotations.Nullable;

/**
 * A file of which every item has its end, ready for the outbox.
 *
 * @param path below the inbox
 * @param items how many the intake recorded
 * @param invalid how many of them it recorded as not to be sent
 * @param sidecar where the address of its job was written, below the outbox; null when none was
 * @param output where its answers went the last time; null when they never did. Without a seal when they may be others now
 * @param head what the answers begin with, as {@link DroppedFile#head}
 * @param reopened how often calls of its were asked anew after their end
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
        @Nullable Output output,
        @Nullable String head,
        long reopened) {

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
            @Nullable Output output) {
        this(id, path, job, kind, sha256, receivedAt, items, invalid, sidecar, output, null, 0);
    }
}
