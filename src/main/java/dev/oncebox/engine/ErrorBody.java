package dev.oncebox.engine;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * An error in any of the shapes that endpoints send: an object or a text as {@code error}; under the status of an error
 * also the reply itself, or its {@code detail}.
 *
 * @param code a word or a number; the type where there is none
 * @param message null rather than blank
 */
record ErrorBody(
        @Nullable String code,
        @Nullable String type,
        @Nullable String message) {

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
    private static final Set<String> REQUEST_CODES =
            Set.of("invalid_request_error", "content_filter", "content_policy_violation");
    private static final Set<String> MISFIT_CODES = Set.of(
            "context_length_exceeded",
            "string_above_max_length",
            "request_too_large",
            "model_not_found",
            "not_found_error");

    private static final Pattern WORD = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_.+-]{0,79}");
    private static final Pattern STATUS = Pattern.compile("[45]\\d\\d");

    ErrorBody {
        message = message == null || message.isBlank() ? null : message;
    }

    /** @param failed whether the reply came under the status of an error, so that all of it speaks of the error */
    static @Nullable ErrorBody of(@Nullable JsonNode reply, boolean failed) {
        if (reply == null) {
            return null;
        }
        JsonNode error = reply.path("error");
        if (isIn(reply)) {
            if (error.isObject()) {
                return of(error, error.path("message").textValue());
            }
            String text = error.isValueNode() ? error.asText() : null;
            return failed ? of(reply, text) : new ErrorBody(null, null, text);
        }
        if (!failed || !reply.isObject()) {
            return null;
        }
        JsonNode detail = reply.path("detail");
        if (detail.isObject()) {
            return of(detail, detail.path("message").textValue());
        }
        JsonNode other = detail.isArray() ? detail.path(0).path("msg") : detail;
        String message = reply.path("message").textValue();
        return of(reply, message == null ? other.textValue() : message);
    }

    private static ErrorBody of(JsonNode error, @Nullable String message) {
        JsonNode code = error.path("code");
        String type = word(error.path("type"));
        String word = word(code);
        return new ErrorBody(word == null ? type : word, type, message == null ? code.textValue() : message);
    }

    /** What can be a code; whole sentences are none, nor is the word that all errors share. */
    private static @Nullable String word(JsonNode value) {
        boolean word = (value.isTextual() || value.isNumber())
                && WORD.matcher(value.asText()).matches()
                && !value.asText().equals("error");
        return word ? value.asText() : null;
    }

    /** Some endpoints say in every reply that there is no error. */
    static boolean isIn(JsonNode reply) {
        JsonNode error = reply.path("error");
        return !error.isMissingNode()
                && !error.isNull()
                && !(error.isBoolean() && !error.booleanValue())
                && !(error.isTextual() && error.textValue().isEmpty())
                && !(error.isNumber() && error.decimalValue().signum() == 0);
    }

    boolean isAboutMoney() {
        return isOneOf(MONEY);
    }

    /** Anthropic says so with the code of a bad request. */
    boolean isCreditTooLow() {
        return message != null && message.toLowerCase(Locale.ROOT).contains("credit balance");
    }

    boolean isAboutTheEngine() {
        return isOneOf(MISFIT_CODES);
    }

    boolean isSlowDown() {
        return isOneOf(Set.of("slow_down"));
    }

    boolean saysNothing() {
        return code == null && type == null && message == null;
    }

    /** Whether neither its code nor its type is one that says what happened. */
    boolean isUnknown() {
        return !(code != null && STATUS.matcher(code).matches())
                && !isOneOf(ACCOUNT_CODES)
                && !isOneOf(MONEY)
                && !isOneOf(BUSY_CODES)
                && !isOneOf(REQUEST_CODES)
                && !isOneOf(MISFIT_CODES);
    }

    /** The status that an error under a success would have had; one without an answer beside it cost nothing. */
    int status() {
        if (code != null && STATUS.matcher(code).matches()) {
            return Integer.parseInt(code);
        }
        if (isOneOf(ACCOUNT_CODES) || isOneOf(MONEY)) {
            return 401;
        }
        if (isOneOf(BUSY_CODES)) {
            return 429;
        }
        return isOneOf(REQUEST_CODES) || isOneOf(MISFIT_CODES) ? 400 : 503;
    }

    private boolean isOneOf(Set<String> codes) {
        return (code != null && codes.contains(code.toLowerCase(Locale.ROOT)))
                || (type != null && codes.contains(type.toLowerCase(Locale.ROOT)));
    }
}
