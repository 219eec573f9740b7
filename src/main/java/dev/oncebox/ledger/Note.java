package dev.oncebox.ledger;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is to be said of an answer that was accepted all the same.
 *
 * @param code a stable word, or several with a comma and a space between them
 * @param reason a sentence for people, or several
 */
public record Note(String code, String reason) {

    private static final String SEPARATOR = ", ";

    /** Both of them, where there are two. */
    public static @Nullable Note both(@Nullable Note first, @Nullable Note second) {
        if (first == null || second == null) {
            return first == null ? second : first;
        }
        return new Note(first.code + SEPARATOR + second.code, first.reason + " " + second.reason);
    }

    /** The single words of a stored code. */
    public static List<String> codes(@Nullable String code) {
        return code == null ? List.of() : List.of(code.split(SEPARATOR));
    }
}
