package dev.oncebox.stub;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The words of a step that say what comes after the acceptance. Only asynchronous faces look at them; {@link Stub}
 * says what they mean.
 */
record Later(Map<String, String> words) {

    static final Later NOTHING = new Later(Map.of());

    static final String KNOWN = "ready=, polls=, lag=, poll=, location=, lost, gone, failed, expired, redirect, "
            + "running202, inline, batch-ready=, batch-polls=, batch-lag=, batch-poll=, batch-content=, batch-failed=, "
            + "batch-expired=, batch-missing=, batch-double=, batch-unknown=, batch-null-files, batch-empty-files, "
            + "line-error=, upload=, list=, create=, create-reset, create-close, create-hang, create-lost, list-lag=";

    private static final Set<String> FLAGS = Set.of(
            "lost",
            "gone",
            "failed",
            "expired",
            "redirect",
            "running202",
            "inline",
            "batch-null-files",
            "batch-empty-files",
            "create-reset",
            "create-close",
            "create-hang",
            "create-lost");
    private static final Set<String> TIMES = Set.of("ready", "batch-ready");
    private static final Set<String> NUMBERS = Set.of(
            "polls",
            "lag",
            "batch-polls",
            "batch-lag",
            "batch-expired",
            "batch-missing",
            "batch-double",
            "batch-unknown",
            "list-lag");
    private static final Set<String> TROUBLES =
            Set.of("poll", "batch-poll", "batch-content", "create", "upload", "list");
    private static final Set<String> CODES = Set.of("batch-failed", "line-error");
    private static final Set<String> PLACES = Set.of("relative", "absolute", "other", "none", "body");
    private static final Pattern NUMBER = Pattern.compile("\\d{1,6}");
    private static final Pattern CODE = Pattern.compile("[a-z0-9_]+");

    /** Takes a word that is one of these into the collection; false when it is none. */
    static boolean take(String name, @Nullable String value, Map<String, String> words) throws BadRequest {
        if (value == null ? !FLAGS.contains(name) : !isSetting(name)) {
            return false;
        }
        if (value != null) {
            check(name, value);
        }
        words.put(name, value == null ? "" : value);
        return true;
    }

    private static boolean isSetting(String name) {
        return TIMES.contains(name)
                || NUMBERS.contains(name)
                || TROUBLES.contains(name)
                || name.equals("location")
                || CODES.contains(name);
    }

    private static void check(String name, String value) throws BadRequest {
        if (TIMES.contains(name)) {
            StepReader.duration(value);
        } else if (TROUBLES.contains(name)) {
            parsed(value);
        } else if (NUMBERS.contains(name) && !NUMBER.matcher(value).matches()) {
            throw new BadRequest(name + "= in a stub directive takes a whole number, not " + value);
        } else if (name.equals("location") && !PLACES.contains(value)) {
            throw new BadRequest("location= in a stub directive is one of relative, absolute, other, none, body");
        } else if (CODES.contains(name) && !CODE.matcher(value).matches()) {
            throw new BadRequest(name + "= in a stub directive takes an error code, not " + value);
        }
    }

    /** All the words of several; where two say different things, the last one holds. */
    static Later of(Collection<Later> several) {
        Map<String, String> all = new HashMap<>();
        several.forEach(later -> all.putAll(later.words));
        return all.isEmpty() ? NOTHING : new Later(all);
    }

    boolean is(String word) {
        return words.containsKey(word);
    }

    String value(String name, String otherwise) {
        return words.getOrDefault(name, otherwise);
    }

    int number(String name) {
        return Integer.parseInt(value(name, "0"));
    }

    Duration time(String name) {
        try {
            return StepReader.duration(value(name, "0ms"));
        } catch (BadRequest e) {
            throw new IllegalStateException("This was read before", e);
        }
    }

    /** What goes wrong, one step for each time. */
    List<Step> troubles(String name) {
        try {
            return is(name) ? parsed(value(name, "")) : List.of();
        } catch (BadRequest e) {
            throw new IllegalStateException("This was read before", e);
        }
    }

    /** {@code 500*3,reset,ok,429:2}: three times 500, a reset, nothing wrong, 429 with a Retry-After of 2. */
    private static List<Step> parsed(String value) throws BadRequest {
        List<Step> steps = new ArrayList<>();
        for (String part : value.split(",", -1)) {
            int star = part.indexOf('*');
            String times = star < 0 ? "1" : part.substring(star + 1);
            String word = star < 0 ? part : part.substring(0, star);
            int colon = word.indexOf(':');
            String after = colon < 0 ? "" : " retry-after=" + word.substring(colon + 1);
            String what = colon < 0 ? word : word.substring(0, colon);
            if (what.isEmpty() || !NUMBER.matcher(times).matches()) {
                throw new BadRequest(
                        "Troubles in a stub directive are written like 500*3,reset,ok,429:2, not " + value);
            }
            Step step = StepReader.read((what.equals("ok") ? "" : what) + after);
            for (int i = 0; i < Math.min(Integer.parseInt(times), 10_000); i++) {
                steps.add(step);
            }
        }
        return steps;
    }
}
