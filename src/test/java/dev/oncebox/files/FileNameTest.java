package dev.oncebox.files;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FileNameTest {

    @ParameterizedTest
    @CsvSource({
        "b.md, b.md, b~2.md",
        "b, b, b~2",
        "a.b.jsonl, a.b.jsonl, a.b~2.jsonl",
        ".hidden, .hidden, .hidden~2",
        "b~2.md, b~2.md, b~2~2.md"
    })
    void a_number_stands_before_the_extension(String name, String first, String second) {
        FileName divided = FileName.of(name);

        assertThat(divided.numbered(1, divided.extension())).isEqualTo(first);
        assertThat(divided.numbered(2, divided.extension())).isEqualTo(second);
    }

    @Test
    void a_long_stem_is_shortened_only_when_needed_and_between_characters() {
        FileName name = FileName.of("a" + "😀".repeat(62) + "bcd.md");

        assertThat(name.numbered(1, ".md")).isEqualTo("a" + "😀".repeat(62) + "bcd.md");
        assertThat(name.numbered(2, ".md")).isEqualTo("a" + "😀".repeat(62) + "b~2.md");
        assertThat(name.numbered(1, ".md.error.json")).isEqualTo("a" + "😀".repeat(60) + ".md.error.json");
    }

    @Test
    void what_is_long_after_the_last_dot_is_no_extension() {
        FileName name = FileName.of("b." + "x".repeat(253));

        assertThat(name.extension()).isEmpty();
        assertThat(name.numbered(12, "")).endsWith("x~12");
        assertThat(name.numbered(12, "").getBytes(StandardCharsets.UTF_8)).hasSize(255);
    }
}
