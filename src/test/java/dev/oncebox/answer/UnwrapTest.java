package dev.oncebox.answer;

import static dev.oncebox.answer.Checking.call;
import static dev.oncebox.answer.Checking.json;
import static dev.oncebox.answer.Checking.text;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.TextNode;
import dev.oncebox.ledger.Answer;
import dev.oncebox.ledger.Note;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is taken off around an answer, and what never is. */
class UnwrapTest {

    private final Checking checking;

    UnwrapTest(@TempDir Path folder) {
        checking = new Checking(folder);
    }

    @BeforeEach
    void jobs() throws IOException {
        checking.job("strict", "answer=json");
        checking.job("think", "answer=json\nunwrap=think");
        checking.job("fence", "answer=json\nunwrap = fence");
        checking.job("text", "answer=json\nunwrap=text");
        checking.job("all", "answer=json\nunwrap=text, fence,think");
        checking.job("prose", "unwrap=think");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '%',
            value = {
                "think | <think>[0] {</think>[1]",
                "think | %  <thinking>a\\n\\n</think>\\n</thinking>\\n\\n [1] %",
                "fence | ```\\n[1]\\n```",
                "fence | %\\n```json\\n[1]\\n``` \\n%",
                "fence | ~~~~ json5 `x`\\r\\n[1]\\r\\n~~~~~",
                "fence | ```\\n\\n[\\n1]\\n\\n   ```",
                "text  | Here it is: [1]",
                "text  | %[1]\\n\\nI hope this helps!%",
                "text  | Sure.\\n```json\\n[1]\\n```\\nDone.",
                "all   | <think>a</think>```\\nSo: [1].\\n```",
            })
    void what_the_job_allows_is_taken_off_and_noted(String job, String answer) throws Exception {
        String given = answer.replace("\\n", "\n").replace("\\r", "\r");

        Answer accepted = checking.check(call(job), text("stop", given));

        assertThat(accepted.content()).isEqualTo(json("[1]"));
        String taken = job.equals("all") ? "think,fence,text" : job;
        assertThat(accepted.note()).isEqualTo(new Note("unwrapped", "Taken off around the answer: " + taken + "."));
        assertThat(checking.unusable(call("strict"), text("stop", given)).reason())
                .contains("; unwrap=" + (given.startsWith("Sure") ? "text" : taken) + " would accept it.");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "[1] [2]",
                "Either {\"a\":1} or {\"a\":2}.",
                "See [1]: {\"a\":1}",
                "```\n[1]\n```\n```\n[2]\n```",
                "{\"a\":[1}",
                "So: {\"a\":1,}",
                "So: [NaN]",
                "So: [1 /* one */]",
                "[1][",
                "So: \"a\"",
                "]: [1]",
                "<think>[1]",
                "<thinking>Perhaps [1].",
                "So: <think>[1]</think>",
                "So: {\"a\":1,\"a\":2}"
            })
    void what_is_not_one_whole_value_is_never_accepted(String answer) {
        assertThat(checking.unusable(call("all"), text("stop", answer)).code()).isEqualTo("not_json");
    }

    @ParameterizedTest
    @CsvSource({"fence, So: [1]", "think, '```\n[1]\n```'", "text, <think>[0]</think>[1]"})
    void one_policy_is_not_another(String job, String answer) {
        assertThat(checking.unusable(call(job), text("stop", answer)).reason())
                .containsPattern("unwrap=[a-z]+,[a-z]+ would accept it");
    }

    @Test
    void a_plain_answer_has_no_note() throws Exception {
        assertThat(checking.check(call("all"), text("stop", "{\"a\":\"```\"}")).note())
                .isNull();
    }

    @Test
    void of_a_text_only_one_leading_block_of_reasoning_is_taken_off() throws Exception {
        String answer = "<think>a</think>\n\n<think>b</think> ```\nc\n```";

        Answer accepted = checking.check(call("prose"), text("stop", answer));

        assertThat(accepted.content()).isEqualTo(TextNode.valueOf("<think>b</think> ```\nc\n```"));
        assertThat(accepted.note()).extracting(Note::code).isEqualTo("unwrapped");
        assertThat(checking.check(call("default"), text("stop", answer)).content())
                .isEqualTo(TextNode.valueOf(answer));
        assertThat(checking.check(call("prose"), text("stop", "So: <think>a</think>"))
                        .note())
                .isNull();
        assertThat(checking.unusable(call("prose"), text("stop", "<think>a</think>\n"))
                        .code())
                .isEqualTo("empty_answer");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '%',
            value = {
                "{\"a\":1,}          | a comma stands before a closing bracket (line 1",
                "[1, ]               | a comma stands before a closing bracket (line 1",
                "{\"a\":NaN}         | NaN and Infinity are no numbers in JSON (line 1",
                "[1, /* one */ 2]    | it holds a comment, which JSON does not have (line 1",
                "{'a':1}             | names and texts stand in double quotes (line 1",
                "[1] and more        | more follows after the JSON value (line 1",
                "[1] [2]             | a second JSON value follows the first (line 1, column 5)",
                "[1, 2               | it ends too early (line 1",
            })
    void what_is_wrong_is_said_in_a_sentence(String answer, String reason) throws IOException {
        checking.job("exact", "answer=json\nunwrap=fence,think");
        assertThat(checking.unusable(call("exact"), text("stop", answer)).reason())
                .contains(answer.contains("more") ? "unwrap=think,fence,text would accept it" : reason);
    }

    @Test
    void a_refusal_is_delivered_where_the_job_accepts_it() throws Exception {
        checking.job("bold", "on-refusal=accept");
        checking.job("boldjson", "on-refusal=accept\nanswer=json");
        var declined = new Answer(null, "I cannot.", "stop", "m", Checking.USAGE, null);

        assertThat(checking.unusable(call("default"), declined))
                .extracting(Checking.Rejection::code, Checking.Rejection::reason, Checking.Rejection::again)
                .containsExactly("refused_by_model", "The model declined: \"I cannot.\"", false);
        Answer accepted = checking.check(call("bold"), declined);
        assertThat(accepted.content()).isEqualTo(TextNode.valueOf("I cannot."));
        assertThat(accepted.note()).isEqualTo(new Note("refused_by_model", "The model declined: \"I cannot.\""));
        assertThat(checking.check(call("bold"), text("content_filter", "half")).content())
                .isEqualTo(TextNode.valueOf("half"));
        assertThat(checking.unusable(call("bold"), text("content_filter", "")).code())
                .isEqualTo("empty_answer");
        assertThat(checking.check(call("boldjson"), text("refusal", "[1]")).content())
                .isEqualTo(json("[1]"));
        Checking.Rejection useless = checking.unusable(call("boldjson"), declined);
        assertThat(useless.code()).isEqualTo("refused_by_model");
        assertThat(useless.again()).as("the same would come again").isFalse();
    }
}
