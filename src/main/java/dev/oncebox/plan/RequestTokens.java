package dev.oncebox.plan;

import com.fasterxml.jackson.databind.JsonNode;
import dev.oncebox.job.Job;
import dev.oncebox.ledger.Request;
import org.jspecify.annotations.Nullable;

/** Estimates how many tokens a request has: its texts, the job's share of them, and what each message adds. */
final class RequestTokens {

    /** What OpenAI's chat format puts around a message, and before the answer. */
    private static final int A_MESSAGE = 4;

    private static final int AN_ANSWER = 3;

    private final TokenCounter counter;
    private final long shared;

    RequestTokens(Job job, TokenCounter counter) {
        this.counter = counter;
        long own = job.system() == null ? 0 : A_MESSAGE + counter.count(job.system());
        JsonNode tools = job.params().get("tools");
        this.shared = AN_ANSWER
                + own
                + (job.schema() == null ? 0 : counter.count(job.schema().toString()))
                + (tools == null ? 0 : counter.count(tools.toString()));
    }

    /** Null when it holds something else than text. */
    @Nullable
    Long of(Request request) {
        if (request.passed() != null) {
            JsonNode body = request.passed().body();
            return body.has("messages")
                    ? messages(AN_ANSWER, body.path("messages"))
                    : Long.valueOf(counter.count(body.toString()));
        }
        long tokens = shared;
        if (request.text() != null) {
            tokens += A_MESSAGE + counter.count(request.text());
        }
        return request.messages() == null ? (Long) tokens : messages(tokens, request.messages());
    }

    private @Nullable Long messages(long before, JsonNode messages) {
        long tokens = before;
        for (JsonNode message : messages) {
            Long content = content(message.path("content"));
            if (content == null) {
                return null;
            }
            JsonNode calls = message.path("tool_calls");
            tokens += A_MESSAGE + content + (calls.isMissingNode() ? 0 : counter.count(calls.toString()));
        }
        return tokens;
    }

    private @Nullable Long content(JsonNode content) {
        if (!content.isArray()) {
            return content.isContainerNode() ? null : Long.valueOf(counter.count(content.textValue()));
        }
        long tokens = 0;
        for (JsonNode part : content) {
            if (!part.path("text").isTextual()) {
                return null;
            }
            tokens += counter.count(part.path("text").textValue());
        }
        return tokens;
    }
}
