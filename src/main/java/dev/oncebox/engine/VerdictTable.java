package dev.oncebox.engine;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
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
import java.util.Locale;
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
 *   <tr><td>other 4xx</td><td>no</td><td>Refused, the request's own</td></tr>
 *   <tr><td>500 and other 5xx</td><td>unknown</td><td>Unknown, unless x-should-retry says that it was no</td></tr>
 * </table>
 */
final class VerdictTable {

    private static final Set<Integer> BUSY = Set.of(408, 425, 429, 503, 529);
    /** What a server answers to a POST that it did process. */
    private static final int SEE_OTHER = 303;

    private static final Set<Integer> ACCOUNT = Set.of(401, 402, 403);
    private static final Set<String> MONEY = Set.of(
            "insufficient_quota",
            "billing_hard_limit_reached",
            "billing_not_active",
            "credit_balance_too_low",
            "billing_error",
            "payment_required",
            "spend_limit_reached");
    private static final Set<String> BUSY_CODES =
            Set.of("rate_limit_exceeded", "rate_limit_error", "slow_down", "overloaded_error", "overloaded");
    private static final Set<String> ACCOUNT_CODES =
            Set.of("invalid_api_key", "authentication_error", "permission_error", "account_deactivated");
    private static final Set<String> REQUEST_CODES = Set.of(
            "invalid_request_error",
            "context_length_exceeded",
            "content_filter",
            "content_policy_violation",
            "model_not_found",
            "not_found_error");
    private static final int LONGEST_REASON = 300;

    private static final ObjectMapper JSON = Json.MAPPER;

    private VerdictTable() {}

