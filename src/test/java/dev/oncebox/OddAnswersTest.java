package dev.oncebox;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.TextNode;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Answers that no book foresees: each is delivered to the last character or told as an error, and breaks no other. */
class OddAnswersTest extends StubbedHome {

    /** The batch: prompts that are the whole reply of the endpoint, as JSON. */
    private final Map<String, String> replies = new LinkedHashMap<>();

    private void answer(String id, @Nullable String content) {
        reply(id, TextNode.valueOf(content), "\"m\"", "\"stop\"", "{\"prompt_tokens\":3,\"completion_tokens\":4}");
    }

    private void usage(String id, String usage) {
        reply(id, TextNode.valueOf("fine " + id), "\"m\"", "\"stop\"", usage);
    }

    private void reply(String id, @Nullable JsonNode content, String model, String finish, String usage) {
        replies.put(
                id,
                "{\"id\":\"" + id + "\",\"model\":" + model + ",\"choices\":[{\"message\":{\"content\":"
                        + (content == null ? "null" : ascii(content)) + "},\"finish_reason\":" + finish
                        + "}],\"usage\":"
                        + usage + "}");
    }

    /** With an escape for everything but plain ASCII. */
    private static String ascii(JsonNode text) {
        return text.toString()
                .chars()
                .mapToObj(c -> c < 127 ? String.valueOf((char) c) : String.format("\\u%04x", c))
                .collect(Collectors.joining());
    }

    private String batch() {
        return replies.entrySet().stream()
                .map(each -> JsonNodeFactory.instance
                        .objectNode()
                        .put("id", each.getKey())
                        .put("text", "[[stub: raw always]] " + each.getValue())
                        .toString())
                .collect(Collectors.joining("\n"));
    }

    /** Every line of a file is JSON, and a line ends with a line feed alone. */
    private static Map<String, JsonNode> lines(TestHome home, String file) {
        Map<String, JsonNode> lines = new LinkedHashMap<>();
        for (String line : home.read(file).split("\n")) {
            lines.put(tree(line).path("id").asText(), tree(line));
        }
        return lines;
    }

    @Test
    void odd_texts_are_delivered_exactly_and_their_neighbours_are_unharmed() {
        Map<String, String> texts = new LinkedHashMap<>();
        texts.put("first", "plain");
        texts.put("nul", "\0a\0");
        texts.put("high", "a \ud83d");
        texts.put("low", "\ude00\ud83d\ude00\ud83d");
        texts.put("lines", "a\u2028b\u2029c\u0085d\u000be\r\nf");
        texts.put("deep", "[".repeat(2000) + "]".repeat(2000));
        texts.put("bom", "\ufeff\uffff\ufffe");
        texts.put("last", "plain, too");
        texts.forEach(this::answer);
        answer("empty", "");
        answer("white", " \n\t\u00a0");
        reply("null", null, "null", "null", "null");
        TestHome home = home();
        home.drop("x.jsonl", batch());

        assertThat(home.runUntilIdle()).isEqualTo(4);

        Map<String, JsonNode> lines = lines(home, "outbox/x.jsonl");
        assertThat(lines.keySet()).containsExactlyElementsOf(texts.keySet());
        texts.forEach((id, text) ->
                assertThat(lines.get(id).path("answer").textValue()).as(id).isEqualTo(text));
        assertThat(home.read("outbox/x.jsonl")).contains("\"a \\ud83d\"").doesNotContain("\ufffd");
        assertThat(lines(home, "outbox/x.errors.jsonl").values())
                .extracting(error -> error.at("/error/code").asText())
                .containsExactly("empty_answer", "empty_answer", "empty_answer");
        assertThat(stub.count()).isEqualTo(11);

        home.drop("y.jsonl", batch());
        assertThat(home.runUntilIdle()).isEqualTo(4);
        assertThat(stub.count()).as("all of them are known").isEqualTo(11);
    }

    @Test
    void odd_usage_and_odd_names_break_neither_the_batch_nor_the_figures() {
        usage("null", "null");
        usage("text", "\"lots\"");
        usage("array", "[1,2]");
        usage("empty", "{}");
        usage("strings", "{\"prompt_tokens\":\"3\",\"completion_tokens\":\"4\"}");
        usage("floats", "{\"prompt_tokens\":3.5,\"completion_tokens\":4.0}");
        usage("negative", "{\"prompt_tokens\":-3,\"completion_tokens\":-4}");
        usage("nulls", "{\"prompt_tokens\":null,\"completion_tokens\":null}");
        usage("huge", "{\"prompt_tokens\":1e30,\"completion_tokens\":" + "9".repeat(400) + "}");
        usage("long", "{\"prompt_tokens\":" + Long.MAX_VALUE + ",\"completion_tokens\":" + Long.MAX_VALUE + "}");
        usage("signs", "{\"note\":\"\\u0000\\ud83d\\u2028\",\"\\udc00\":1}");
        JsonNode fine = TextNode.valueOf("fine");
        reply("model", fine, "\"a\\u0000\\n\\u202e\\ud83d\"", "\"st\\u0000op\"", "{}");
        reply("long model", fine, "\"" + "m".repeat(10_000) + "\"", "7", "{}");
        reply("no model", fine, "{\"name\":1}", "null", "{}");
        replies.put("missing", "{\"choices\":[{\"message\":{\"content\":\"fine\"}}]}");
        TestHome home = home("engine.default.price.input=1", "engine.default.price.output=2");
        home.drop("x.jsonl", batch());

        assertThat(home.runUntilIdle()).isZero();

        Map<String, JsonNode> lines = lines(home, "outbox/x.jsonl");
        assertThat(lines.keySet()).containsExactlyElementsOf(replies.keySet());
        assertThat(lines.get("signs").path("usage"))
                .isEqualTo(tree("{\"note\":\"\\u0000\\ud83d\\u2028\",\"\\udc00\":1}"));
        assertThat(lines.get("huge").path("usage").toString()).contains("9".repeat(400));
        assertThat(lines.get("text").path("usage").toString()).isEqualTo("{}");
        assertThat(lines.get("model").path("model").asText()).isEqualTo("a\\u0000\\n\\u202e\\ud83d");
        assertThat(lines.get("long model").path("model").asText())
                .startsWith("mmm")
                .hasSize(201);
        assertThat(lines.get("no model").path("model").isNull()).isTrue();
        JsonNode receipt = home.json("outbox/x.jsonl.receipt.json");
        assertThat(receipt.path("answered").asInt()).isEqualTo(15);
        assertThat(receipt.path("cost").isNull()).isTrue();
        assertThat(receipt.at("/tokens/input").isNull()).isTrue();
        assertThat(receipt.has("notes")).isFalse();
        assertThat(home.status().path("cost").isNull()).isTrue();
        assertThat(home.events("x.jsonl")).contains("COMPLETE");
        assertThat(number(home, "SELECT count(*) FROM call WHERE input_tokens IS NOT NULL"))
                .isZero();
        assertThat(
                        number(
                                home,
                                "SELECT count(*) FROM call WHERE instr(coalesce(model, '') || coalesce(finish, '')"
                                        + " || coalesce(usage, ''), char(0)) > 0 OR coalesce(model, '') || coalesce(usage, '') LIKE '%?%'"))
                .as("nothing that a column of text cannot keep")
                .isZero();
    }

