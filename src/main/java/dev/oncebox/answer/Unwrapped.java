package dev.oncebox.answer;

import com.fasterxml.jackson.databind.JsonNode;
import dev.oncebox.job.Acceptance.Wrapping;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * An answer without what its job allows to take off around it. What is inside is never touched.
 *
 * @param taken what was around it
 */
record Unwrapped<T>(T inside, Set<Wrapping> taken) {

    static final Set<Wrapping> ANYTHING = Set.of(Wrapping.values());

    private static final List<String> BLOCKS = List.of("think", "thinking");
    private static final Pattern FENCE = Pattern.compile("(`{3,}|~{3,})([^\\r\\n]*)(\\r\\n|\\n|\\r)");
    private static final int MOST_INDENTATION = 3;

    /** A text, without one leading block of reasoning and the white space around it. */
    static Unwrapped<String> text(String answer, Set<Wrapping> allowed) {
        String rest = allowed.contains(Wrapping.THINK) ? afterThinking(answer) : null;
        return rest == null ? new Unwrapped<>(answer, Set.of()) : new Unwrapped<>(rest, EnumSet.of(Wrapping.THINK));
    }

    /** The one JSON value in an answer. */
    static Unwrapped<JsonNode> json(StrictJson json, String answer, Set<Wrapping> allowed) throws StrictJson.NotJson {
        Set<Wrapping> taken = EnumSet.noneOf(Wrapping.class);
        Unwrapped<String> text = text(answer, allowed);
        taken.addAll(text.taken());
        String inside = text.inside();
        String fenced = allowed.contains(Wrapping.FENCE) ? inFence(inside) : null;
        if (fenced != null) {
            inside = fenced;
            taken.add(Wrapping.FENCE);
        }
        try {
            return new Unwrapped<>(json.read(inside), taken);
        } catch (StrictJson.NotJson e) {
            String alone = allowed.contains(Wrapping.TEXT) ? amongProse(inside) : null;
            if (alone == null) {
                throw e;
            }
            taken.add(Wrapping.TEXT);
            return new Unwrapped<>(alone(json, alone, e), taken);
        }
    }

    private static JsonNode alone(StrictJson json, String text, StrictJson.NotJson whole) throws StrictJson.NotJson {
        try {
            return json.read(text);
        } catch (StrictJson.NotJson e) {
            throw whole; // its place is one in the answer
        }
    }

    private static @Nullable String afterThinking(String answer) {
        String text = answer.stripLeading();
        for (String block : BLOCKS) {
            String end = "</" + block + ">";
            int at = text.startsWith("<" + block + ">") ? text.indexOf(end) : -1;
            if (at >= 0) {
                return text.substring(at + end.length()).stripLeading();
            }
        }
        return null;
    }

    /** What is inside a fence that is the whole of the text; null when there is no such fence. */
    private static @Nullable String inFence(String answer) {
        String text = answer.strip();
        Matcher opening = FENCE.matcher(text);
        if (!opening.lookingAt()
                || (opening.group(1).startsWith("`") && opening.group(2).contains("`"))) {
            return null;
        }
        int last = Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r')) + 1;
        if (last < opening.end() || !closes(text.substring(last), opening.group(1))) {
            return null;
        }
        String inside = text.substring(opening.end(), last);
        return inside.lines().anyMatch(line -> closes(line, opening.group(1))) ? null : inside;
    }

    private static boolean closes(String line, String opening) {
        String fence = line.strip();
        return fence.length() >= opening.length()
                && line.length() - line.stripLeading().length() <= MOST_INDENTATION
                && fence.chars().allMatch(c -> c == opening.charAt(0));
    }

    /** From the first bracket to the last: brackets in the prose, or a second value, make it no JSON. */
    private static @Nullable String amongProse(String text) {
        int start = 0;
        while (start < text.length() && !isBracket(text.charAt(start))) {
            start++;
        }
        int end = text.length();
        while (end > start && !isBracket(text.charAt(end - 1))) {
            end--;
        }
        // what stands in a block of reasoning is a draft
        boolean reasoned = text.substring(0, start).contains("<think")
                || text.substring(end).contains("</think");
        return end == start || reasoned ? null : text.substring(start, end);
    }

    private static boolean isBracket(char c) {
        return c == '{' || c == '}' || c == '[' || c == ']';
    }

    /** What was taken off, as the property {@code unwrap} has it. */
    static String written(Set<Wrapping> wrappings) {
        return wrappings.stream()
                .sorted()
                .map(each -> each.name().toLowerCase(Locale.ROOT))
                .collect(Collectors.joining(","));
    }

    /** Where the answer stands, for people. */
    static String place(Set<Wrapping> wrappings) {
        return wrappings.stream()
                .sorted()
                .map(each -> switch (each) {
                    case THINK -> "behind a block of reasoning";
                    case FENCE -> "in a code fence";
                    case TEXT -> "inside other text";
                })
                .collect(Collectors.joining(", "));
    }
}
