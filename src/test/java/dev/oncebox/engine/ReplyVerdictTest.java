package dev.oncebox.engine;

import static dev.oncebox.engine.Asking.json;
import static dev.oncebox.engine.Judging.ENGINE;
import static dev.oncebox.engine.Judging.NOW;
import static dev.oncebox.engine.Judging.code;
import static dev.oncebox.engine.Judging.judge;
import static dev.oncebox.engine.Judging.kind;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.TextNode;
import dev.oncebox.ledger.Charged;
import dev.oncebox.ledger.Usage;
import dev.oncebox.ledger.Verdict;
import java.io.EOFException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import javax.net.ssl.SSLHandshakeException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a reply means that is no plain error, and what it means that none came. */
class ReplyVerdictTest {

    @ParameterizedTest
    @ValueSource(strings = {"null", "false", "''", "0"})
    void an_error_that_says_there_is_none_does_not_hide_a_paid_answer(String error) {
        assertThat(kind(judge(200, "{'error':" + error + ",'choices':[{'message':{'content':'A'}}]}")))
                .isEqualTo("VALID");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "<html><body>Bad gateway</body></html>",
                "{",
                "{'choices':[{'message':{'content':'A'}}]",
                "A",
                "data: {'choices':[]}",
                "{'choices':null}",
                "{'choices':[]}",
                "{}",
                "[]",
                "null",
                "7",
                "{'a':1}{'b':2}"
            })
    void a_success_without_a_whole_answer_is_incomplete_and_perhaps_charged(String body) {
        Verdict verdict = judge(200, body);
        assertThat(kind(verdict)).isEqualTo("INCOMPLETE");
        assertThat(verdict.charged()).isEqualTo(Charged.UNKNOWN);
    }

    @Test
    void a_reply_that_was_cut_is_incomplete_even_when_it_looks_whole() {
        byte[] body = "{\"choices\":[{\"message\":{\"content\":\"A\"}}]}".getBytes(StandardCharsets.UTF_8);
        Verdict verdict = ENGINE.judge(new Observed.Response(200, Map.of(), body, "the connection broke"), NOW);
        assertThat(verdict).isInstanceOfSatisfying(Verdict.Incomplete.class, incomplete -> {
            assertThat(incomplete.code()).isEqualTo("cut_short");
            assertThat(incomplete.reason()).contains("the connection broke");
        });
    }

    @Test
    void bytes_that_are_no_text_are_judged_like_any_nonsense() {
        byte[][] bodies = {
            {(byte) 0xff, (byte) 0xfe, 0, 1},
            {0, 0, 0, '{', (byte) 0xff, (byte) 0xff, (byte) 0xff, (byte) 0xff},
            {'{', 0, 0, 0, (byte) 0xff, (byte) 0xff, (byte) 0xff, (byte) 0xff},
            {0, 0, (byte) 0xfe, (byte) 0xff, 1},
            {0, 0, (byte) 0xff, (byte) 0xfe, 1, 2, 3, 4},
            {(byte) 0xef, (byte) 0xbb},
            {0},
            {0, 0, 0},
            {0x1f, (byte) 0x8b},
            {'"', (byte) 0xc3, '"'},
            {'"', (byte) 0xed, (byte) 0xa0, (byte) 0x80, '"', '1'},
            {'"', (byte) 0x80, '"'}
        };
        for (byte[] body : bodies) {
            assertThat(kind(judge(200, body))).as(Arrays.toString(body)).isEqualTo("INCOMPLETE");
            assertThat(kind(judge(429, body))).isEqualTo("BUSY");
            assertThat(kind(judge(400, body))).isEqualTo("REQUEST");
        }
    }

    @Test
    void nothing_a_reply_can_hold_breaks_the_table() {
        String deep = "[".repeat(100_000);
        assertThat(kind(judge(200, deep))).isEqualTo("INCOMPLETE");
        assertThat(kind(judge(500, "{'error':" + deep))).isEqualTo("UNKNOWN");
        assertThat(kind(judge(200, "{'x':" + "[".repeat(900) + "]".repeat(900) + "}")))
                .isEqualTo("INCOMPLETE");
        assertThat(kind(judge(200, "{'x':" + "9".repeat(5000) + "}"))).isEqualTo("INCOMPLETE");
        assertThat(kind(judge(200, "{'error':{'code':1e999999999}}"))).isEqualTo("BUSY");
        String content = "x".repeat(30_000_000);
        assertThat(kind(judge(200, "{'choices':[{'message':{'content':'" + content + "'}}]}")))
                .isEqualTo("VALID");
        Verdict.Refused refused = (Verdict.Refused) judge(400, "{'error':{'message':'" + content + "'}}");
        assertThat(refused.reason()).hasSizeLessThan(400);
        assertThat(((Verdict.Refused) judge(400, "{'error':{'message':'a\\u0000\\n\\u001b[31mb'}}")).reason())
                .endsWith(": a [31mb");
    }

    @Test
    void an_answer_is_taken_out_of_its_envelope() {
        Verdict verdict = judge(
                200,
                "{'model':'m-1','usage':{'prompt_tokens':1000,'completion_tokens':10},"
                        + "'choices':[{'message':{'content':'A'},'finish_reason':'length'}]}");
        assertThat(verdict).isInstanceOfSatisfying(Verdict.Valid.class, valid -> {
            assertThat(valid.answer().content()).hasToString("\"A\"");
            assertThat(valid.answer().finish()).isEqualTo("length");
            assertThat(valid.answer().model()).isEqualTo("m-1");
            assertThat(valid.answer().usage().cost()).isEqualByComparingTo("0.0021");
            assertThat(valid.charged()).isEqualTo(Charged.YES);
        });
        assertThat(kind(judge(201, "{'choices':[{'message':{'content':null}}]}")))
                .isEqualTo("VALID");
    }

    @Test
    void a_model_that_declines_is_paid_and_its_words_are_passed_on_apart() {
        Verdict verdict = judge(
                200,
                "{'usage':{'prompt_tokens':5,'completion_tokens':5},"
                        + "'choices':[{'message':{'content':null,'refusal':'I cannot.'}}]}");
        assertThat(verdict).isInstanceOfSatisfying(Verdict.Valid.class, valid -> {
            assertThat(valid.answer().content()).isNull();
            assertThat(valid.answer().refusal()).isEqualTo("I cannot.");
            assertThat(valid.answer().usage().cost()).isNotNull();
        });
    }

    @Test
    void what_an_endpoint_calls_itself_and_its_errors_is_made_harmless_and_short() {
        Verdict answered = judge(
                200,
                "{'model':'m\\u0000" + "x".repeat(10_000) + "','choices':[{'finish_reason':'st\\ud800op',"
                        + "'message':{'content':'a\\u0000'}}]}");
        assertThat(answered).isInstanceOfSatisfying(Verdict.Valid.class, valid -> {
            assertThat(valid.answer().model()).startsWith("m\\u0000xxx").hasSize(201);
            assertThat(valid.answer().finish()).isEqualTo("st\\ud800op");
            assertThat(valid.answer().content()).isEqualTo(TextNode.valueOf("a\0"));
        });
        assertThat(judge(400, "{'error':{'code':'a\\u0000" + "b".repeat(999) + "','message':'m\\u0000'}}"))
                .isInstanceOfSatisfying(Verdict.Refused.class, refused -> {
                    assertThat(refused.code()).isEqualTo("http_400");
                    assertThat(refused.reason()).doesNotContain("\0");
                });
    }

    @Test
    void accepted_for_later_is_paid_and_not_asked_again() {
        assertThat(judge(202, "{'id':'job'}"))
                .isInstanceOfSatisfying(Verdict.Unusable.class, unusable -> assertThat(unusable.code())
                        .isEqualTo("accepted_for_later"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{'prompt_tokens':3,'completion_tokens':4} | 3 | 4",
                "{'input_tokens':3,'output_tokens':4} | 3 | 4",
                "{'prompt_tokens':0,'completion_tokens':0} | 0 | 0",
                "{'prompt_tokens':'3','completion_tokens':4} |  | 4",
                "{'prompt_tokens':null,'completion_tokens':-4} |  | ",
                "{'prompt_tokens':1e3,'completion_tokens':4.0} |  | ",
                "{'prompt_tokens':99999999999999999999,'completion_tokens':[1]} |  | ",
                "{'prompt_tokens':'x','input_tokens':5} | 5 | ",
                "{'prompt_tokens':1e400,'completion_tokens':-1e400} |  | ",
                "{'prompt_tokens':9223372036854775807,'completion_tokens':999999999999} |  | 999999999999",
                "{'prompt_tokens':[1],'completion_tokens':{'a':1}} |  | ",
                "{} |  | "
            })
    void odd_usage_is_unknown_and_never_nothing(String reported, Long input, Long output) {
        Usage usage = ENGINE.priced(json(reported));
        assertThat(usage.inputTokens()).isEqualTo(input);
        assertThat(usage.outputTokens()).isEqualTo(output);
        assertThat(usage.cost() == null).isEqualTo(input == null || output == null);
        assertThat(usage.reported()).isEqualTo(json(reported));
        assertThat(ENGINE.priced(null)).isEqualTo(Usage.UNKNOWN);
    }

    @Test
    void only_what_was_certainly_not_written_is_unsent() {
        Map<IOException, String> unsent = Map.of(
                new UnknownHostException("x"), "unknown_host",
                new SSLHandshakeException("x"), "tls_failed",
                new SocketTimeoutException("x"), "connect_timeout",
                new ConnectException("x"), "connection_refused",
                new NoRouteToHostException("x"), "connection_refused",
                new IOException("x"), "not_connected");
        unsent.forEach((cause, code) -> {
            Verdict verdict = judge(new NotSentException("why", cause));
            assertThat(verdict).isEqualTo(new Verdict.Unsent(code, "Nothing was sent: why"));
            assertThat(verdict.charged()).isEqualTo(Charged.NO);
            assertThat(kind(judge(cause))).as("the same, when written").isEqualTo("UNKNOWN");
        });
    }

    @Test
    void what_ended_without_a_reply_is_unknown() {
        for (IOException cause :
                List.of(new SocketException("reset"), new EOFException(), new SocketTimeoutException())) {
            assertThat(judge(cause))
                    .isInstanceOfSatisfying(Verdict.Unknown.class, unknown -> assertThat(unknown.timeout())
                            .isFalse());
        }
        assertThat(judge(new DeadlineException("No reply.", new IOException())))
                .isEqualTo(new Verdict.Unknown("timeout", "No reply.", true));
    }
}
