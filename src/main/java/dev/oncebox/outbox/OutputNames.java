package dev.oncebox.outbox;

import dev.oncebox.files.FileName;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * How the files that answer one dropped file are called. They share a number: {@code x.jsonl} and
 * {@code x.errors.jsonl}, or {@code x~2.jsonl} and {@code x~2.errors.jsonl}.
 *
 * @param folder below the outbox, with a slash at its end; empty for the outbox itself
 */
record OutputNames(String folder, FileName name) {

    private static final String PACKED = ".gz";
    private static final Pattern NUMBER = Pattern.compile("~([1-9][0-9]{0,8})(?=\\.|$)");

    /**
     * The answers to a packed file are not packed, and are called so.
     *
     * @param path of the dropped file, with {@code /} between the names
     */
    static OutputNames of(String path) {
        int slash = path.lastIndexOf('/') + 1;
        String name = path.substring(slash);
        boolean packed = name.toLowerCase(Locale.ROOT).endsWith(PACKED) && name.length() > PACKED.length();
        return new OutputNames(
                path.substring(0, slash),
                FileName.of(packed ? name.substring(0, name.length() - PACKED.length()) : name));
    }

    String answer() {
        return name.extension();
    }

    String jsonAnswer() {
        return name.extension() + ".json";
    }

    String error() {
        return name.extension() + ".error.json";
    }

    String address() {
        return name.extension() + ".url";
    }

    String receipt() {
        return name.extension() + ".receipt.json";
    }

    /** Has no extension of the dropped file, so that the errors of {@code x.json} are lines too. */
    String errors() {
        return ".errors.jsonl";
    }

    /**
     * A name in the folder.
     *
     * @param n the number of the group
     * @param ending one of those above
     */
    String inGroup(int n, String ending) {
        return name.numbered(n, ending);
    }

    /** The number of the group that a delivered file belongs to; 1 when it cannot be told. */
    int groupOf(@Nullable String output) {
        if (output == null || !output.startsWith(folder)) {
            return 1;
        }
        String delivered = output.substring(folder.length());
        for (Matcher number = NUMBER.matcher(delivered); number.find(); ) {
            int n = Integer.parseInt(number.group(1));
            if (List.of(answer(), jsonAnswer(), error()).stream()
                    .anyMatch(ending -> inGroup(n, ending).equals(delivered))) {
                return n;
            }
        }
        return 1;
    }
}
