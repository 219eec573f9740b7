package dev.oncebox.answer;

import static dev.oncebox.answer.Checking.USAGE;
import static dev.oncebox.answer.Checking.call;
import static dev.oncebox.answer.Checking.json;
import static dev.oncebox.answer.Checking.nested;
import static dev.oncebox.answer.Checking.text;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.oncebox.ledger.Answer;
import dev.oncebox.ledger.CallFailed;
import dev.oncebox.ledger.Charged;
import dev.oncebox.ledger.Verdict;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which answers pass. */
class AnswerCheckTest {

    private final Checking checking;

    AnswerCheckTest(@TempDir Path folder) {
        checking = new Checking(folder);
    }

    @Test
    void a_text_passes_as_it_is() throws Exception {
        Answer answer = text("stop", " a\n```json\n{\"b\":1}\n``` ");

        assertThat(checking.check(call("default"), answer)).isEqualTo(answer);
    }

    @ParameterizedTest
    @ValueSource(strings = {"stop", "end_turn", "something_new"})
    void an_unknown_word_for_the_end_is_fine(String finish) throws Exception {
        assertThat(checking.check(call("default"), text(finish, "a")).finish()).isEqualTo(finish);
    }

    @Test
    void no_word_for_the_end_is_fine() throws Exception {
        assertThat(checking.check(call("default"), text(null, "a")).finish()).isNull();
    }

    @Test
    void json_of_a_text_job_stays_json() throws Exception {
        Answer answer = new Answer(json("{\"a\":1}"), null, null, USAGE);

        assertThat(checking.check(call("default"), answer)).isEqualTo(answer);
    }

    @ParameterizedTest
    @CsvSource({
        "length, cut_off",
        "max_tokens, cut_off",
        "MAX_TOKENS, cut_off",
        "model_context_window_exceeded, cut_off",
        "content_filter, refused_by_model",
        "refusal, refused_by_model"
    })
    void why_the_engine_stopped_comes_before_what_it_said(String finish, String code) {
        assertThat(checking.unusable(call("default"), text(finish, "")).code()).isEqualTo(code);
        assertThat(checking.unusable(call("default"), text(finish, "a")).usage())
                .isEqualTo(USAGE);
    }

    @Test
    void a_cut_answer_passes_where_the_job_accepts_it() throws Exception {
        checking.job("cut", "on-length=accept");

        assertThat(checking.check(call("cut"), text("length", "a")).content()).isEqualTo(TextNode.valueOf("a"));
        assertThat(checking.unusable(call("cut"), text("length", " ")).code()).isEqualTo("empty_answer");
        assertThat(checking.unusable(call("cut"), text("refusal", "a")).code()).isEqualTo("refused_by_model");
    }

    @Test
    void an_accepted_cut_answer_must_still_be_json_where_json_is_wanted() throws Exception {
        checking.job("cut", "on-length=accept\nanswer=json");

        assertThat(checking.check(call("cut"), text("length", "{\"a\":1}")).content())
                .isEqualTo(json("{\"a\":1}"));
        assertThat(checking.unusable(call("cut"), text("length", "{\"a\":")).reason())
                .contains("it ends too early (line 1");
    }

    @Test
    void an_error_at_the_end_may_be_asked_again_and_may_have_been_charged() {
        CallFailed failed = checking.failure(call("default"), text("error", "a"));

        assertThat(failed.verdict()).isInstanceOfSatisfying(Verdict.Incomplete.class, incomplete -> {
            assertThat(incomplete.code()).isEqualTo("engine_error");
            assertThat(incomplete.charged()).isEqualTo(Charged.UNKNOWN);
            assertThat(incomplete.usage()).isEqualTo(USAGE);
        });
    }

