package dev.oncebox.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever an engine tells as the address of a job, what is asked is an HTTP address or nothing. */
class JobAddressTest {

    private static final URI SUBMITTED = URI.create("http://e.example:8080/api/jobs");

    private static String resolved(String told) {
        URI address = JobAddress.resolve(SUBMITTED, told);
        return address == null ? null : address.toString();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            /jobs/7                     | http://e.example:8080/jobs/7
            jobs/7                      | http://e.example:8080/api/jobs/7
            7                           | http://e.example:8080/api/7
            ./7                         | http://e.example:8080/api/7
            ../x                        | http://e.example:8080/x
            ../../../x                  | http://e.example:8080/x
            /../../x                    | http://e.example:8080/x
            ?job=7                      | http://e.example:8080/api/jobs?job=7
            ?q                          | http://e.example:8080/api/jobs?q
            /jobs/7?a=b&c=%20d          | http://e.example:8080/jobs/7?a=b&c=%20d
            /jobs/7#part                | http://e.example:8080/jobs/7
            '  /jobs/7  '               | http://e.example:8080/jobs/7
            http://other.example/x      | http://other.example/x
            HTTPS://Other.example:9/x   | https://Other.example:9/x
            //other.host/x              | http://other.host/x
            http://[::1]:8080/x         | http://[::1]:8080/x
            http://other.example        | http://other.example
            /jobs/a b                   | http://e.example:8080/jobs/a%20b
            /jobs/a%20b                 | http://e.example:8080/jobs/a%20b
            /jobs/100%                  | http://e.example:8080/jobs/100%25
            /jobs/100%2                 | http://e.example:8080/jobs/100%252
            /jobs/{id}                  | http://e.example:8080/jobs/%7Bid%7D
            /jobs/[7]                   | http://e.example:8080/jobs/%5B7%5D
            /jobs/"7"                   | http://e.example:8080/jobs/%227%22
            /jobs/7^8`9                 | http://e.example:8080/jobs/7%5E8%609
            /jobs/é/日                  | http://e.example:8080/jobs/%C3%A9/%E6%97%A5
            /{{env:HOME}}               | http://e.example:8080/%7B%7Benv:HOME%7D%7D
            /jobs/a@b:c                 | http://e.example:8080/jobs/a@b:c
            """)
    void an_address_is_that_of_the_standard_with_what_no_address_may_hold_escaped(String told, String address) {
        assertThat(resolved(told)).isEqualTo(address);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "   ",
                "{{env:HOME}}",
                "file:///etc/passwd",
                "file:/etc/passwd",
                "javascript:alert(1)",
                "mailto:a@b.example",
                "ftp://e.example/x",
                "jar:http://e.example/x!/y",
                "http:",
                "http://",
                "http:relative",
                "http:///x",
                "//",
                "http://user:word@e.example/x",
                "//user@e.example/x",
                "http://e.example:port/x",
                "http://e.example:99999999999/x",
                "http://under_score/x",
                "://x"
            })
    void what_cannot_be_asked_over_http_without_a_secret_in_it_is_no_address(String told) {
        assertThat(resolved(told)).isNull();
    }

    @Test
    void nothing_and_what_is_too_long_are_no_addresses() {
        assertThat(JobAddress.resolve(SUBMITTED, null)).isNull();
        assertThat(resolved("/" + "x".repeat(3999)))
                .hasSize(SUBMITTED.toString().length() - "/api/jobs".length() + 4000);
        assertThat(resolved("/" + "x".repeat(4000))).isNull();
    }

    @Test
    void a_control_character_or_half_a_character_cannot_break_the_line_of_a_file_or_a_header() {
        assertThat(resolved("/jobs/7\r\nX-Other: 1")).doesNotContain("\r", "\n", " ");
        assertThat(resolved("/jobs/\u0000\u007f\ud800")).isEqualTo("http://e.example:8080/jobs/%00%7F%3F");
    }

    @Test
    void beside_an_engine_without_a_path_an_address_is_still_on_the_engines_host() {
        URI bare = URI.create("http://e.example");
        assertThat(JobAddress.resolve(bare, "jobs/7")).hasToString("http://e.example/jobs/7");
        assertThat(JobAddress.resolve(bare, "?job=7")).hasToString("http://e.example/?job=7");
        assertThat(JobAddress.resolve(bare, "/jobs/7")).hasToString("http://e.example/jobs/7");
    }

    @Test
    void the_bytes_of_a_header_mean_what_they_mean_in_utf_8() {
        String asClientsReadIt = new String("/jobs/é".getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);

        assertThat(JobAddress.ofHeader(Map.of("location", asClientsReadIt))).isEqualTo("/jobs/é");
        assertThat(JobAddress.ofHeader(Map.of("location", "/jobs/é")))
                .as("Latin-1 after all")
                .isEqualTo("/jobs/é");
        assertThat(JobAddress.ofHeader(Map.of("location", "/jobs/7"))).isEqualTo("/jobs/7");
        assertThat(JobAddress.ofHeader(Map.of())).isNull();
    }

    @ParameterizedTest
    @CsvSource({
        "resp_abc-1, true",
        "resp.1, true",
        "'', false",
        "., false",
        ".., false",
        "a/b, false",
        "a?b, false",
        "a%2Fb, false",
        "a b, false",
        "é, false"
    })
    void an_id_can_stand_in_an_address_as_it_is_or_is_none(String id, boolean isId) {
        assertThat(JobAddress.isId(id)).isEqualTo(isId);
    }
}
