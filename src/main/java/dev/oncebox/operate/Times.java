package dev.oncebox.operate;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;

/** Writes moments as ISO 8601, UTC, to the millisecond, always of the same length. */
final class Times {

    private static final DateTimeFormatter ISO =
            DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS'Z'").withZone(ZoneOffset.UTC);

    private Times() {}

    static String iso(long epochMillis) {
        return ISO.format(Instant.ofEpochMilli(epochMillis));
    }
}
