package dev.oncebox.intake;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import java.util.function.Predicate;

/** Looks at every string in a JSON value, names included. */
final class ItemStrings {

    private ItemStrings() {}

    static boolean allMatch(JsonNode value, Predicate<String> rule) {
        if (value.isTextual()) {
            return rule.test(value.textValue());
        }
        for (Map.Entry<String, JsonNode> field : value.properties()) {
            if (!rule.test(field.getKey()) || !allMatch(field.getValue(), rule)) {
                return false;
            }
        }
        if (value.isArray()) {
            for (JsonNode element : value) {
                if (!allMatch(element, rule)) {
                    return false;
                }
            }
        }
        return true;
    }

    /** Whether every surrogate has its partner. */
    static boolean isWellFormed(String s) {
        for (int i = 0; i < s.length(); i++) {
            char c = s.charAt(i);
            if (Character.isSurrogate(c)) {
                i++;
                if (Character.isLowSurrogate(c) || i == s.length() || !Character.isLowSurrogate(s.charAt(i))) {
                    return false;
                }
            }
        }
        return true;
    }
}
