package dev.oncebox.stub;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Reads HTTP/1.1 requests off one connection, within bounds. */
final class RequestReader {

    static final int MAX_HEAD = 64 * 1024;
    static final int MAX_BODY = 64 * 1024 * 1024;

    private static final byte[] CONTINUE = "HTTP/1.1 100 Continue\r\n\r\n".getBytes(StandardCharsets.ISO_8859_1);

    private final InputStream in;
    private final OutputStream out;
    private int headLeft;

    RequestReader(InputStream in, OutputStream out) {
        this.in = new BufferedInputStream(in, 16 * 1024);
        this.out = out;
    }

    /** The next request; empty when the client closed between two. */
    Optional<Request> next() throws IOException, BadRequest {
        headLeft = MAX_HEAD;
        String start;
        do {
            in.mark(1);
            if (in.read() < 0) {
                return Optional.empty();
            }
            in.reset();
            start = line();
        } while (start.isEmpty());

        String[] parts = start.split(" ", -1);
        if (parts.length != 3 || !Request.isToken(parts[0], 0, parts[0].length())) {
            throw new BadRequest("Not an HTTP request line: " + start);
        }
        if (!parts[2].equals("HTTP/1.1") && !parts[2].equals("HTTP/1.0")) {
            throw new BadRequest(505, "The stub speaks HTTP/1.1, not " + parts[2]);
        }
        String fields = fields();
        Map<String, String> headers = Request.headers(fields);
        String path = path(parts[1]);
        int query = path.indexOf('?');
        return Optional.of(new Request(
                parts[0],
                query < 0 ? path : path.substring(0, query),
                query < 0 ? "" : path.substring(query + 1),
                parts[2],
                fields,
                headers,
                body(headers)));
    }

    /** Reads and forgets until the client closes. */
    void awaitEnd() throws IOException {
        in.transferTo(OutputStream.nullOutputStream());
    }

    /** Path and query. */
    private static String path(String target) throws BadRequest {
        String path = target;
        if (path.startsWith("http://")) {
            int slash = path.indexOf('/', "http://".length());
            path = slash < 0 ? "/" : path.substring(slash);
        }
        if (!path.startsWith("/")) {
            throw new BadRequest("Not a path: " + target);
        }
        return path;
    }

    private String fields() throws IOException, BadRequest {
        StringBuilder fields = new StringBuilder(512);
        for (String line = line(); !line.isEmpty(); line = line()) {
            fields.append(line).append('\n');
        }
        return fields.toString();
    }

    private byte[] body(Map<String, String> headers) throws IOException, BadRequest {
        String coding = headers.get("Transfer-Encoding");
        String length = headers.get("Content-Length");
        if (coding != null) {
            if (length != null || !coding.toLowerCase(Locale.ROOT).equals("chunked")) {
                throw new BadRequest("Transfer-Encoding must be 'chunked' and stand without a Content-Length");
            }
            letContinue(headers);
            return chunks();
        }
        if (length == null) {
            return new byte[0];
        }
        int size = size(length, 10, MAX_BODY);
        if (size > 0) {
            letContinue(headers);
        }
        return exactly(size);
    }

    private void letContinue(Map<String, String> headers) throws IOException {
        if ("100-continue".equalsIgnoreCase(headers.get("Expect"))) {
            out.write(CONTINUE);
        }
    }

    private byte[] chunks() throws IOException, BadRequest {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        while (true) {
            headLeft = MAX_HEAD;
            String line = line();
            int extension = line.indexOf(';');
            int size = size((extension < 0 ? line : line.substring(0, extension)).strip(), 16, MAX_BODY - body.size());
            if (size == 0) {
                fields();
                return body.toByteArray();
            }
            body.writeBytes(exactly(size));
            if (!line().isEmpty()) {
                throw new BadRequest("A chunk is longer than its size says");
            }
        }
    }

    private static int size(String digits, int radix, int limit) throws BadRequest {
        if (digits.isEmpty() || digits.chars().anyMatch(c -> Character.digit(c, radix) < 0 || c > 127)) {
            throw new BadRequest("Not a length: '" + digits + "'");
        }
        try {
            long size = Long.parseLong(digits, radix);
            if (size <= limit) {
                return (int) size;
            }
        } catch (NumberFormatException tooLong) {
            // more digits than a long has: too large, below
        }
        throw new BadRequest(413, "The body is larger than " + MAX_BODY / 1024 / 1024 + " MB");
    }

    private byte[] exactly(int size) throws IOException {
        byte[] bytes = in.readNBytes(size);
        if (bytes.length < size) {
            throw new EOFException("The client closed within a request body");
        }
        return bytes;
    }

    private String line() throws IOException, BadRequest {
        byte[] line = new byte[128];
        int size = 0;
        for (int b = in.read(); b != '\n'; b = in.read()) {
            if (b < 0) {
                throw new EOFException("The client closed within a request head");
            }
            if (--headLeft < 0) {
                throw new BadRequest(431, "The request head is larger than " + MAX_HEAD / 1024 + " KB");
            }
            if (size == line.length) {
                line = Arrays.copyOf(line, size * 2);
            }
            line[size++] = (byte) b;
        }
        if (size > 0 && line[size - 1] == '\r') {
            size--;
        }
        return new String(line, 0, size, StandardCharsets.ISO_8859_1);
    }
}
