package dev.oncebox.stub;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One POST the stub received completely.
 *
 * @param number counts from 1 since the start or the last reset
 * @param path without the query
 * @param key the {@code Idempotency-Key} header, or null
 * @param sha256 of the body, lower-case hex
 * @param outcome the status that was written whole ({@code "200"}); or {@code cut}, {@code reset}, {@code reset-mid},
 *     {@code close}, {@code hang}; {@code gone} when the client left first; {@code pending} until one of them
 * @param at when it was here completely
 * @param headers the request's headers with their values; names are found in any case
 * @param body the request's body, empty unless {@link Stub.Options#keepBodies()}
 */
@SuppressWarnings("ArrayRecordComponent") // handed out for reading, never compared
public record Call(
        long number,
        String path,
        @Nullable String key,
        String sha256,
        String outcome,
        Instant at,
        Map<String, String> headers,
        byte[] body) {

    /** The body as UTF-8 text. */
    public String text() {
        return new String(body, StandardCharsets.UTF_8);
    }
}
