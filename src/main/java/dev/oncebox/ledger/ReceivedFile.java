package dev.oncebox.ledger;

/**
 * The ledger's record of a dropped file.
 *
 * @param known whether all its items are recorded already, so that it need not be read again
 * @param receivedAt epoch milliseconds
 */
public record ReceivedFile(long id, DroppedFile file, boolean known, long receivedAt) {}
