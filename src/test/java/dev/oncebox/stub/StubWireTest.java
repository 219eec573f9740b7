package dev.oncebox.stub;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(30)
class StubWireTest {

    private Stub stub;

    @BeforeEach
    void start() throws IOException {
        stub = Stub.start(Stub.Options.defaults());
    }

    @AfterEach
    void stop() {
        stub.close();
    }

    @Test
    void a_cut_reply_promises_more_than_it_brings() throws Exception {
        String reply = raw(plain("/summarize", "{\"text\": \"Hello [[stub: cut]]\"}"));

        int length = Integer.parseInt(reply.replaceAll("(?s).*Content-Length: (\\d+).*", "$1"));
        assertThat(reply.split("\r\n\r\n", 2)[1]).hasSize(length / 2);
    }

    @Test
    void one_connection_serves_many_requests_of_any_framing() throws Exception {
        String chunked =
                "POST /summarize HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n"
                        + "6;a=b\r\n{\"text\r\n9\r\n\": \"two\"}\r\n0\r\nTrailer: x\r\n\r\n";

        String replies = raw(plain("/summarize", "{\"text\": \"one\"}") + chunked
                + "GET /count HTTP/1.1\r\nConnection: close\r\n\r\n");

        assertThat(replies).contains("[call 1] one", "HTTP/1.1 100 Continue", "[call 2] two", "\"answered\":2");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "hello\r\n\r\n",
                "POST /summarize HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
                "POST /summarize HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
                "POST /summarize HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
                "POST /summarize HTTP/1.1\r\nno colon\r\n\r\n"
            })
    void a_malformed_request_gets_400_and_is_not_counted(String request) throws Exception {
        assertThat(raw(request)).startsWith("HTTP/1.1 400 ").contains("\"error\"");
        assertThat(stub.count()).isZero();
    }

    @Test
    void what_is_too_large_is_refused_and_the_stub_goes_on() throws Exception {
        assertThat(raw("POST / HTTP/1.1\r\nContent-Length: 67108865\r\n\r\n")).startsWith("HTTP/1.1 413 ");
        assertThat(raw("POST / HTTP/1.1\r\nX: " + "x".repeat(70_000) + "\r\n\r\n"))
                .startsWith("HTTP/1.1 431 ");
        assertThat(raw(plain("/summarize", "[".repeat(100_000)))).startsWith("HTTP/1.1 400 ");
        assertThat(raw(plain("/summarize", "{\"text\": \"fine\"}"))).startsWith("HTTP/1.1 200 ");
    }

    @Test
    void a_request_cut_short_is_not_counted() throws Exception {
        raw("POST /summarize HTTP/1.1\r\nContent-Length: 100\r\n\r\n{\"text\"");

        assertThat(stub.count()).isZero();
    }

    private static String plain(String path, String body) {
        return "POST " + path + " HTTP/1.1\r\nContent-Length: " + body.length() + "\r\n\r\n" + body;
    }

    /** Everything the stub says on a connection on which this is all it hears. */
    private String raw(String request) throws IOException {
        try (Socket socket = new Socket("127.0.0.1", stub.port())) {
            socket.getOutputStream().write(request.getBytes(StandardCharsets.UTF_8));
            socket.shutdownOutput();
            var in = socket.getInputStream();
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
