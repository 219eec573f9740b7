package dev.oncebox;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What an HTTP client does by itself may cost money: it repeats, follows and trusts. This one does not. */
class DispatchTransportTest extends StubbedHome {

    private static final String TRUST_STORE = "javax.net.ssl.trustStore";
    private static final String PASSWORD = "changeit";

    private final List<String> requests = Collections.synchronizedList(new ArrayList<>());

    @ParameterizedTest
    @ValueSource(ints = {301, 302, 307, 308})
    void redirects_are_not_followed(int status) throws IOException {
        HttpServer server = HttpServer.create(anyPort(), 0);
        serve(server, status);
        try {
            TestHome home = patientHome("engine.default.url=http://127.0.0.1:" + port(server) + "/v1");
            home.drop("a.md", "where to?");

            assertThat(home.runUntilIdle()).isEqualTo(4);

            assertThat(home.events("a.md")).endsWith("SENT", "REFUSED");
            assertThat(requests).containsExactly("POST /v1/chat/completions");
            assertThat(number(home, "SELECT attempts FROM call")).isZero();
        } finally {
            server.stop(0);
        }
    }

    @Test
    void a_303_says_that_the_post_was_processed_so_it_is_a_doubt() throws IOException {
        HttpServer server = HttpServer.create(anyPort(), 0);
        serve(server, 303);
        try {
            TestHome home =
                    home("engine.default.url=http://127.0.0.1:" + port(server) + "/v1", "engine.default.on-doubt=hold");
            home.drop("a.md", "where to?");

            assertThat(home.runUntilIdle()).isEqualTo(4);

            assertThat(home.events("a.md")).endsWith("SENT", "IN_DOUBT");
            assertThat(requests).containsExactly("POST /v1/chat/completions");
        } finally {
            server.stop(0);
        }
    }

    @Test
    void over_tls_an_untrusted_endpoint_gets_nothing_and_a_trusted_one_each_attempt_once() throws Exception {
        Path keys = keyStore();
        HttpsServer server = HttpsServer.create(anyPort(), 0);
        server.setHttpsConfigurator(new HttpsConfigurator(context(keys)));
        serve(server, 429, 503);
        try {
            TestHome home = patientHome("engine.default.url=https://127.0.0.1:" + port(server) + "/v1");
            home.drop("a.md", "in private");

            assertThat(home.runUntilIdle()).isEqualTo(4);

            assertThat(home.events("a.md")).endsWith("SENT", "REFUSED");
            assertThat(home.journal("a.md").toString()).contains("tls_failed");
            assertThat(number(home, "SELECT attempts + doubts FROM call")).isZero();
            assertThat(requests).isEmpty();

            System.setProperty(TRUST_STORE, trusting(keys).toString());
            System.setProperty(TRUST_STORE + "Password", PASSWORD);
            for (int exit : new int[] {4, 4, 0}) {
                makeDue(home);
                int ended = home.runUntilIdle();
                assertThat(ended).as(home.journal("a.md").toString()).isEqualTo(exit);
            }

            assertThat(home.read("outbox/a.md")).isEqualTo("fine");
            assertThat(requests).hasSize(3);
            assertThat(home.events("a.md"))
                    .filteredOn("REFUSED"::equals)
                    .as("untrusted, 429 and 503")
                    .hasSize(3);
            assertThat(number(home, "SELECT attempts FROM call")).isEqualTo(1);
        } finally {
            System.clearProperty(TRUST_STORE);
            System.clearProperty(TRUST_STORE + "Password");
            server.stop(0);
        }
    }

    private static InetSocketAddress anyPort() throws IOException {
        return new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), 0);
    }

    private static int port(HttpServer server) {
        return server.getAddress().getPort();
    }

    /** Answers the first requests with these statuses, and then as chat completions do. */
    private void serve(HttpServer server, int... statuses) {
        server.createContext("/", exchange -> {
            requests.add(exchange.getRequestMethod() + " " + exchange.getRequestURI());
            int status = requests.size() <= statuses.length ? statuses[requests.size() - 1] : 200;
            try (exchange;
                    InputStream in = exchange.getRequestBody()) {
                in.readAllBytes();
                reply(exchange, status);
            }
        });
        server.start();
    }

    private static void reply(HttpExchange exchange, int status) throws IOException {
        exchange.getResponseHeaders().add("Location", "/elsewhere/chat/completions");
        byte[] body = "{\"choices\":[{\"message\":{\"content\":\"fine\"},\"finish_reason\":\"stop\"}]}"
                .getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(status, body.length);
        exchange.getResponseBody().write(body);
    }

    private Path keyStore() throws IOException, InterruptedException {
        Path store = folder.resolve("keys.p12");
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        "endpoint",
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=localhost",
                        "-ext",
                        "SAN=ip:127.0.0.1",
                        "-storetype",
                        "PKCS12",
                        "-keystore",
                        store.toString(),
                        "-storepass",
                        PASSWORD)
                .redirectErrorStream(true)
                .start();
        String said = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(keytool.waitFor()).as(said).isZero();
        return store;
    }

    private static KeyStore load(Path store) throws Exception {
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(store)) {
            keys.load(in, PASSWORD.toCharArray());
        }
        return keys;
    }

    /** A store that trusts the certificate of another one's key. */
    private Path trusting(Path store) throws Exception {
        KeyStore trust = KeyStore.getInstance("PKCS12");
        trust.load(null, null);
        trust.setCertificateEntry("endpoint", load(store).getCertificate("endpoint"));
        Path file = folder.resolve("trust.p12");
        try (OutputStream out = Files.newOutputStream(file)) {
            trust.store(out, PASSWORD.toCharArray());
        }
        return file;
    }

    private static SSLContext context(Path store) throws Exception {
        KeyStore keys = load(store);
        KeyManagerFactory managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        managers.init(keys, PASSWORD.toCharArray());
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(managers.getKeyManagers(), null, null);
        return context;
    }
}
