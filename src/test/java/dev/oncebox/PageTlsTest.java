package dev.oncebox;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.Test;

/** The page over TLS, with a certificate as an administrator has it. */
class PageTlsTest extends StubbedHome {

    private static final char[] PASSWORD = "changeit".toCharArray();

    @Test
    void the_page_is_served_with_the_certificate_and_only_so() throws Exception {
        KeyStore store = certificate();
        TestHome home = home("http.port=0", "http.tls.certificate=config/page.pem", "http.tls.key=config/page.key");
        home.write(
                "config/page.pem",
                pem("CERTIFICATE", store.getCertificate("page").getEncoded()));
        home.write(
                "config/page.key",
                pem("PRIVATE KEY", store.getKey("page", PASSWORD).getEncoded()));

        try (PageHome page = PageHome.start(home)) {
            HttpClient client =
                    HttpClient.newBuilder().sslContext(trusting(store)).build();
            HttpResponse<String> response = client.send(
                    HttpRequest.newBuilder(URI.create("https://localhost:" + page.port() + "/api/status"))
                            .build(),
                    HttpResponse.BodyHandlers.ofString());

            assertThat(response.statusCode()).isEqualTo(200);
            assertThat(response.headers().firstValue("Strict-Transport-Security"))
                    .isPresent();
            assertThat(new RawHttp(page.port())
                            .send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
                            .status())
                    .isZero();
        }
    }

    private KeyStore certificate() throws IOException, GeneralSecurityException {
        Path file = folder.resolve("page.p12");
        String keytool = System.getProperty("java.home") + "/bin/keytool";
        ShellCommand.Result made = ShellCommand.of(
                        keytool,
                        "-genkeypair",
                        "-alias",
                        "page",
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=localhost",
                        "-ext",
                        "SAN=dns:localhost,ip:127.0.0.1",
                        "-keystore",
                        file.toString(),
                        "-storetype",
                        "PKCS12",
                        "-storepass",
                        "changeit")
                .run();
        assertThat(made.exit()).as(made.out() + made.err()).isZero();
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(file)) {
            store.load(in, PASSWORD);
        }
        return store;
    }

    private static SSLContext trusting(KeyStore pair) throws IOException, GeneralSecurityException {
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        trusted.setCertificateEntry("page", pair.getCertificate("page"));
        TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(trusted);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, factory.getTrustManagers(), null);
        return context;
    }

    private static String pem(String type, byte[] content) {
        return "-----BEGIN " + type + "-----\n"
                + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content) + "\n-----END " + type
                + "-----\n";
    }
}
