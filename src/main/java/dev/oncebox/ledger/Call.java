package dev.oncebox.ledger;

import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

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
 * @param remote where an asynchronous engine is asked for the answer; null while it has not accepted the call
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
        Request request,
        @Nullable Remote remote) {

    /**
     * A job at an asynchronous engine.
     *
     * @param address where it is asked for
     * @param seen when the engine last knew of it, or since when it has said the same of not knowing it, epoch
     *     milliseconds
     * @param said what the engine last said of it; null: nothing yet
     */
    public record Remote(
            String address, long seen, @Nullable String said) {}

    public Call(
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
        this(id, key, job, engine, fence, sends, attempts, earlier, unresolved, failures, refusedSince, request, null);
    }

    /** The call as it was before its last send, whose outcome is to be settled. */
    public Call beforeSend() {
        return new Call(
                id,
                key,
                job,
                engine,
                fence,
                sends - 1,
                attempts - 1,
                earlier,
                unresolved,
                failures,
                refusedSince,
                request,
                remote);
    }

    /** Under which name its engine's endpoint is bound: the engine's own, but for a whole body that is no chat. */
    public String endpoint() {
        Request.Passed passed = request.passed();
        return passed == null || passed.isChat() ? engine : endpointFor(engine, passed.url());
    }

    /**
     * The name of one of an engine's further endpoints.
     *
     * @param url as OpenAI names it
     */
    public static String endpointFor(String engine, String url) {
        return engine + url.replaceFirst("^/v\\d+", "").replace('/', '.');
    }

    public String keyHex() {
        return HexFormat.of().formatHex(key);
    }
}
