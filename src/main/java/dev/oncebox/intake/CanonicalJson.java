package dev.oncebox.intake;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The one spelling of a JSON value: equal values have equal texts, different values have different texts.
 *
 * <p>Members are sorted by name (UTF-16 code units); there is no white space; strings escape only what JSON demands,
 * and lone surrogates, which UTF-8 could not tell apart. Numbers are compared by their exact decimal value,
 * so {@code 1}, {@code 1.0} and {@code 10e-1} are one number, {@code -0} is {@code 0}, integers of any size are exact
 * and exponents are never expanded. The result is itself JSON.
 *
 * <p>The hazard is the parser before: without {@code USE_BIG_DECIMAL_FOR_FLOATS} it has rounded already, and of
 * members with the same name it keeps only the last unless told to refuse them.
 */
public final class CanonicalJson {
    private static final char[] HEX = "0123456789abcdef".toCharArray();
    /** The largest power of ten written with zeros, as ECMAScript does; beyond it an exponent is written. */
    private static final int MAX_PLAIN = 21;

    private static final int MIN_PLAIN = -6;

    private CanonicalJson() {}

    /**
     * The canonical text of {@code value}.
     *
     * @throws IllegalArgumentException if it is no JSON: NaN, an infinity, a missing node or a Java object
     */
    public static String write(JsonNode value) {
        StringBuilder out = new StringBuilder();
        write(value, out);
        return out.toString();
    }

    private static void write(JsonNode value, StringBuilder out) {
        switch (value.getNodeType()) {
            case OBJECT -> writeObject(value, out);
            case ARRAY -> writeArray(value, out);
            case STRING -> writeString(value.textValue(), out);
            case NUMBER -> writeNumber(decimal(value), out);
            case BOOLEAN -> out.append(value.booleanValue());
            case NULL -> out.append("null");
            case BINARY, MISSING, POJO ->
                throw new IllegalArgumentException(
                        "A " + value.getNodeType() + " node is no JSON value; parse the JSON text instead.");
        }
    }

    private static void writeObject(JsonNode object, StringBuilder out) {
        List<Map.Entry<String, JsonNode>> members = new ArrayList<>(object.properties());
        members.sort(Map.Entry.comparingByKey());
        out.append('{');
        String separator = "";
        for (Map.Entry<String, JsonNode> member : members) {
            out.append(separator);
            writeString(member.getKey(), out);
            out.append(':');
            write(member.getValue(), out);
            separator = ",";
        }
        out.append('}');
    }

    private static void writeArray(JsonNode array, StringBuilder out) {
        out.append('[');
        String separator = "";
        for (JsonNode element : array) {
            out.append(separator);
            write(element, out);
            separator = ",";
        }
        out.append(']');
    }

    private static void writeString(String string, StringBuilder out) {
        out.append('"');
        int length = string.length();
        for (int i = 0; i < length; i++) {
            char c = string.charAt(i);
            if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if (c < ' ') {
                writeControl(c, out);
            } else if (!Character.isSurrogate(c)) {
                out.append(c);
            } else if (i + 1 < length && Character.isSurrogatePair(c, string.charAt(i + 1))) {
                out.append(c).append(string.charAt(++i));
            } else {
                writeEscape(c, out);
            }
        }
        out.append('"');
    }

    private static void writeControl(char c, StringBuilder out) {
        switch (c) {
            case '\b' -> out.append("\\b");
            case '\t' -> out.append("\\t");
            case '\n' -> out.append("\\n");
            case '\f' -> out.append("\\f");
            case '\r' -> out.append("\\r");
            default -> writeEscape(c, out);
        }
    }

    private static void writeEscape(char c, StringBuilder out) {
        out.append("\\u");
        for (int shift = 12; shift >= 0; shift -= 4) {
            out.append(HEX[c >> shift & 0xf]);
        }
    }

    private static BigDecimal decimal(JsonNode number) {
        return switch (number.numberType()) {
            case INT, LONG, BIG_INTEGER -> new BigDecimal(number.bigIntegerValue());
            case BIG_DECIMAL -> number.decimalValue();
            case FLOAT, DOUBLE -> {
                if (!Double.isFinite(number.doubleValue())) {
                    throw new IllegalArgumentException(number.asText() + " is no JSON number; use a finite number.");
                }
                yield new BigDecimal(number.numberValue().toString());
            }
        };
    }

    /** The value is 0.DIGITS times ten to the power of {@code point}. */
    private static void writeNumber(BigDecimal number, StringBuilder out) {
        if (number.signum() == 0) {
            out.append('0');
            return;
        }
        String all = number.unscaledValue().abs().toString();
        int significant = all.length();
        while (all.charAt(significant - 1) == '0') {
            significant--;
        }
        String digits = all.substring(0, significant);
        long point = (long) all.length() - number.scale();
        if (number.signum() < 0) {
            out.append('-');
        }
        if (point > MAX_PLAIN || point <= MIN_PLAIN) {
            out.append(digits, 0, 1);
            if (significant > 1) {
                out.append('.').append(digits, 1, significant);
            }
            out.append('e').append(point - 1);
        } else if (point <= 0) {
            out.append("0.").append("0".repeat((int) -point)).append(digits);
        } else if (point >= significant) {
            out.append(digits).append("0".repeat((int) point - significant));
        } else {
            out.append(digits, 0, (int) point).append('.').append(digits, (int) point, significant);
        }
    }
}
