package dev.oncebox.bench;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** One connection to the endpoint: one request after another, each with a {@code Content-Length}. */
final class Visitor {

    private static final Pattern LENGTH = Pattern.compile("\r\ncontent-length: *([0-9]+)\r\n");
    private static final String FILLER =
            " It says what a model might say of the prompt, at about the length of a short summary.".repeat(4);
    private static final String ANSWER =
            "{\"id\":\"chatcmpl-%d\",\"object\":\"chat.completion\",\"created\":1700000000,"
                    + "\"model\":\"bench\",\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":\"Answer %d."
                    + FILLER + "\",\"refusal\":null},\"logprobs\":null,\"finish_reason\":\"stop\"}],"
                    + "\"usage\":{\"prompt_tokens\":375,\"completion_tokens\":80,\"total_tokens\":455}}";
    private static final String HEAD =
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n";

    private final SocketChannel channel;
    private byte[] bytes = new byte[16 * 1024];
    private int filled;
    /** Of the request under way; 0: its head is not there yet. */
    private int size;

    Visitor(SocketChannel channel) {
        this.channel = channel;
    }

    /** Whether a request has become complete. */
    boolean read() throws IOException {
        if (filled == bytes.length) {
            bytes = Arrays.copyOf(bytes, 2 * bytes.length);
        }
        int read = channel.read(ByteBuffer.wrap(bytes, filled, bytes.length - filled));
        if (read < 0) {
            throw new EOFException();
        }
        filled += read;
        if (size == 0) {
            size = size();
        }
        return size > 0 && filled >= size;
    }

    private int size() throws IOException {
        for (int end = 3; end < filled; end++) {
            if (bytes[end] == '\n' && bytes[end - 1] == '\r' && bytes[end - 2] == '\n') {
                String head = new String(bytes, 0, end + 1, StandardCharsets.ISO_8859_1).toLowerCase(Locale.ROOT);
                Matcher length = LENGTH.matcher(head);
                if (!length.find()) {
                    throw new IOException("a request without a length");
                }
                return end + 1 + Integer.parseInt(length.group(1));
            }
        }
        return 0;
    }

    void answer(long number) throws IOException {
        filled = 0;
        size = 0;
        String body = ANSWER.replace("%d", Long.toString(number));
        ByteBuffer reply = ByteBuffer.wrap(
                (HEAD.replace("%d", Integer.toString(body.length())) + body).getBytes(StandardCharsets.ISO_8859_1));
        while (reply.hasRemaining()) {
            channel.write(reply);
        }
    }
}
