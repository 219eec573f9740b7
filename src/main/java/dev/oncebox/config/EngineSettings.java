package dev.oncebox.config;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigDecimal;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One model endpoint, from {@code engine.<name>.…} in {@code application.properties}.
 *
 * @param url the address that requests are posted to
 * @param timeout total for one call, from the connection to the last byte of the reply
 * @param concurrency calls in flight
 * @param requestsPerMinute sends that may start in a minute; null: any number
 * @param tokensPerMinute tokens that may be used in a minute, prompts and answers together; null: any number
 * @param inputPrice per million tokens; null when not known
 * @param idempotencyHeader carries the call's key, the same on every attempt; empty: not sent
 * @param deduplicates whether the endpoint honours that key, so that a resend is safe
 * @param unpaidStatuses what this endpoint answers only where it charges nothing
 * @param answer for {@link Protocol#JSON} and {@link Protocol#ASYNC}: JSON Pointer to the answer in the reply
 * @param body for {@link Protocol#JSON} and {@link Protocol#ASYNC}: the template of the request body
 * @param async how it is asked for its answers, if its protocol answers later
 */
public record EngineSettings(
        String name,
        Protocol protocol,
        URI url,
        @Nullable String model,
        @Nullable Secret apiKey,
        Map<String, Secret> headers,
        Duration timeout,
        Duration connectTimeout,
        int concurrency,
        @Nullable Long requestsPerMinute,
        @Nullable Long tokensPerMinute,
        @Nullable BigDecimal inputPrice,
        @Nullable BigDecimal outputPrice,
        String idempotencyHeader,
        boolean deduplicates,
        OnDoubt onDoubt,
        Set<Integer> unpaidStatuses,
        String answer,
        @Nullable JsonNode body,
        AsyncSettings async) {

    /** How long an answer may be where the job does not say: Anthropic refuses a request without a limit. */
    public static final int ANTHROPICS_MOST_TOKENS = 4096;

    /** How an endpoint is spoken to. */
    public enum Protocol {
        /** OpenAI chat completions and what is compatible with it. */
        OPENAI,
        /** Anthropic's messages. */
        ANTHROPIC,
        /** Ollama's own chat. */
        OLLAMA,
        /** Any endpoint that takes and returns JSON. */
        JSON,
        /** The same, answered later: 202 with the address of a job that is asked for. */
        ASYNC,
        /** OpenAI's Responses in the background. */
        OPENAI_RESPONSES,
        /** OpenAI's batches of chat completions. */
        OPENAI_BATCH,
        /** Anthropic's batches of messages. */
        ANTHROPIC_BATCH;

        /** Whether a request is accepted first and answered later. */
        public boolean isAsynchronous() {
            return this == ASYNC || this == OPENAI_RESPONSES || isBatch();
        }

        /** Whether many requests are submitted together. */
        public boolean isBatch() {
            return this == OPENAI_BATCH || this == ANTHROPIC_BATCH;
        }
    }

    /** What to do with a call that was sent and of which nobody knows whether it was processed. */
    public enum OnDoubt {
        /** Send it again, within the job's attempts, recorded as perhaps paid twice. */
        RESEND,
        /** Wait for a person. */
        HOLD
    }

    /** A value that is never shown. */
    public record Secret(String value) {
        @Override
        public String toString() {
            return "***";
        }
    }
}