    @Test
    void answers_of_many_megabytes_are_delivered_whole() {
        TestHome home = home();
        home.drop("x.jsonl", """
                "before"
                "[[stub: size=16777216]] large"
                "[[stub: size=31457280]] larger"
                "after"
                """);
        home.drop("b.md", "[[stub: size=31457280]] alone");

        assertThat(home.runUntilIdle()).isZero();

        List<String> lines = home.read("outbox/x.jsonl").lines().toList();
        assertThat(answer(lines.get(0))).endsWith(" before");
        assertThat(answer(lines.get(1))).contains(" largex").hasSize(16 << 20);
        assertThat(answer(lines.get(2))).contains(" largerx").hasSize(30 << 20);
        assertThat(answer(lines.get(3))).endsWith(" after");
        assertThat(home.read("outbox/b.md")).hasSize(30 << 20);
        assertThat(stub.count()).isEqualTo(5);
    }

    /** Found without a parser, as most have a limit below what is looked for here. */
    private static String answer(String line) {
        String start = "\"answer\":\"";
        int from = line.indexOf(start) + start.length();
        return line.substring(from, line.indexOf('"', from));
    }

    @Test
    void odd_json_keeps_every_digit_or_is_rejected() {
        String digits = "7".repeat(400);
        answer("first", "{\"a\":1.10}");
        answer("huge", "{\"a\":[1e400,-1E-400," + digits + ",0." + digits + "]}");
        answer("half", "{\"a\":\"\\ud83d\",\"b\":\"\ude00\"}");
        answer("lines", "{\"a\":\"b\u2028c\\u0000\"}");
        answer("deep", "[".repeat(2000) + "]".repeat(2000));
        answer("digits", "[" + "7".repeat(5000) + "]");
        answer("two", "{\"a\":1}\n{\"a\":2}");
        answer("last", "[true]");
        TestHome home = home();
        home.write("config/jobs/j/job.properties", "answer=json\nattempts=1\n");
        home.drop("j/x.jsonl", batch());

        assertThat(home.runUntilIdle()).isEqualTo(4);

        Map<String, JsonNode> lines = lines(home, "outbox/j/x.jsonl");
        assertThat(lines.keySet()).containsExactly("first", "huge", "half", "lines", "last");
        assertThat(home.read("outbox/j/x.jsonl"))
                .contains("{\"a\":1.10}", "1E+400", "E-400", "," + digits + ",0." + digits + "]")
                .contains("\"a\":\"\\ud83d\",\"b\":\"\\ude00\"");
        assertThat(lines.get("lines").at("/answer/a").asText()).isEqualTo("b\u2028c\0");
        Map<String, JsonNode> errors = lines(home, "outbox/j/x.errors.jsonl");
        assertThat(errors.values())
                .extracting(error -> error.at("/error/code").asText())
                .containsExactly("not_json", "not_json", "not_json");
        assertThat(errors.get("deep").at("/error/message").asText()).contains("nested too deeply");
        assertThat(errors.get("two").at("/error/message").asText()).contains("a second JSON value follows");
    }

    @Test
    void half_a_surrogate_pair_has_no_place_in_a_text_file_and_comes_as_a_line_unpaid() {
        answer("1", "a\ud83dz");
        TestHome home = home();
        home.drop("b.md", "[[stub: raw always]] " + replies.get("1"));

        assertThat(home.runUntilIdle()).isZero();

        assertThat(home.files("outbox")).containsExactly("b.md.error.json");
        JsonNode error = home.json("outbox/b.md.error.json");
        assertThat(error.at("/error/code").asText()).isEqualTo("not_utf8");
        home.drop("b.jsonl", batch());
        assertThat(home.runUntilIdle()).isZero();
        assertThat(home.lines("outbox/b.jsonl").get(0).path("answer").asText()).isEqualTo("a\ud83dz");
        assertThat(home.lines("outbox/b.jsonl").get(0).path("key")).isEqualTo(error.path("key"));
        assertThat(stub.count()).isEqualTo(1);
    }
}
