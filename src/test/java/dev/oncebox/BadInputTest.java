package dev.oncebox;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What cannot be read gets a line that says where and why; everything else is answered, and nothing is ever lost. */
class BadInputTest extends StubbedHome {

    @Test
    void an_item_that_cannot_be_read_has_its_line_and_the_others_go_on() {
        TestHome home = home("inbox.max-item=1KB");
        var batch = new ByteArrayOutputStream();
        List<byte[]> lines = List.of(
                utf8("{\"id\":\"good\",\"text\":\"one\"}"),
                utf8("{\"id\":\"broken\",\"text\":\"one}"),
                utf8("{\"id\":\"none\"}"),
                utf8("{\"id\":\"blank\",\"text\":\" \"}"),
                utf8("{\"id\":\"nul\",\"text\":\"a\\u0000b\"}"),
                utf8("{\"id\":\"half\",\"text\":\"\\ud83d\"}"),
                latin1("{\"id\":\"ümlaut\",\"text\":\"x\"}"),
                utf8("{\"text\":\"" + "x".repeat(1100) + "\"}"),
                utf8("[1,2]"),
                utf8("{\"id\":[],\"text\":\"x\"}"),
                utf8("{\"id\":\"twice\",\"text\":\"x\",\"text\":\"y\"}"),
                utf8("{\"id\":\"last\",\"text\":\"two\"}"));
        long[] offsets = new long[lines.size()];
        for (int i = 0; i < lines.size(); i++) {
            offsets[i] = batch.size();
            batch.writeBytes(lines.get(i));
            batch.write('\n');
        }
        home.drop("x.jsonl", batch.toByteArray());

        assertThat(home.runUntilIdle()).isZero();

        assertThat(all(home.lines("outbox/x.jsonl"), "/id")).containsExactly("good", "last");
        List<JsonNode> errors = home.lines("outbox/x.errors.jsonl");
        assertThat(all(errors, "/error/code"))
                .containsExactly(
                        "bad_json",
                        "no_text",
                        "no_text",
                        "nul_character",
                        "lone_surrogate",
                        "invalid_encoding",
                        "too_long",
                        "bad_item",
                        "bad_id",
                        "bad_json");
        assertThat(all(errors, "/line")).containsExactly("2", "3", "4", "5", "6", "7", "8", "9", "10", "11");
        for (JsonNode error : errors) {
            int line = error.path("line").asInt();
            long inLine = line == 7 ? "{\"id\":\"".length() : 0;
            assertThat(error.path("offset").asLong()).as("line %s", line).isEqualTo(offsets[line - 1] + inLine);
            assertThat(error.path("key").isNull()).isTrue();
            assertThat(error.at("/error/message").asText()).matches("(?s)[A-Z].*[.…]");
        }
        assertThat(all(errors, "/id")).contains("none", "blank", "nul", "half", "2", "9");
        JsonNode receipt = home.json("outbox/x.jsonl.receipt.json");
        assertThat(receipt.path("items").asInt()).isEqualTo(12);
        assertThat(receipt.path("invalid").asInt()).isEqualTo(10);
        assertThat(home.files("archive")).containsExactly("x.jsonl");
        assertThat(stub.count()).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"UTF-8", "UTF-16LE", "UTF-16BE"})
    void a_byte_order_mark_every_line_end_and_blank_lines_are_no_data(String charset) {
        TestHome home = home();
        String odd = "a\\u2028b\u2028c\u2029d\u0085e\u000bf\u000cg";
        String content =
                "\uFEFF{\"id\":1,\"text\":\"ä😀 one\"}\r\n\n \t\r{\"id\":2,\"text\":\"" + odd + "\"}\r\"three\"\n\n";
        home.drop("x.jsonl", content.getBytes(Charset.forName(charset)));

        assertThat(home.runUntilIdle()).isZero();

        assertThat(all(home.lines("outbox/x.jsonl"), "/id")).containsExactly("1", "2", "5");
        assertThat(prompts()).containsExactlyInAnyOrder("ä😀 one", odd.replace("\\u2028", "\u2028"), "three");
        assertThat(home.files("outbox")).containsExactly("x.jsonl", "x.jsonl.receipt.json");
    }

    @Test
    void an_id_is_given_back_exactly_as_it_was_written() {
        TestHome home = home();
        home.drop("x.jsonl", """
                {"id":9007199254740993,"text":"a"}
                {"id":18446744073709551616,"text":"b"}
                {"id":1.0,"text":"c"}
                {"id":1e3,"text":"d"}
                {"id":-0,"text":"e"}
                {"id":"01","text":"f"}
                {"id":"ä\\"\\\\/\\n","text":"g"}
                {"id":null,"text":"h"}
                {"id":"","text":"i"}
                {"text":"j"}
                """);

        assertThat(home.runUntilIdle()).isZero();

        assertThat(home.read("outbox/x.jsonl").lines())
                .extracting(line -> line.substring("{\"id\":".length(), line.indexOf(",\"answer\"")))
                .containsExactly(
                        "9007199254740993",
                        "18446744073709551616",
                        "1.0",
                        "1e3",
                        "-0",
                        "\"01\"",
                        "\"ä\\\"\\\\/\\n\"",
                        "8",
                        "\"\"",
                        "10");
    }

    @Test
    void two_items_with_one_id_and_different_content_cannot_be_told_apart() {
        TestHome home = home();
        home.drop("x.jsonl", """
                {"id":7,"text":"one"}
                {"id":7,"text":"two"}
                {"id":"7","text":"three"}
                {"id":7,"text":" one "}
                {"text":"five"}
                {"id":5,"text":"six"}
                """);

        assertThat(home.runUntilIdle()).isZero();

        List<JsonNode> errors = home.lines("outbox/x.errors.jsonl");
        assertThat(all(errors, "/line")).containsExactly("2", "6");
        assertThat(all(errors, "/error/code")).containsOnly("duplicate_id");
        assertThat(errors.get(0).at("/error/message").asText()).contains("Item 1");
        assertThat(home.read("outbox/x.jsonl").lines())
                .extracting(line -> line.substring(0, line.indexOf(",\"answer\"")))
                .containsExactly("{\"id\":7", "{\"id\":\"7\"", "{\"id\":7", "{\"id\":5");
        assertThat(stub.count()).isEqualTo(3);
    }

    @ParameterizedTest
    @CsvSource({"empty.md", "bom.jsonl", "blank.ndjson", "none.json", "spaces.txt"})
    void a_file_without_an_item_is_rejected_with_the_reason_beside_it(String name) {
        TestHome home = home();
        String content =
                switch (name) {
                    case "bom.jsonl" -> "\uFEFF";
                    case "blank.ndjson" -> "\n\r\n \t\n";
                    case "none.json" -> " [ ] ";
                    case "spaces.txt" -> "  \n ";
                    default -> "";
                };
        home.drop("default/" + name, content);

        assertThat(home.runUntilIdle()).isZero();

        assertThat(home.files("rejected"))
                .containsExactlyInAnyOrder("default/" + name, "default/" + name + ".error.json");
        JsonNode error = home.json("rejected/default/" + name + ".error.json");
        assertThat(error.path("file").asText()).isEqualTo("default/" + name);
        assertThat(error.at("/error/code").asText()).isEqualTo("no_items");
        assertThat(home.files("inbox")).isEmpty();
        assertThat(home.files("archive")).isEmpty();
        assertThat(home.status().at("/files/rejected").asInt()).isEqualTo(1);
        assertThat(stub.count()).isZero();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "x.pdf          | unknown_kind     | .pdf",
                "README         | unknown_kind     | ending",
                "x.md~          | unknown_kind     | .md~",
                "nosuch/x.md    | unknown_job      | config/jobs/nosuch/",
                "x.gz           | unknown_kind     | ending",
                "x.pdf.gz       | unknown_kind     | .pdf",
                "x.json         | bad_json         | line 1",
            })
    void a_file_of_which_nothing_can_be_read_is_rejected_with_what_to_do(String name, String code, String reason)
            throws IOException {
        TestHome home = home();
        var zipped = new ByteArrayOutputStream();
        try (var out = new GZIPOutputStream(zipped)) {
            out.write(utf8("\"one\"\n"));
        }
        home.drop(name, name.endsWith(".gz") ? zipped.toByteArray() : utf8("not,\nknown\n"));

        assertThat(home.runUntilIdle()).isZero();

        assertThat(home.files("rejected")).containsExactlyInAnyOrder(name, name + ".error.json");
        JsonNode error = home.json("rejected/" + name + ".error.json").path("error");
        assertThat(error.path("code").asText()).isEqualTo(code);
        assertThat(error.path("message").asText()).contains(reason);
        assertThat(home.files("inbox")).isEmpty();
        assertThat(stub.count()).isZero();
    }

    @Test
    void rejected_files_of_one_name_are_all_kept() {
        TestHome home = home();
        for (String content : List.of("one", "two", "one")) {
            home.drop("x.pdf", content);
            assertThat(home.runUntilIdle()).isZero();
        }

        assertThat(home.files("rejected")).contains("x.pdf", "x~2.pdf", "x.pdf.error.json", "x~2.pdf.error.json");
        assertThat(home.read("rejected/x.pdf")).isEqualTo("one");
        assertThat(home.read("rejected/x~2.pdf")).isEqualTo("two");
    }

    @Test
    void where_the_brackets_of_an_array_end_the_items_before_are_answered() {
        TestHome home = home();
        home.drop(
                "x.json", "[{\"id\":1,\"text\":\"one\"},\n {\"id\":2},\n {\"id\":3,\"text\":\"three\"},\n {\"id\":4,");

        assertThat(home.runUntilIdle()).isZero();

        assertThat(home.json("outbox/x.json")).hasSize(2);
        List<JsonNode> errors = home.lines("outbox/x.errors.jsonl");
        assertThat(all(errors, "/line")).containsExactly("2", "4");
        assertThat(all(errors, "/error/code")).containsExactly("no_text", "bad_json");
        assertThat(stub.count()).isEqualTo(2);
    }

    @Test
    void a_text_that_cannot_be_read_has_its_error_under_its_name() {
        TestHome home = home();
        home.drop("latin1.md", latin1("Grüße"));
        home.drop("nul.txt", utf8("a\0b"));

        assertThat(home.runUntilIdle()).isZero();

        assertThat(home.files("outbox")).containsExactly("latin1.md.error.json", "nul.txt.error.json");
        JsonNode error = home.json("outbox/latin1.md.error.json");
        assertThat(error.at("/error/code").asText()).isEqualTo("invalid_encoding");
        assertThat(error.path("offset").asInt()).isEqualTo(2);
        assertThat(home.files("archive")).containsExactly("latin1.md", "nul.txt");
        assertThat(stub.count()).isZero();
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] latin1(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }
}
