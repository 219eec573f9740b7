package dev.oncebox;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;

/** Requests that no decent client would send, byte by byte. */
final class RawHttp {

    private static final int PATIENCE_MILLIS = 60_000;

    private final int port;

    RawHttp(int port) {
        this.port = port;
    }

    /**
     * @param status 0: the connection was closed without a word
     */
    record Reply(int status, String text) {}

    Socket connect() throws IOException {
        var socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setSoTimeout(PATIENCE_MILLIS);
        return socket;
    }

    /** A whole request, after which nothing more is asked on its connection. */
    Reply ask(String method, String path, Map<String, String> headers) {
        Map<String, String> all = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        all.put("Host", "127.0.0.1:" + port);
        all.put("Connection", "close");
        all.putAll(headers);
        var request = new StringBuilder(method + " " + path + " HTTP/1.1\r\n");
        all.forEach(
                (name, value) -> request.append(name).append(": ").append(value).append("\r\n"));
        return send(request.append("\r\n").toString(), false);
    }

    /** Any bytes, and no more; the reply is read to its end. */
    Reply send(String bytes) {
        return send(bytes, true);
    }

    private Reply send(String bytes, boolean andNoMore) {
        try (Socket socket = connect()) {
            try {
                socket.getOutputStream().write(bytes.getBytes(StandardCharsets.ISO_8859_1));
                if (andNoMore) {
                    socket.shutdownOutput();
                }
            } catch (IOException e) {
                // it had heard enough; what it said can still be read
            }
            String text = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return new Reply(text.startsWith("HTTP/1.") ? Integer.parseInt(text.substring(9, 12)) : 0, text);
        } catch (IOException e) {
            return new Reply(0, e.toString());
        }
    }
}
