package dev.oncebox.engine;

import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The address of a job at an asynchronous engine, as the engine tells it: whatever it may be, it is an HTTP address. */
final class JobAddress {

    private static final int LONGEST = 4000;
    /** What RFC 3986 allows, and the percent sign of what is escaped already. */
    private static final String ALLOWED = "!#$%&'()*+,-./:;=?@_~";

    private static final Pattern AUTHORITY_IN_BRACKETS = Pattern.compile("([a-zA-Z]+:)?//\\[");
    private static final Pattern BARE_PERCENT = Pattern.compile("%(?![0-9a-fA-F]{2})");
    private static final Pattern ABOVE_THE_TOP = Pattern.compile("^(/\\.\\.)+(?=/|$)");
    private static final char UNREADABLE = '\uFFFD';

    private static final Pattern ID = Pattern.compile("[A-Za-z0-9_-][A-Za-z0-9_.-]{0,199}");

    private JobAddress() {}

    /** Whether it can be a part of an address as it is. */
    static boolean isId(String text) {
        return ID.matcher(text).matches();
    }

    /**
     * @param base what a relative address is relative to
     * @return without a fragment; null when it is no address that can be asked
     */
    static @Nullable URI resolve(URI base, @Nullable String told) {
        if (told == null || told.isBlank() || told.length() > LONGEST) {
            return null;
        }
        try {
            URI resolved = resolved(base, escaped(told.strip())).normalize();
            String scheme = resolved.getScheme().toLowerCase(Locale.ROOT);
            boolean http = scheme.equals("http") || scheme.equals("https");
            if (!http || resolved.getHost() == null || resolved.getRawUserInfo() != null) {
                return null;
            }
            String query = resolved.getRawQuery() == null ? "" : "?" + resolved.getRawQuery();
            String path = ABOVE_THE_TOP.matcher(resolved.getRawPath()).replaceFirst("");
            return new URI(scheme + "://" + resolved.getRawAuthority() + path + query);
        } catch (URISyntaxException e) {
            return null;
        }
    }

    /** As RFC 3986 has it: Java forgets the last name of the path for a query alone, and the slash after a bare host. */
    private static URI resolved(URI base, String told) throws URISyntaxException {
        URI whole = base.getRawPath().isEmpty() ? base.resolve("/") : base;
        return whole.resolve(new URI(told.startsWith("?") ? whole.getRawPath() + told : told));
    }

    /** The header of a reply, whose bytes may be UTF-8 and are read as Latin-1 by every client. */
    static @Nullable String ofHeader(Map<String, String> headers) {
        String told = headers.get("location");
        if (told == null || told.chars().allMatch(c -> c < 128)) {
            return told;
        }
        String text = new String(told.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
        return text.indexOf(UNREADABLE) < 0 ? text : told;
    }

    /** Browsers take spaces and letters of any language in a Location, so servers send them. */
    private static String escaped(String text) {
        var escaped = new StringBuilder();
        String allowed = AUTHORITY_IN_BRACKETS.matcher(text).lookingAt() ? ALLOWED + "[]" : ALLOWED;
        BARE_PERCENT.matcher(text).replaceAll("%25").codePoints().forEach(c -> {
            if ((c < 128 && Character.isLetterOrDigit(c)) || allowed.indexOf(c) >= 0) {
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
