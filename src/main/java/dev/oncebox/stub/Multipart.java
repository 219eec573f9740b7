package dev.oncebox.stub;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The parts of a {@code multipart/form-data} body. */
record Multipart(List<Part> parts) {

    private static final Pattern BOUNDARY = Pattern.compile("boundary=(?:\"([^\"]+)\"|([^;\\s]+))");
    private static final Pattern NAME = Pattern.compile("[; ]name=(?:\"([^\"]*)\"|([^;\\s]+))");
    private static final Pattern FILENAME = Pattern.compile("filename=(?:\"([^\"]*)\"|([^;\\s]+))");

    /** @param filename empty when the part has none */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Part(String name, String filename, byte[] content) {

        String text() {
            return new String(content, StandardCharsets.UTF_8);
        }
    }

    static Multipart of(Request request) throws BadRequest {
        String type = request.headers().getOrDefault("Content-Type", "");
        Optional<String> boundary = type.startsWith("multipart/form-data") ? first(BOUNDARY, type) : Optional.empty();
        if (boundary.isEmpty()) {
            throw new BadRequest("Send a multipart/form-data body with its boundary, not '" + type + "'");
        }
        // a byte is a character in this encoding, and nothing is lost on the way back
        String body = new String(request.body(), StandardCharsets.ISO_8859_1);
        String edge = "--" + boundary.get();
        List<Part> parts = new ArrayList<>();
        int from = body.startsWith(edge) ? 0 : body.indexOf("\r\n" + edge) + 2;
        while (from >= 0 && body.startsWith(edge + "\r\n", from)) {
            int head = from + edge.length() + 2;
            int end = body.indexOf("\r\n" + edge, head);
            int gap = body.indexOf("\r\n\r\n", head);
            if (end < 0 || gap < 0 || gap > end) {
                throw new BadRequest("The multipart body ends within a part");
            }
            String fields = body.substring(head, gap);
            byte[] content = body.substring(Math.min(gap + 4, end), end).getBytes(StandardCharsets.ISO_8859_1);
            parts.add(new Part(
                    first(NAME, fields).orElse(""), utf8(first(FILENAME, fields).orElse("")), content));
            from = end + 2;
        }
        return new Multipart(parts);
    }

    Part part(String name) throws BadRequest {
        return parts.stream()
                .filter(part -> part.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new BadRequest("'" + name + "' is a required part of the body"));
    }

    private static String utf8(String latin) {
        return new String(latin.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
    }

    private static Optional<String> first(Pattern pattern, String text) {
        Matcher matcher = pattern.matcher(text);
        if (!matcher.find()) {
            return Optional.empty();
        }
        return Optional.of(matcher.group(1) == null ? matcher.group(2) : matcher.group(1));
    }
}
