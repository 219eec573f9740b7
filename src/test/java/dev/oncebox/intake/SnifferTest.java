package dev.oncebox.intake;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SnifferTest {

    private static final String WHOLE = "{\"custom_id\":\"a\",\"method\":\"POST\",\"url\":\"/v1/chat/completions\","
            + "\"body\":{\"messages\":[{\"role\":\"user\",\"content\":\"x\"}]}}\n";

    @ParameterizedTest
    @ValueSource(strings = {"", "\n\r\n \t", "\uFEFF", "\uFEFF\n ", "\u00A0\n", "\u000B\n", "\u0085\n", "\n\uFEFF"})
    void a_text_whose_first_line_is_a_whole_request_is_of_such_lines(String before) throws IOException {
        assertThat(kind(FileKind.TEXT, before + WHOLE)).isEqualTo(FileKind.OPENAI);
        assertThat(kind(FileKind.JSON, before + WHOLE)).isEqualTo(FileKind.OPENAI);
    }

    @Test
    void so_is_one_in_other_encodings() throws IOException {
        assertThat(kind(FileKind.TEXT, "\uFEFF\n" + WHOLE, StandardCharsets.UTF_16LE))
                .isEqualTo(FileKind.OPENAI);
        assertThat(kind(FileKind.TEXT, "\uFEFF" + WHOLE, StandardCharsets.UTF_16BE))
                .isEqualTo(FileKind.OPENAI);
    }

    @ParameterizedTest
    @ValueSource(strings = {"x", "Summarise: ", "\"", "[", "\uFEFFx", "ü", "\u0000", "\u007F", "{", " - ", "}"})
    void any_other_text_is_a_text(String before) throws IOException {
        assertThat(kind(FileKind.TEXT, before + WHOLE)).isEqualTo(FileKind.TEXT);
        assertThat(kind(FileKind.TEXT, before)).isEqualTo(FileKind.TEXT);
        assertThat(kind(FileKind.TEXT, before + "\n" + WHOLE)).isEqualTo(FileKind.TEXT);
    }

    @Test
    void among_lines_the_first_may_be_broken() throws IOException {
        assertThat(kind(FileKind.LINES, "x\n" + WHOLE)).isEqualTo(FileKind.OPENAI);
        assertThat(kind(FileKind.LINES, "{\"text\":\"x\"}\n" + WHOLE)).isEqualTo(FileKind.LINES);
    }

    private static FileKind kind(FileKind named, String content) throws IOException {
        return kind(named, content, StandardCharsets.UTF_8);
    }

    private static FileKind kind(FileKind named, String content, Charset charset) throws IOException {
        return Sniffer.kind(named, () -> new ByteArrayInputStream(content.getBytes(charset)), 1 << 20);
    }
}
