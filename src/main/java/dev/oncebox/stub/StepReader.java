package dev.oncebox.stub;

import dev.oncebox.stub.Step.Delivery;
import dev.oncebox.stub.Step.Form;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads the words of one step of a directive; see {@link Stub} for what they mean. */
final class StepReader {

    private static final Pattern DURATION = Pattern.compile("(\\d{1,9})(ms|s|m)");
    private static final Pattern SIZE = Pattern.compile("\\d{1,8}");
    private static final Pattern STATUS = Pattern.compile("[2-5]\\d\\d");
    private static final Pattern CODE = Pattern.compile("[a-z0-9]+(_[a-z0-9]+)+");

    private static final Map<String, DateTimeFormatter> DATES = Map.of(
            "imf", DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ENGLISH),
            "rfc850", DateTimeFormatter.ofPattern("EEEE, dd-MMM-yy HH:mm:ss 'GMT'", Locale.ENGLISH),
            "asctime", DateTimeFormatter.ofPattern("EEE MMM ppd HH:mm:ss yyyy", Locale.ENGLISH));

    private Form form = Form.ANSWER;
    private int status = 200;
    private @Nullable String code;
    private Delivery delivery = Delivery.WHOLE;
    private Duration delay = Duration.ZERO;
    private Duration pause = Duration.ZERO;
    private final Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    private String finish = "stop";
    private boolean echo;
    private int size;
    private @Nullable String text;
    private @Nullable String body;
    private final Map<String, String> later = new TreeMap<>();

    private StepReader() {}

    static Step read(String words) throws BadRequest {
        StepReader reader = new StepReader();
        for (String word : words.strip().split("\\s+", -1)) {
            if (!word.isEmpty()) {
                reader.take(word);
            }
        }
        return new Step(
                reader.form,
                reader.status,
                reader.code,
                reader.delivery,
                reader.delay,
                reader.pause,
                reader.headers,
                reader.finish,
                reader.echo,
                reader.size,
                reader.text,
                reader.body,
                reader.later.isEmpty() ? Later.NOTHING : new Later(reader.later));
    }

    private void take(String word) throws BadRequest {
        int equals = word.indexOf('=');
        if (equals > 0) {
            setting(word.substring(0, equals), word.substring(equals + 1));
            return;
        }
        switch (word) {
            case "cut" -> delivery = Delivery.CUT;
            case "reset" -> delivery = Delivery.RESET;
            case "reset-mid" -> delivery = Delivery.RESET_MID;
            case "close" -> delivery = Delivery.CLOSE;
            case "hang" -> delivery = Delivery.HANG;
            case "html" -> form = Form.HTML;
            case "empty" -> form = Form.EMPTY;
            case "nobody" -> form = Form.NO_BODY;
            case "nochoices" -> form = Form.NO_CHOICES;
            case "notjson" -> form = Form.NOT_JSON;
            case "refusal" -> form = Form.REFUSAL;
            case "error200" -> form = Form.ERROR;
            case "echo" -> echo = true;
            case "raw" -> form = Form.RAW;
            default -> {
                if (!Later.take(word, null, later)) {
                    statusOrCode(word);
                }
            }
        }
    }

    private void statusOrCode(String word) throws BadRequest {
        if (STATUS.matcher(word).matches()) {
            status = Integer.parseInt(word);
            if (status >= 400) {
                form = Form.ERROR;
            } else if (status >= 300 || status == 204) {
                form = Form.NO_BODY;
            }
        } else if (form == Form.ERROR && CODE.matcher(word).matches()) {
            code = word;
        } else {
            throw unknown(word);
        }
    }

    private void setting(String name, String value) throws BadRequest {
        switch (name) {
            case "delay" -> delay = duration(value);
            case "trickle" -> pause = duration(value);
            case "finish" -> finish = value;
            case "size" -> size = size(value);
            case "retry-after" -> headers.put("Retry-After", retryAfter(value));
            case "say" -> text = decoded(value);
            case "body" -> body = decoded(value);
            case "header" -> header(value);
            default -> {
                if (!Later.take(name, value, later)) {
                    throw unknown(name + "=");
                }
            }
        }
    }

    private void header(String field) throws BadRequest {
        int colon = field.indexOf(':');
        if (colon < 1 || !Request.isToken(field, 0, colon)) {
            throw new BadRequest("A header in a stub directive is written header=Name:value, not header=" + field);
        }
        headers.put(field.substring(0, colon), field.substring(colon + 1));
    }

    private static int size(String text) throws BadRequest {
        if (!SIZE.matcher(text).matches()) {
            throw new BadRequest("A size in a stub directive is a number of characters, not " + text);
        }
        return Integer.parseInt(text);
    }

    /** A date in one of HTTP's three forms, so far from now, as in {@code imf+2s} or {@code asctime-1m}; else as it is. */
    private static String retryAfter(String value) throws BadRequest {
        int sign = Math.max(value.indexOf('+'), value.indexOf('-'));
        DateTimeFormatter format = sign < 0 ? null : DATES.get(value.substring(0, sign));
        if (format == null) {
            return value;
        }
        Duration far = duration(value.substring(sign + 1));
        ZonedDateTime now = ZonedDateTime.now(ZoneOffset.UTC);
        return format.format(value.charAt(sign) == '+' ? now.plus(far) : now.minus(far));
    }

    /** Words end at white space and steps at a semicolon, so what holds these has them as in an address: {@code %20}. */
    private static String decoded(String value) throws BadRequest {
        try {
            return URLDecoder.decode(value.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw new BadRequest("A text in a stub directive is percent-encoded, which this is not: " + value);
        }
    }

    static Duration duration(String text) throws BadRequest {
        Matcher matcher = DURATION.matcher(text);
        if (!matcher.matches()) {
            throw new BadRequest("A time in a stub directive is written like 250ms, 2s or 1m, not " + text);
        }
        long amount = Long.parseLong(matcher.group(1));
        return switch (matcher.group(2)) {
            case "ms" -> Duration.ofMillis(amount);
            case "s" -> Duration.ofSeconds(amount);
            default -> Duration.ofMinutes(amount);
        };
    }

    private static BadRequest unknown(String word) {
        return new BadRequest("Unknown word in the stub directive: " + word + ". Known are: a status (200 to 599) and "
                + "its code, delay=, retry-after=, header=, trickle=, finish=, say=, body=, cut, reset, reset-mid, close, hang, "
                + "html, empty, nobody, nochoices, notjson, refusal, error200, echo, size=, raw, always; "
                + Later.KNOWN);
    }
}
