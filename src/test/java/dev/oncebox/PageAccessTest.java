package dev.oncebox;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Who is served what on the page's port. */
class PageAccessTest extends StubbedHome {

    private static final String CHANGE = "/api/calls/" + "0".repeat(64) + "/resend";
    private static final String BEARER = "Bearer " + PageHome.TOKEN;

    @Test
    void to_this_machine_everything_is_shown_and_nothing_changed_without_the_token() {
        try (PageHome page = PageHome.start(home(PageHome.PROPERTIES))) {
            var http = new RawHttp(page.port());

            assertThat(http.ask("GET", "/", Map.of()).text())
                    .startsWith("HTTP/1.1 200")
                    .contains("Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'")
                    .contains("frame-ancestors 'none'", "X-Content-Type-Options: nosniff")
                    .contains("Referrer-Policy: no-referrer", "X-Frame-Options: DENY")
                    .doesNotContain("unsafe", "Set-Cookie");
            assertThat(http.ask("GET", "/api/status", Map.of()).status()).isEqualTo(200);
            assertThat(http.ask("GET", "/api/status", Map.of()).text()).doesNotContain("Camel");
            assertThat(http.ask("GET", "/observe/metrics", Map.of()).status()).isEqualTo(200);
            assertThat(http.ask("GET", "/api/status", Map.of("Host", "localhost"))
                            .status())
                    .isEqualTo(200);

            assertThat(http.ask("POST", CHANGE, Map.of("Content-Length", "0")).status())
                    .isEqualTo(401);
            assertThat(http.ask("POST", CHANGE, change()).status())
                    .as("with the token: no such call")
                    .isEqualTo(404);
            assertThat(http.ask("GET", CHANGE, Map.of()).status()).isEqualTo(405);
        }
    }

    private static Map<String, String> change() {
        return Map.of("Authorization", BEARER, "Content-Length", "0");
    }

    @Test
    void a_strange_name_page_query_body_path_or_method_is_refused_even_with_the_token() {
        try (PageHome page = PageHome.start(home(PageHome.PROPERTIES))) {
            var http = new RawHttp(page.port());
            Map<String, Integer> byHeaders = Map.of(
                    "Host: evil.example.com",
                    421,
                    "Host: 127.0.0.1.evil.example.com",
                    421,
                    "Origin: http://evil.example.com",
                    403,
                    "Origin: null",
                    403,
                    "Sec-Fetch-Site: cross-site",
                    403,
                    "Sec-Fetch-Site: same-site",
                    403,
                    "Content-Length: 1025",
                    400,
                    "Content-Length: 99999999999",
                    400,
                    "Transfer-Encoding: chunked",
                    400,
                    "Authorization: Bearer " + PageHome.TOKEN + "x",
                    401);
            byHeaders.forEach((header, status) -> {
                var headers = new java.util.HashMap<>(change());
                headers.remove("Content-Length");
                headers.put(header.substring(0, header.indexOf(':')), header.substring(header.indexOf(' ') + 1));
                assertThat(http.ask("POST", CHANGE, headers).status())
                        .as(header)
                        .isEqualTo(status);
            });
            assertThat(http.ask("POST", CHANGE + "?key=1", change()).status()).isEqualTo(400);
            for (String path : new String[] {
                "/../data/http.token",
                "/page/../../data/http.token",
                "/page/%2e%2e/page.js",
                "//",
                "/page//page.js",
                "/page/page.css/..",
                "/page/%00",
                "/etc/passwd",
                "/META-INF/MANIFEST.MF"
            }) {
                assertThat(http.ask("GET", path, Map.of("Authorization", BEARER))
                                .status())
                        .as(path)
                        .isIn(400, 404);
            }
            for (String method : new String[] {"TRACE", "OPTIONS", "CONNECT", "PROPFIND", "get"}) {
                assertThat(http.ask(method, "/api/status", change()).status())
                        .as(method)
                        .isEqualTo(405);
            }
            assertThat(page.get("/observe/health").path("status").asText()).isEqualTo("UP");
        }
    }

    @Test
    void from_other_machines_everything_but_the_empty_page_wants_the_token() throws IOException {
        TestHome home = home("http.port=0", "http.host=0.0.0.0", "http.names=oncebox.example.com");
        try (PageHome page = PageHome.start(home)) {
            var http = new RawHttp(page.port());
            String token = home.read("data/http.token").strip();
            Map<String, String> known = Map.of("Authorization", "Bearer " + token);

            assertThat(http.ask("GET", "/", Map.of()).status()).isEqualTo(200);
            assertThat(http.ask("GET", "/page/page.js", Map.of()).status()).isEqualTo(200);
            for (String path :
                    new String[] {"/api/status", "/api/files", "/observe/health", "/observe/metrics", "/other"}) {
                assertThat(http.ask("GET", path, Map.of()).status()).as(path).isEqualTo(401);
            }
            assertThat(http.ask("GET", "/api/status", known).status()).isEqualTo(200);
            assertThat(http.ask("GET", "/", Map.of("Host", "oncebox.example.com"))
                            .status())
                    .isEqualTo(200);
            assertThat(http.ask("GET", "/", Map.of("Host", "203.0.113.9")).status())
                    .isEqualTo(421);
            assertThat(token).matches("[0-9a-f]{64}");
            assertThat(rights(home, "data/http.token")).isEqualTo("rw-------");
            assertThat(rights(home, "data/ledger.db")).isEqualTo("rw-------");
            assertThat(rights(home, "data")).isEqualTo("rwx------");
        }
        String kept = home.read("data/http.token");
        home.write("config/application.properties", home.read("config/application.properties") + "\nhttp.observe=open");
        try (PageHome page = PageHome.start(home)) {
            var http = new RawHttp(page.port());
            assertThat(http.ask("GET", "/observe/health", Map.of()).status()).isEqualTo(200);
            assertThat(http.ask("GET", "/api/status", Map.of()).status()).isEqualTo(401);
            assertThat(home.read("data/http.token")).isEqualTo(kept);
        }
    }

    private static String rights(TestHome home, String file) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(home.path(file)));
    }
}
