package dev.oncebox.ledger;

import java.util.HexFormat;

/**
 * A claimed call, as the worker that claimed it sees it.
 *
 * @param key SHA-256 of the canonical request
 * @param job the name of the job that first asked
 * @param engine the engine to ask
 * @param fence raised by every claim; a write with an older one is stale
 * @param sends how often it was sent before
 * @param attempts how many of these were, or may have been, charged
 * @param earlier how many attempts no longer count: at engines before this one, or before a person's retry
 * @param unresolved attempts at this engine whose end is unknown, and which it recognises by the call's key
 * @param failures attempts in a row without an answer, for the backoff
 * @param refusedSince when the refusals in a row began, epoch milliseconds; 0: the last attempt was no refusal
 */
public record Call(
        long id,
        byte[] key,
        String job,
        String engine,
        long fence,
        int sends,
        int attempts,
        int earlier,
        int unresolved,
        int failures,
        long refusedSince,
        Request request) {

    public String keyHex() {
        return HexFormat.of().formatHex(key);
    }
}
