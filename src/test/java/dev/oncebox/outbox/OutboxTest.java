package dev.oncebox.outbox;

import static dev.oncebox.ledger.DroppedFile.Kind.ARRAY;
import static dev.oncebox.ledger.DroppedFile.Kind.LINES;
import static dev.oncebox.ledger.DroppedFile.Kind.OBJECT;
import static dev.oncebox.ledger.DroppedFile.Kind.TEXT;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.oncebox.job.Jobs;
import dev.oncebox.ledger.Output;
import dev.oncebox.ledger.SettledFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OutboxTest {

    private static final ObjectMapper JSON = new ObjectMapper();

    private final Path home;

    private final Asked asked = new Asked();

    OutboxTest(@TempDir Path home) {
        this.home = home;
    }

    @Test
    void a_text_is_answered_by_its_text_and_nothing_more() throws IOException {
        asked.answered("1", "  Dear 😀,\r\n\tyours\u2028");

        assertThat(deliver(Asked.file("a/b.md", TEXT))).isEqualTo("a/b.md");
        assertThat(read("a/b.md")).isEqualTo("  Dear 😀,\r\n\tyours\u2028");
        assertThat(files()).containsExactly("a/b.md");
    }

    @Test
    void a_text_answered_in_json_says_so_in_its_name() throws IOException {
        asked.answeredJson("1", "{\n  \"n\": 1.0\n}\n\n");

        assertThat(deliver(Asked.file("b.md", TEXT))).isEqualTo("b.md.json");
        assertThat(read("b.md.json")).isEqualTo("{\n  \"n\": 1.0\n}\n");
    }

    @Test
    void a_text_without_an_answer_says_why() throws IOException {
        asked.failed("1", 3);

        assertThat(deliver(Asked.file("a/b.md", TEXT))).isEqualTo("a/b.md.error.json");
        assertThat(read("a/b.md.error.json"))
                .isEqualTo("{\"id\":1,\"line\":11,\"key\":\"key1\","
                        + "\"error\":{\"code\":\"http_400\",\"message\":\"It is refused.\"}}\n");
        assertThat(files()).containsExactly("a/b.md.error.json");
    }

    @Test
    void lines_are_answered_line_by_line_in_order_with_ids_as_written() throws IOException {
        asked.answered("18446744073709551615", "one")
                .reused("\"caf\\u00e9\"", "two\nlines")
                .doubtful("1.50", "three");

        assertThat(deliver(Asked.file("a/x.jsonl", LINES))).isEqualTo("a/x.jsonl");
        assertThat(read("a/x.jsonl"))
                .isEqualTo(line("18446744073709551615", "\"one\"", 1, "new")
                        + line("\"caf\\u00e9\"", "\"two\\nlines\"", 2, "reused")
                        + line("1.50", "\"three\"", 3, "unknown"));
        assertThat(files()).containsExactly("a/x.jsonl", "a/x.jsonl.receipt.json");
    }

    @Test
    void items_without_an_answer_stand_in_the_errors_file() throws IOException {
        asked.invalid("bad_json").answered("2", "two").failed("\"c\"", 1);

        deliver(Asked.file("x.jsonl", LINES));
        assertThat(read("x.jsonl")).isEqualTo(line("2", "\"two\"", 2, "new"));
        assertThat(read("x.errors.jsonl"))
                .isEqualTo("{\"id\":1,\"line\":11,\"offset\":100,\"key\":null,"
                        + "\"error\":{\"code\":\"bad_json\",\"message\":\"It cannot be read.\"}}\n"
                        + "{\"id\":\"c\",\"line\":13,\"key\":\"key3\","
                        + "\"error\":{\"code\":\"http_400\",\"message\":\"It is refused.\"}}\n");
        assertThat(files()).containsExactly("x.errors.jsonl", "x.jsonl", "x.jsonl.receipt.json");
    }

    @Test
    void answers_are_written_even_when_there_are_none() throws IOException {
        asked.invalid("bad_json");

        deliver(Asked.file("x.jsonl", LINES));
        deliver(Asked.file("y.json", ARRAY));
        assertThat(read("x.jsonl")).isEmpty();
        assertThat(read("y.json")).isEqualTo("[\n]\n");
    }

    @Test
    void an_array_is_answered_by_an_array() throws IOException {
        asked.answered("1", "one").invalid("no_text").answered("3", "three");

        assertThat(deliver(Asked.file("x.json", ARRAY))).isEqualTo("x.json");
        String one = line("1", "\"one\"", 1, "new").strip();
        String three = line("3", "\"three\"", 3, "new").strip();
        assertThat(read("x.json")).isEqualTo("[\n" + one + ",\n" + three + "\n]\n");
        assertThat(files()).containsExactly("x.errors.jsonl", "x.json", "x.json.receipt.json");
    }

    @Test
    void an_object_is_answered_by_an_object_without_a_receipt() throws IOException {
        asked.answered("\"7\"", "seven");

        assertThat(deliver(Asked.file("x.json", OBJECT))).isEqualTo("x.json");
        assertThat(read("x.json")).isEqualTo(line("\"7\"", "\"seven\"", 1, "new"));
        assertThat(files()).containsExactly("x.json");
    }

    @Test
    void an_object_without_an_answer_says_why() throws IOException {
        asked.invalid("no_text");

        assertThat(deliver(Asked.file("x.json", OBJECT))).isEqualTo("x.json.error.json");
        assertThat(files()).containsExactly("x.json.error.json");
    }

    @Test
    void json_answers_keep_every_digit_and_take_one_line() throws IOException {
        asked.answeredJson("1", "{\n \"a b\" : [ 12345678901234567890, 1.0e+2 ],\r\n \"\\\"\\\\\" : \" \\n\"\n}");

        deliver(Asked.file("x.jsonl", LINES));
        assertThat(read("x.jsonl"))
                .isEqualTo(line("1", "{\"a b\":[12345678901234567890,1.0e+2],\"\\\"\\\\\":\" \\n\"}", 1, "new"));
    }

    @Test
    void a_job_that_wants_json_gets_json_from_an_answer_stored_as_text() throws IOException {
        job("answer = json");
        asked.answered("1", " {\"n\": 1} ")
                .answered("2", "Sorry, no.")
                .answered("3", "{} {}")
                .answered("4", "");

        deliver(Asked.file("x.jsonl", LINES));
        assertThat(read("x.jsonl")).isEqualTo(line("1", "{\"n\":1}", 1, "new"));
        assertThat(read("x.errors.jsonl").lines()).hasSize(3).allSatisfy(error -> assertThat(error)
                .contains("\"code\":\"not_json\""));
        assertThat(receipt("x.jsonl").path("failed").asInt()).isEqualTo(3);
        assertThat(receipt("x.jsonl").at("/tokens/input").asInt()).isEqualTo(20);
    }

    @Test
    void a_text_of_a_job_that_wants_json_fails_when_the_answer_is_none() throws IOException {
        job("answer = json");
        asked.answered("1", "Sorry, no.");

        assertThat(deliver(Asked.file("b.md", TEXT))).isEqualTo("b.md.error.json");
    }

    @Test
    void half_a_surrogate_pair_breaks_nothing() throws IOException {
        asked.answered("\"a\ud83d\"", "\ud83d, \ude00 and \ud83d\ude00").answeredJson("2", "[\"\ude00\ud83d\ud83d\"]");

        deliver(Asked.file("x.jsonl", LINES));
        List<String> lines = read("x.jsonl").lines().toList();
        assertThat(lines.get(0)).contains("\"a\\ud83d\"", "\\ud83d, \\ude00 and 😀");
        assertThat(lines.get(1)).contains("[\"\\ude00\\ud83d\\ud83d\"]");
    }

    @Test
    void half_a_surrogate_pair_in_a_text_is_told_and_in_json_is_escaped() throws IOException {
        asked.answered("1", "a\ud83dz");

        assertThat(deliver(Asked.file("b.md", TEXT))).isEqualTo("b.md.error.json");
        assertThat(read("b.md.error.json")).contains("\"code\":\"not_utf8\"", "\"key\":\"key1\"", ".jsonl", "unpaid");

        asked.outcomes.clear();
        asked.answeredJson("1", "[\"\ud83d\"]");
        assertThat(deliver(Asked.file("c.md", TEXT))).isEqualTo("c.md.json");
        assertThat(read("c.md.json")).isEqualTo("[\"\\ud83d\"]\n");
    }

    @Test
    void a_call_without_model_and_usage_has_null_and_nothing() throws IOException {
        asked.answered("1", "one").withoutUsage();

        deliver(Asked.file("x.jsonl", LINES));
        assertThat(read("x.jsonl")).endsWith("\"model\":null,\"usage\":{}}\n");
    }

    @Test
    void nothing_is_written_when_an_item_has_lost_its_end() throws IOException {
        asked.answered("1", "one").invalid("bad_json").unsettled();

        assertThat(deliver(Asked.file("x.jsonl", LINES))).isNull();
        assertThat(deliver(Asked.file("y.md", LINES))).isNull();
        assertThat(files()).isEmpty();
    }

    private @Nullable String deliver(SettledFile file) throws IOException {
        Jobs jobs = Jobs.read(home.resolve("jobs"), Map.of("default", "tiny"));
        Output output = new Outbox(asked.ledger(), jobs, home.resolve("outbox")).deliver(asked.counted(file));
        return output == null ? null : output.name();
    }

    private void job(String properties) throws IOException {
        Path folder = Files.createDirectories(home.resolve("jobs/default"));
        Files.writeString(folder.resolve("job.properties"), properties);
    }

    private static String line(String id, String answer, int n, String charged) {
        return "{\"id\":" + id + ",\"answer\":" + answer + ",\"key\":\"key" + n + "\",\"charged\":\"" + charged
                + "\",\"engine\":\"default\",\"model\":\"tiny\",\"usage\":{\"total\":12}}\n";
    }

    private JsonNode receipt(String name) throws IOException {
        return JSON.readTree(read(name + ".receipt.json"));
    }

    private String read(String name) throws IOException {
        return Files.readString(home.resolve("outbox").resolve(name));
    }

    private List<String> files() throws IOException {
        return OutboxNamesTest.filesBelow(home.resolve("outbox"));
    }
}
