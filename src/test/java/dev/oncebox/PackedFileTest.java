package dev.oncebox;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is packed with gzip is what it would be unpacked. */
class PackedFileTest extends StubbedHome {

    private static byte[] gzip(String text) throws IOException {
        var bytes = new ByteArrayOutputStream();
        try (var out = new GZIPOutputStream(bytes)) {
            out.write(text.getBytes(StandardCharsets.UTF_8));
        }
        return bytes.toByteArray();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "a.md    | a question",
                "a.jsonl | {'text':'a question'}",
                "a.json  | [{'text':'a question'}]",
                "a.csv   | a question,text",
            })
    void the_answer_has_the_name_of_what_was_packed(String name, String content) throws Exception {
        TestHome home = home();
        String text = name.endsWith(".csv") ? "text\na question\n" : content.replace('\'', '"');
        home.drop(name + ".gz", gzip(text));

        assertThat(home.runUntilIdle()).isZero();

        assertThat(home.files("outbox")).contains(name).noneMatch(file -> file.endsWith(".gz"));
        assertThat(home.files("archive")).containsExactly(name + ".gz");
        assertThat(prompts()).containsExactly("a question");
    }

    @Test
    void a_file_that_is_cut_short_is_rejected_and_nothing_of_it_is_sent() throws Exception {
        TestHome home = home();
        byte[] whole = gzip("{\"text\":\"a\"}\n{\"text\":\"b\"}\n");
        home.drop("a.jsonl.gz", Arrays.copyOf(whole, whole.length - 4));

        assertThat(home.runUntilIdle()).isZero();

        assertThat(home.json("rejected/a.jsonl.gz.error.json").at("/error/code").asText())
                .isEqualTo("bad_gzip");
        assertThat(stub.count()).isZero();
    }

    @Test
    void an_item_that_is_too_long_when_it_is_unpacked_has_its_line() throws Exception {
        TestHome home = home("inbox.max-item=1000");
        home.drop("a.jsonl.gz", gzip("{\"text\":\"" + "a".repeat(100_000) + "\"}\n{\"text\":\"b\"}\n"));

        assertThat(home.runUntilIdle()).isZero();

        assertThat(prompts()).containsExactly("b");
        assertThat(home.lines("outbox/a.errors.jsonl").get(0).at("/error/code").asText())
                .isEqualTo("too_long");
    }
}
