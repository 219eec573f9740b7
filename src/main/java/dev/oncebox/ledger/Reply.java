package dev.oncebox.ledger;

/**
 * The bytes that came back, kept whatever they mean: they may have been paid for.
 *
 * @param status the HTTP status
 * @param body as received, perhaps cut short
 */
public record Reply(int status, byte[] body) {}
