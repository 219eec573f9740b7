package dev.oncebox.engine;

import java.io.IOException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What could be seen of one attempt: a failure of the connection, or a reply. */
sealed interface Observed {

    /** No reply. */
    record Failure(IOException cause) implements Observed {}

    /**
     * A reply, whole or not.
     *
     * @param headers by lower-case name
     * @param cut why the body is not whole; null when it is
     */
    record Response(
            int status,
            Map<String, String> headers,
            byte[] body,
            @Nullable String cut) implements Observed {}
}
