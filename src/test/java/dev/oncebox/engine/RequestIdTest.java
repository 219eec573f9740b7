package dev.oncebox.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RequestIdTest {

    private static String of(Map<String, String> headers, String body) {
        return RequestId.of(headers, body.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void a_header_goes_before_the_body() {
        assertThat(of(Map.of("x-request-id", "req_1", "request-id", "req_2"), "{\"id\":\"b\"}"))
                .isEqualTo("req_1");
        assertThat(of(Map.of("request-id", "req_2"), "{\"id\":\"b\"}")).isEqualTo("req_2");
        assertThat(of(Map.of("x-request-id", " "), "{\"id\":\"b\"}")).isEqualTo("b");
    }

    @Test
    void the_id_of_the_body_is_the_outermost_one() {
        assertThat(of(Map.of(), "{\"choices\":[{\"id\":\"inner\"}],\"id\":\"outer\",\"rest"))
                .isEqualTo("outer");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "[]", "{}", "{\"id\":7}", "{\"id\":null}", "{\"x\":{\"id\":\"a\"}}", "<html>", "{\"i"})
    void other_bodies_have_none(String body) {
        assertThat(of(Map.of(), body)).isNull();
    }
}
