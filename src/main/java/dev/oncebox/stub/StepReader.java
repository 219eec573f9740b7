package dev.oncebox.stub;

import dev.oncebox.stub.Step.Delivery;
import dev.oncebox.stub.Step.Form;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads the words of one step of a directive; see {@link Stub} for what they mean. */
final class StepReader {

    private static final Pattern DURATION = Pattern.compile("(\\d{1,9})(ms|s|m)");
    private static final Pattern SIZE = Pattern.compile("\\d{1,8}");
    private static final Pattern STATUS = Pattern.compile("[45]\\d\\d");
    private static final Pattern CODE = Pattern.compile("[a-z0-9]+(_[a-z0-9]+)+");

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
                reader.size);
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
            default -> statusOrCode(word);
        }
    }

    private void statusOrCode(String word) throws BadRequest {
        if (STATUS.matcher(word).matches()) {
            form = Form.ERROR;
            status = Integer.parseInt(word);
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
            case "retry-after" -> headers.put("Retry-After", value);
            case "header" -> header(value);
            default -> throw unknown(name + "=");
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

    private static Duration duration(String text) throws BadRequest {
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
        return new BadRequest("Unknown word in the stub directive: " + word + ". Known are: a status (400 to 599) and "
                + "its code, delay=, retry-after=, header=, trickle=, finish=, cut, reset, reset-mid, close, hang, "
                + "html, empty, nobody, nochoices, notjson, refusal, error200, echo, size=, raw, always");
    }
}
