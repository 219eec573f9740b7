package dev.oncebox.engine;

import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The address of a job at an asynchronous engine, as the engine tells it: whatever it may be, it is an HTTP address. */
final class JobAddress {

    private static final int LONGEST = 4000;
    /** What RFC 3986 allows, and the percent sign of what is escaped already. */
    private static final String ALLOWED = "!#$%&'()*+,-./:;=?@[]_~";

    private JobAddress() {}

    /**
     * @param base what a relative address is relative to
     * @return without a fragment; null when it is no address that can be asked
     */
    static @Nullable URI resolve(URI base, @Nullable String told) {
        if (told == null || told.isBlank() || told.length() > LONGEST) {
            return null;
        }
        try {
            URI resolved = base.resolve(new URI(escaped(told.strip()))).normalize();
            String scheme = resolved.getScheme().toLowerCase(Locale.ROOT);
            boolean http = scheme.equals("http") || scheme.equals("https");
            if (!http || resolved.getHost() == null || resolved.getRawUserInfo() != null) {
                return null;
            }
            String query = resolved.getRawQuery() == null ? "" : "?" + resolved.getRawQuery();
            return new URI(scheme + "://" + resolved.getRawAuthority() + resolved.getRawPath() + query);
        } catch (URISyntaxException e) {
            return null;
        }
    }

    /** Browsers take spaces and letters of any language in a Location, so servers send them. */
    private static String escaped(String text) {
        var escaped = new StringBuilder();
        text.codePoints().forEach(c -> {
            if ((c < 128 && Character.isLetterOrDigit(c)) || ALLOWED.indexOf(c) >= 0) {
                escaped.appendCodePoint(c);
            } else {
                for (byte b : new String(Character.toChars(c)).getBytes(StandardCharsets.UTF_8)) {
                    escaped.append('%').append(String.format("%02X", b & 0xff));
                }
            }
        });
        return escaped.toString();
    }
}
