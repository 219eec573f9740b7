package dev.oncebox.engine;

import com.fasterxml.jackson.databind.JsonNode;
import dev.oncebox.engine.DeferredProtocol.Progress;
import dev.oncebox.ledger.Request;
import java.net.URI;
import java.util.List;
import org.apache.hc.core5.http.HttpEntity;
import org.jspecify.annotations.Nullable;

/** How a provider takes many requests together: submitted, asked for, and found again. Stateless. */
interface BatchProtocol {

    /** How the single requests and their replies are written. */
    Protocol calls();

    /** One request of a batch, as one line. */
    default byte[] line(String key, JsonNode body) {
        return line(key, Request.CHAT, body);
    }

    /**
     * The same for one of several endpoints.
     *
     * @param url as OpenAI names it
     */
    byte[] line(String key, String url, JsonNode body);

    /** The calls of a batch have this in common, in the provider's eyes. */
    default String group(JsonNode body) {
        return "";
    }

    /** Where lines are uploaded before the submission; null where they are a part of it. */
    @Nullable
    URI uploads(URI batches);

    /** What is uploaded. */
    @Nullable
    HttpEntity upload(String handle, List<byte[]> lines);

    /** The body of a submission. */
    HttpEntity submission(String handle, List<byte[]> lines, @Nullable String upload);

    /** How far a batch is; where it has ended, {@link #results} and {@link #rest} say the rest. */
    Progress progress(JsonNode batch);

    /** Where the results of a batch are, in lines; some of its calls may have none. */
    List<URI> results(URI batches, JsonNode batch);

    /** What a line of the results says. */
    Line read(JsonNode line);

    /** What it means for a call that an ended batch holds no result of it. */
    Rest rest(JsonNode batch);

    /** Where the lines of a batch that was refused can be read; null where a refusal names no lines. */
    @Nullable
    URI submitted(URI batches, JsonNode batch);

    /** The query of a page of the provider's list of batches, newest first. */
    String listing(@Nullable String after);

    /** A batch of the list. */
    Listed listed(JsonNode batch);

    /**
     * A result.
     *
     * @param key of the call; anything, for a line that is not ours
     * @param status as the provider would have answered the call alone
     * @param body the reply
     */
    record Line(String key, int status, JsonNode body) {}

    /**
     * Why calls have no result.
     *
     * @param free whether they were certainly not charged
     * @param refusal why the whole batch was refused; null when it was not
     * @param lines errors of single lines of a refused batch
     */
    record Rest(
            String code,
            String reason,
            boolean free,
            @Nullable ErrorBody refusal,
            List<LineError> lines) {}

    /**
     * Why a batch was refused for one of its lines.
     *
     * @param line counted from 1
     */
    record LineError(int line, String code, String message) {}

    /**
     * What the list says of a batch.
     *
     * @param handle the one that it was submitted with; null where the provider keeps none
     * @param created epoch seconds
     * @param calls how many it has; -1: not said
     */
    record Listed(String id, @Nullable String handle, long created, int calls, boolean ended) {}
}
