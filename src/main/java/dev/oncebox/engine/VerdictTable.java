package dev.oncebox.engine;

import com.fasterxml.jackson.databind.JsonNode;
import dev.oncebox.ledger.Answer;
import dev.oncebox.ledger.Charged;
import dev.oncebox.ledger.Usage;
import dev.oncebox.ledger.Verdict;
import dev.oncebox.ledger.Verdict.Refused.Cause;
import java.io.IOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * What an observation means: the table that decides about money. A pure function; it says neither more nor less than
 * what was seen.
 *
 * <table>
 *   <caption>charged, and what follows</caption>
 *   <tr><th>observed</th><th>charged</th><th>verdict</th></tr>
 *   <tr><td>nothing written: unknown host, refused, TLS</td><td>no</td><td>Unsent</td></tr>
 *   <tr><td>written, then no reply</td><td>unknown</td><td>Unknown</td></tr>
 *   <tr><td>2xx with an answer</td><td>yes</td><td>Valid, as far as the envelope goes</td></tr>
 *   <tr><td>2xx, cut, not JSON, empty, no answer in it</td><td>unknown</td><td>Incomplete</td></tr>
 *   <tr><td>2xx with an error object</td><td>no</td><td>as its code would be</td></tr>
 *   <tr><td>202</td><td>yes</td><td>Unusable: only asynchronous protocols wait</td></tr>
 *   <tr><td>408, 425, 429, 503, 529</td><td>no</td><td>Refused, busy</td></tr>
 *   <tr><td>429 insufficient_quota, 401, 402, 403, 3xx but 303</td><td>no</td><td>Refused, the engine's own</td></tr>
 *   <tr><td>303, 409</td><td>unknown</td><td>Unknown</td></tr>
 *   <tr><td>404, 405, 413, 415; 400 or 422 for the model or the length</td><td>no</td><td>Refused, misfit</td></tr>
 *   <tr><td>other 4xx</td><td>no</td><td>Refused, the request's own</td></tr>
 *   <tr><td>500 and other 5xx</td><td>unknown</td><td>Unknown, unless x-should-retry is true</td></tr>
 *   <tr><td>409 and 5xx that the engine declares unpaid</td><td>no</td><td>Refused, busy</td></tr>
 * </table>
 */
final class VerdictTable {

    private static final Set<Integer> BUSY = Set.of(408, 425, 429, 503, 529);
    /** What a server answers to a POST that it did process. */
    private static final int SEE_OTHER = 303;

    private static final int CONFLICT = 409;

    private static final Set<Integer> ACCOUNT = Set.of(401, 402, 403);
    private static final Set<Integer> MISFIT = Set.of(404, 405, 413, 415);
    private static final Set<Integer> NOT_ACCEPTED = Set.of(400, 422);
    private static final int LONGEST_REASON = 300;

    private VerdictTable() {}

    /**
     * Judges one attempt.
     *
     * @param price what the engine's own usage object costs
     * @param unpaid what this endpoint answers only where it charges nothing
     */
    static Verdict judge(
            Observed observed,
            Protocol protocol,
            Function<@Nullable JsonNode, Usage> price,
            Set<Integer> unpaid,
            Instant now) {
        if (observed instanceof Observed.Failure failure) {
            return failure(failure.cause());
        }
        Observed.Response response = (Observed.Response) observed;
        int status = response.status();
        if (status == 202) {
            return new Verdict.Unusable(
                    "accepted_for_later",
                    "The endpoint accepted the call (202) and will answer"
                            + " later, which this engine's protocol does not wait for.",
                    Usage.UNKNOWN);
        }
        if (status >= 200 && status < 300) {
            return success(response, protocol, price, unpaid, now);
        }
        return error(status, ErrorBody.of(Json.tree(response.body()), true), response, unpaid, now);
    }

    private static Verdict failure(IOException failure) {
        if (failure instanceof NotSentException) {
            return new Verdict.Unsent(unsentCode(failure.getCause()), "Nothing was sent: " + failure.getMessage());
        }
        if (failure instanceof DeadlineException) {
            return new Verdict.Unknown("timeout", String.valueOf(failure.getMessage()), true);
        }
        return new Verdict.Unknown(
                "connection_lost",
                "The connection ended after the request was sent and before a" + " reply came ("
                        + failure.getClass().getSimpleName() + ").",
                false);
    }

    private static String unsentCode(@Nullable Throwable cause) {
        if (cause instanceof UnknownHostException) {
            return "unknown_host";
        }
        if (cause instanceof SSLException) {
            return "tls_failed";
        }
        if (cause instanceof SocketTimeoutException) {
            return "connect_timeout";
        }
        if (cause instanceof ConnectException || cause instanceof NoRouteToHostException) {
            return "connection_refused";
        }
        return "not_connected";
    }

