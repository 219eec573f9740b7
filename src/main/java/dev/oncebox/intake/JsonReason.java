package dev.oncebox.intake;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Says in words for people, who do not know the parser, why a text is no JSON. */
final class JsonReason {

    private static final int LONGEST = 300;
    private static final Pattern INTERNAL = Pattern.compile(" ?\\((?:start marker|for \\w+ starting) at \\[[^]]*]\\)"
            + "|, from `[^`]*`"
            + "|: enable `[^`]*` to allow"
            + "| \\(code [^)]*\\)"
            + "| \\(not recognized as one since [^)]*\\)");
    private static final Pattern DUPLICATE = Pattern.compile("(?s)Duplicate (?:field|Object property) (.*)");
    private static final Pattern TOKEN = Pattern.compile("(?s)(?:Unrecognized|Non-standard) token '(.*?)'.*");
    private static final Map<String, String> PLAIN = Map.of(
            "Unexpected end-of-input", "it ends too early",
            "field name", "name",
            "maybe a (non-standard) comment?", "JSON has no comments",
            "Non-standard token", "JSON has no",
            "(CTRL-CHAR, code", "(control character");

    private JsonReason() {}

    static String of(JsonProcessingException e) {
        String reason = INTERNAL.matcher(e.getOriginalMessage()).replaceAll("");
        reason = DUPLICATE.matcher(reason).replaceFirst("the name $1 stands twice in one object");
        for (Map.Entry<String, String> plain : PLAIN.entrySet()) {
            reason = reason.replace(plain.getKey(), plain.getValue());
        }
        if (reason.indexOf('`') >= 0) {
            return "it does not follow the rules of JSON";
        }
        return reason.length() > LONGEST ? reason.substring(0, LONGEST) + "…" : reason;
    }

    /** How many characters stand before the place of the error. */
    static int position(JsonProcessingException e, JsonParser parser) {
        JsonLocation location = e.getLocation() == null ? parser.currentLocation() : e.getLocation();
        Matcher token = TOKEN.matcher(e.getOriginalMessage());
        // The parser has read such a word to its end when it complains.
        int read = token.matches() ? token.group(1).length() : 0;
        return (int) Math.max(0, location.getCharOffset() - read);
    }
}
