package dev.oncebox.stub;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** A request that was received completely. {@code fields} are its header lines as they came, LF between them. */
@SuppressWarnings("ArrayRecordComponent") // never compared
record Request(
        String method,
        String path,
        String query,
        String version,
        String fields,
        Map<String, String> headers,
        byte[] body) {

    boolean keepAlive() {
        String connection = headers.getOrDefault("Connection", "").toLowerCase(Locale.ROOT);
        return version.equals("HTTP/1.1") ? !connection.contains("close") : connection.contains("keep-alive");
    }

    /** A parameter of the query; the given value when it is not there. */
    String parameter(String name, String otherwise) {
        for (String pair : query.split("&", -1)) {
            int equals = pair.indexOf('=');
            if (equals == name.length() && pair.startsWith(name)) {
                return URLDecoder.decode(pair.substring(equals + 1), StandardCharsets.UTF_8);
            }
        }
        return otherwise;
    }

    /** Header lines to a map that ignores the case of names; repeated headers are joined by commas. */
    static Map<String, String> headers(String fields) throws BadRequest {
        Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        int from = 0;
        while (from < fields.length()) {
            int end = fields.indexOf('\n', from);
            int colon = fields.indexOf(':', from);
            if (colon <= from || colon > end || !isToken(fields, from, colon)) {
                throw new BadRequest("Malformed header line: " + fields.substring(from, end));
            }
            String value = fields.substring(colon + 1, end).strip();
            headers.merge(fields.substring(from, colon), value, (first, second) -> first + ", " + second);
            from = end + 1;
        }
        return headers;
    }

    static boolean isToken(String text, int from, int end) {
        for (int i = from; i < end; i++) {
            char c = text.charAt(i);
            if (c <= ' ' || c >= 127 || "\"(),/:;<=>?@[\\]{}".indexOf(c) >= 0) {
                return false;
            }
        }
        return from < end;
    }
}