    @Test
    void a_paused_turn_is_no_answer_whatever_it_brought_so_far() throws Exception {
        checking.job("lax", "on-length=accept\nempty-answer=accept");

        for (String job : List.of("default", "lax")) {
            assertThat(checking.unusable(call(job), text("pause_turn", "Let me see"))
                            .code())
                    .isEqualTo("paused");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"tool_calls", "tool_use", "function_call"})
    void a_tool_call_is_no_answer_unless_there_is_a_text(String finish) throws Exception {
        assertThat(checking.unusable(call("default"), text(finish, null)).code())
                .isEqualTo("tool_call");
        assertThat(checking.unusable(call("default"), text(finish, "")).code()).isEqualTo("tool_call");
        assertThat(checking.check(call("default"), text(finish, "a")).content()).isEqualTo(TextNode.valueOf("a"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "\n\t\r\n", "\u00a0", "\u2003\u3000"})
    void an_empty_answer_is_refused_or_becomes_the_empty_text(String nothing) throws Exception {
        checking.job("quiet", "empty-answer=accept");

        assertThat(checking.unusable(call("default"), text("stop", nothing)).code())
                .isEqualTo("empty_answer");
        assertThat(checking.check(call("quiet"), text("stop", nothing)).content())
                .isEqualTo(TextNode.valueOf(""));
    }

    @Test
    void no_content_is_an_empty_answer() throws Exception {
        checking.job("quiet", "empty-answer=accept\nanswer=json");

        assertThat(checking.unusable(call("default"), text("stop", null)).code())
                .isEqualTo("empty_answer");
        assertThat(checking.unusable(call("default"), new Answer(NullNode.instance, null, null, USAGE))
                        .code())
                .isEqualTo("empty_answer");
        assertThat(checking.check(call("quiet"), text("stop", null)).content()).isEqualTo(TextNode.valueOf(""));
    }

    @Test
    void json_is_read_to_the_last_digit() throws Exception {
        checking.job("j", "answer=json");

        JsonNode content = checking.content(call("j"), " {\"a\":1.10,\"b\":12345678901234567890123,\"c\":1e400}\n");

        assertThat(content.get("a").decimalValue()).isEqualTo(new BigDecimal("1.10"));
        assertThat(content.get("b").bigIntegerValue()).hasToString("12345678901234567890123");
        assertThat(content.get("c").decimalValue()).isEqualTo(new BigDecimal("1e400"));
        assertThat(checking.content(call("j"), "null").isNull()).isTrue();
        assertThat(checking.check(call("j"), text("stop", "\"a\"")).content()).isEqualTo(TextNode.valueOf("a"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "no",
                "{\"a\":NaN}",
                "{'a':1}",
                "{a:1}",
                "{\"a\":1,}",
                "{\"a\":1} // done",
                "{\"a\":01}",
                "{\"a\":\"\n\"}",
                "\ufeff{}",
                "{\"a\":1}{\"a\":2}",
                "Infinity",
                "{\"a\":1,\"a\":2}"
            })
    void what_is_not_exactly_one_json_value_is_not_repaired(String text) throws Exception {
        checking.job("j", "answer=json");

        Checking.Rejection rejection = checking.unusable(call("j"), text("stop", text));
        assertThat(rejection.code()).isEqualTo("not_json");
        assertThat(rejection.again()).isTrue();
    }

    @Test
    void the_place_and_the_start_of_bad_json_are_shown_safely() throws Exception {
        checking.job("j", "answer=json");

        Checking.Rejection bad =
                checking.unusable(call("j"), text("stop", "{\"a\":1,\n \"b\u0007\u202e\": x" + "y".repeat(9999)));

        assertThat(bad.reason())
                .startsWith("The answer is not JSON: a text holds a line break or another control character that is not"
                        + " escaped (line 2, column 4). It starts with \"{\\\"a\\\":1,\\n")
                .contains("b\\u0007\\u202e")
                .doesNotContain("\u202e")
                .hasSizeLessThan(305);
        assertThat(checking.unusable(call("j"), text("stop", "[1] [2]")).reason())
                .contains("a second JSON value follows the first (line 1, column 5)");
        assertThat(checking.unusable(call("j"), text("stop", "{\"a\":1,\"a\":2}"))
                        .reason())
                .contains("a name stands twice in one object");
        assertThat(checking.unusable(call("j"), text("stop", "x".repeat(79) + "😀" + "x"))
                        .reason())
                .endsWith("x\"…")
                .doesNotContain("\\ud83d");
    }

    @Test
    void json_in_a_fence_or_in_text_is_refused_with_a_hint() throws Exception {
        checking.job("j", "answer=json");

        assertThat(checking.unusable(call("j"), text("stop", "```json\n{\"a\":1}\n```"))
                        .reason())
                .contains("code fence");
        assertThat(checking.unusable(call("j"), text("stop", "Here you are: {\"a\":1}"))
                        .reason())
                .contains("inside other text");
        assertThat(checking.unusable(call("j"), text("stop", "{\"a\":1} I hope it helps"))
                        .reason())
                .contains("inside other text");
        assertThat(checking.unusable(call("j"), text("stop", "I cannot")).reason())
                .doesNotContain("inside");
    }

    @Test
    void json_deeper_than_anybody_means_is_refused() throws Exception {
        checking.job("j", "answer=json");

        assertThat(checking.unusable(call("j"), text("stop", nested(1001))).code())
                .isEqualTo("not_json");
        assertThat(checking.unusable(call("j"), text("stop", "[".repeat(1_000_000)))
                        .reason())
                .contains("nested too deeply");
        assertThat(checking.check(call("j"), text("stop", nested(1000))).content())
                .isNotNull();
    }
}