    private static Verdict success(
            Observed.Response response,
            Protocol protocol,
            Function<@Nullable JsonNode, Usage> price,
            Set<Integer> unpaid,
            Instant now) {
        if (response.cut() != null) {
            return incomplete("cut_short", "The reply is not whole: " + response.cut() + ".", Usage.UNKNOWN);
        }
        JsonNode reply = protocol.parse(response.body());
        if (reply == null) {
            return incomplete(
                    "not_json_reply",
                    response.body().length == 0
                            ? "The reply is empty."
                            : "The reply is not JSON: " + beginning(response.body()),
                    Usage.UNKNOWN);
        }
        ErrorBody error = ErrorBody.of(reply, false);
        Protocol.Envelope envelope = protocol.read(reply);
        Usage usage = price.apply(envelope == null ? reply.get("usage") : envelope.usage());
        JsonNode content = envelope == null ? null : envelope.content();
        boolean answeredAnyway = content != null && reply.size() > 1 && error != null && error.saysNothing();
        if (error != null && !answeredAnyway) {
            if (hasAnswer(content, reply, error) || wasGenerated(usage)) {
                // what brought an answer was no refusal: it may have been charged, so it counts as an attempt
                return incomplete(
                        "answer_with_error",
                        "The reply holds an answer and an error as well"
                                + (error.message() == null ? "." : ": " + shorten(error.message())),
                        usage);
            }
            return error(error.status(), error, response, unpaid, now);
        }
        if (envelope == null) {
            return incomplete("no_answer", "The reply holds no answer where one should be.", usage);
        }
        if (!envelope.whole()) {
            return incomplete("cut_short", "The reply is not whole: the engine does not say that it is done.", usage);
        }
        return new Verdict.Valid(
                new Answer(envelope.content(), envelope.refusal(), envelope.finish(), envelope.model(), usage, null));
    }

    /** An answer beside the error; a blank one only where the error does not say what happened. */
    private static boolean hasAnswer(@Nullable JsonNode content, JsonNode reply, ErrorBody error) {
        if (content == null || (content == reply && reply.size() == 1)) {
            return false;
        }
        return error.isUnknown() || !content.isTextual() || !content.textValue().isBlank();
    }

    private static boolean wasGenerated(Usage usage) {
        return usage.outputTokens() != null && usage.outputTokens() > 0;
    }

    private static Verdict incomplete(String code, String reason, Usage usage) {
        return new Verdict.Incomplete(code, reason, Charged.UNKNOWN, usage);
    }

    private static Verdict error(
            int status, @Nullable ErrorBody error, Observed.Response response, Set<Integer> unpaid, Instant now) {
        String code = error == null || error.code() == null ? "http_" + status : error.code();
        String reason = "The endpoint answered "
                + (response.status() < 300 ? "with an error under " + response.status() : status)
                + (error == null || error.message() == null ? "." : ": " + shorten(error.message()));
        Duration wait = RetryAfter.of(response.headers(), now);
        String retry = response.headers().getOrDefault("x-should-retry", "");
        return cause(status, error, retry, unpaid)
                .<Verdict>map(cause -> new Verdict.Refused(code, reason, cause, wait))
                .orElseGet(() -> new Verdict.Unknown(code, reason, false, !retry.equals("false")));
    }

    /** Whose fault it is; empty where it may have been processed, so that it is no refusal. */
    private static Optional<Cause> cause(int status, @Nullable ErrorBody error, String retry, Set<Integer> unpaid) {
        boolean mayBeProcessed = status == CONFLICT || (status >= 500 && status < 600);
        boolean slowDown = error != null && error.isSlowDown() && status >= 400 && status != CONFLICT;
        boolean busy = BUSY.contains(status) || slowDown || (mayBeProcessed && unpaid.contains(status));
        if (error != null && (error.isAboutMoney() || (status == 400 && error.isCreditTooLow()))) {
            return Optional.of(Cause.ENGINE);
        }
        if (busy && retry.equals("false")) {
            return Optional.of(Cause.REQUEST);
        }
        boolean calledBack = status >= 400 && status < 600 && status != CONFLICT && retry.equals("true");
        if (busy || calledBack) {
            return Optional.of(Cause.BUSY);
        }
        if (ACCOUNT.contains(status) || (status >= 300 && status < 400 && status != SEE_OTHER)) {
            return Optional.of(Cause.ENGINE);
        }
        if (MISFIT.contains(status) || (NOT_ACCEPTED.contains(status) && error != null && error.isAboutTheEngine())) {
            return Optional.of(Cause.MISFIT);
        }
        return status >= 400 && status < 500 && status != CONFLICT ? Optional.of(Cause.REQUEST) : Optional.empty();
    }

    private static String beginning(byte[] body) {
        return shorten(new String(body, 0, Math.min(body.length, 200), StandardCharsets.UTF_8));
    }

    private static String shorten(String text) {
        String line = text.replaceAll("[\\p{Cntrl}\\s]+", " ").strip();
        return line.length() <= LONGEST_REASON ? line : line.substring(0, LONGEST_REASON) + "…";
    }
}