    /**
     * Judges one attempt.
     *
     * @param price what the engine's own usage object costs
     */
    static Verdict judge(Observed observed, Protocol protocol, Function<@Nullable JsonNode, Usage> price, Instant now) {
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
            return success(response, protocol, price, now);
        }
        return error(status, ErrorBody.of(tree(response.body())), response, now);
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
            Observed.Response response, Protocol protocol, Function<@Nullable JsonNode, Usage> price, Instant now) {
        if (response.cut() != null) {
            return incomplete("cut_short", "The reply is not whole: " + response.cut() + ".", Usage.UNKNOWN);
        }
        JsonNode reply = tree(response.body());
        if (reply == null) {
            return incomplete(
                    "not_json_reply",
                    response.body().length == 0
                            ? "The reply is empty."
                            : "The reply is not JSON: " + beginning(response.body()),
                    Usage.UNKNOWN);
        }
        ErrorBody error = ErrorBody.of(reply);
        Protocol.Envelope envelope = protocol.read(reply);
        Usage usage = price.apply(envelope == null ? reply.get("usage") : envelope.usage());
        JsonNode content = envelope == null ? null : envelope.content();
        boolean answeredAnyway = content != null && reply.size() > 1 && error != null && error.saysNothing();
        if (error != null && !answeredAnyway) {
            if (content != null && (content != reply || reply.size() > 1) && error.isUnknown()) {
                // what brought an answer was no refusal: it may have been charged, so it counts as an attempt
                return incomplete(
                        "answer_with_error",
                        "The reply holds an answer and an error as well"
                                + (error.message() == null ? "." : ": " + shorten(error.message())),
                        usage);
            }
            return error(error.status(), error, response, now);
        }
        if (envelope == null) {
            return incomplete("no_answer", "The reply holds no answer where one should be.", usage);
        }
        if (envelope.refusal() != null && envelope.content() == null) {
            return new Verdict.Unusable(
                    "refused_by_model", "The model declined: " + shorten(envelope.refusal()), usage);
        }
        return new Verdict.Valid(new Answer(envelope.content(), envelope.finish(), envelope.model(), usage));
    }

    private static Verdict incomplete(String code, String reason, Usage usage) {
        return new Verdict.Incomplete(code, reason, Charged.UNKNOWN, usage);
    }

    private static Verdict error(int status, @Nullable ErrorBody error, Observed.Response response, Instant now) {
        String code = error == null || error.code() == null ? "http_" + status : error.code();
        String reason = "The endpoint answered "
                + (response.status() < 300 ? "with an error under " + response.status() : status)
                + (error == null || error.message() == null ? "." : ": " + shorten(error.message()));
        Duration wait = RetryAfter.of(response.headers(), now);
        String retry = response.headers().getOrDefault("x-should-retry", "");
        if (error != null && (error.isOneOf(MONEY) || (status == 400 && error.isCreditTooLow()))) {
            return new Verdict.Refused(code, reason, Cause.ENGINE, wait);
        }
        if (BUSY.contains(status) && retry.equals("false")) {
            return new Verdict.Refused(code, reason, Cause.REQUEST, wait);
        }
        if (BUSY.contains(status) || (status >= 400 && status < 600 && status != 409 && retry.equals("true"))) {
            return new Verdict.Refused(code, reason, Cause.BUSY, wait);
        }
        if (ACCOUNT.contains(status) || (status >= 300 && status < 400 && status != SEE_OTHER)) {
            return new Verdict.Refused(code, reason, Cause.ENGINE, wait);
        }
        if (status >= 400 && status < 500 && status != 409) {
            return new Verdict.Refused(code, reason, Cause.REQUEST, wait);
        }
        return new Verdict.Unknown(code, reason, false);
    }

    private static @Nullable JsonNode tree(byte[] body) {
        try {
            JsonNode tree = JSON.readTree(body);
            return tree == null || tree.isMissingNode() ? null : tree;
        } catch (IOException e) {
            return null; // not JSON, or bytes that are no text
        }
    }

    private static String beginning(byte[] body) {
        return shorten(new String(body, 0, Math.min(body.length, 200), StandardCharsets.UTF_8));
    }

    private static String shorten(String text) {
        String line = text.replaceAll("[\\p{Cntrl}\\s]+", " ").strip();
        return line.length() <= LONGEST_REASON ? line : line.substring(0, LONGEST_REASON) + "…";
    }

    /** An error in any of the shapes that endpoints send: an object, or just a text. */
    private record ErrorBody(
            @Nullable String code,
            @Nullable String type,
            @Nullable String message) {

        static @Nullable ErrorBody of(@Nullable JsonNode reply) {
            JsonNode error = reply == null ? null : reply.get("error");
            if (error == null || isNone(error)) {
                return null;
            }
            if (!error.isObject()) {
                return new ErrorBody(null, null, error.asText());
            }
            JsonNode code = error.path("code");
            JsonNode type = error.path("type");
            return new ErrorBody(
                    code.isTextual() || code.isNumber() ? code.asText() : type.textValue(),
                    type.textValue(),
                    error.path("message").textValue());
        }

        /** Some endpoints say in every reply that there is no error. */
        private static boolean isNone(JsonNode error) {
            return error.isNull()
                    || (error.isBoolean() && !error.booleanValue())
                    || (error.isTextual() && error.textValue().isEmpty())
                    || (error.isNumber() && error.decimalValue().signum() == 0);
        }

        /** Anthropic says so with the code of a bad request. */
        boolean isCreditTooLow() {
            return message != null && message.toLowerCase(Locale.ROOT).contains("credit balance");
        }

        boolean isOneOf(Set<String> codes) {
            return (code != null && codes.contains(code.toLowerCase(Locale.ROOT)))
                    || (type != null && codes.contains(type.toLowerCase(Locale.ROOT)));
        }

        boolean saysNothing() {
            return code == null && type == null && (message == null || message.isBlank());
        }

        /** Whether neither its code nor its type is one that says what happened. */
        boolean isUnknown() {
            return !(code != null && code.matches("[45]\\d\\d"))
                    && !isOneOf(ACCOUNT_CODES)
                    && !isOneOf(MONEY)
                    && !isOneOf(BUSY_CODES)
                    && !isOneOf(REQUEST_CODES);
        }

        /** The status that an error under a success would have had; one without an answer beside it cost nothing. */
        int status() {
            if (code != null && code.matches("[45]\\d\\d")) {
                return Integer.parseInt(code);
            }
            if (isOneOf(ACCOUNT_CODES) || isOneOf(MONEY)) {
                return 401;
            }
            if (isOneOf(BUSY_CODES)) {
                return 429;
            }
            return isOneOf(REQUEST_CODES) ? 400 : 503;
        }
    }
}
