package dev.oncebox.engine;

import static dev.oncebox.engine.Asking.json;
import static dev.oncebox.engine.Judging.judge;
import static dev.oncebox.engine.Judging.kind;
import static org.assertj.core.api.Assertions.assertThat;

import dev.oncebox.config.EngineSettings;
import dev.oncebox.config.EngineSettings.Secret;
import dev.oncebox.ledger.Charged;
import dev.oncebox.ledger.Usage;
import dev.oncebox.ledger.Verdict;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class OllamaProtocolTest {

    private static final Engine ENGINE = Judging.engine(EngineSettings.Protocol.OLLAMA);

    private final OllamaProtocol protocol = new OllamaProtocol();

    private String body(Asking asking) {
        return protocol.body(asking.request(), "k").toString().replace('"', '\'');
    }

    @Test
    void a_text_is_the_message_of_the_user_and_nothing_is_streamed() {
        assertThat(body(Asking.text("Hello").system("Be brief.").model("m")))
                .isEqualTo("{'model':'m','messages':[{'role':'system','content':'Be brief.'},"
                        + "{'role':'user','content':'Hello'}],'stream':false}");
        assertThat(body(Asking.messages("[{'role':'system','content':'own'},{'role':'user','content':'x'}]")
                        .system("S")))
                .isEqualTo("{'messages':[{'role':'system','content':'own'},{'role':'user','content':'x'}],"
                        + "'stream':false}");
    }

    @Test
    void parameters_are_options_but_for_those_that_stand_beside_them() {
        assertThat(body(Asking.text("x")
                        .param("max_tokens", "100")
                        .param("temperature", "0.10")
                        .param("options", "{'num_ctx':8192,'temperature':1}")
                        .param("keep_alive", "'5m'")
                        .param("think", "false")
                        .param("tools", "[]")
                        .param("truncate", "false")
                        .param("logprobs", "true")
                        .param("top_logprobs", "3")))
                .isEqualTo("{'messages':[{'role':'user','content':'x'}],'stream':false,'keep_alive':'5m',"
                        + "'logprobs':true,'think':false,'tools':[],'top_logprobs':3,'truncate':false,"
                        + "'options':{'num_ctx':8192,'temperature':0.10,'num_predict':100}}");
    }

    @Test
    void asking_does_not_change_the_request() {
        var request = Asking.text("x")
                .param("options", "{'num_ctx':1}")
                .param("seed", "7")
                .request();
        String first = protocol.body(request, "k").toString();
        assertThat(protocol.body(request, "k")).hasToString(first);
        assertThat(request.params().get("options")).isEqualTo(json("{'num_ctx':1}"));
    }

    @Test
    void a_schema_is_the_format_unless_the_job_says_how() {
        assertThat(body(Asking.text("x").schema("{'type':'object'}"))).endsWith(",'format':{'type':'object'}}");
        assertThat(body(Asking.text("x").schema("{'type':'object'}").param("format", "'json'")))
                .endsWith(",'format':'json'}");
    }

    @Test
    void a_key_is_sent_where_there_is_one() {
        assertThat(protocol.headers(null)).isEmpty();
        assertThat(protocol.headers(new Secret("s"))).containsEntry("Authorization", "Bearer s");
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '`',
            delimiter = '|',
            value = {
                "{'message':{'content':'A','thinking':'Hm'},'done':true,'done_reason':'stop','model':'m'} | A | stop",
                "{'message':{'content':''},'done':true,'done_reason':'load'} | `` | load",
                "{'message':{'tool_calls':[]},'done':true} |  | ",
                "{'message':{'content':'A'},'done':false,'x':1}~{'message':{'content':'B\u00e9'},'done':false}~{'message':{'content':''},'done':true,'done_reason':'length'}~ | ABé | length",
                "{'message':{'content':'A'},'done':false}~~{'done':true} | A | "
            })
    void the_content_of_all_pieces_is_the_answer(String reply, String content, String finish) {
        Verdict verdict = judge(ENGINE, 200, reply.replace('~', '\n'));

        assertThat(verdict).isInstanceOfSatisfying(Verdict.Valid.class, valid -> {
            assertThat(
                            valid.answer().content() == null
                                    ? null
                                    : valid.answer().content().textValue())
                    .isEqualTo(content);
            assertThat(valid.answer().finish()).isEqualTo(finish);
        });
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{'message':{'content':'A'}}",
                "{'message':{'content':'A'},'done':false}",
                "{'message':{'content':'A'},'done':'true'}",
                "{'message':{'content':'A'},'done':null,'error':null}",
                "{'message':{'content':'A'},'done':true}~{'message':{'content':'B'}}",
                "{'message':{'content':'A'},'done':false}~{'message':{'cont",
                "{'message':{'content':'A'},'done':false}~garbage",
                "{'message':{'content':'A'},'done':true}~[1]",
                "[{'message':{'content':'A'},'done':true}]",
                "{'done':true}",
                "{'message':'A','done':true}",
                "{}",
                "[]",
                "7",
                "",
                "~",
                "<html>"
            })
    void what_is_not_said_to_be_done_is_incomplete_and_perhaps_charged(String reply) {
        Verdict verdict = judge(ENGINE, 200, reply.replace('~', '\n'));
        assertThat(kind(verdict)).isEqualTo("INCOMPLETE");
        assertThat(verdict.charged()).isEqualTo(Charged.UNKNOWN);
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '`',
            delimiter = '|',
            value = {
                "{'error':'out of memory'} | BUSY",
                "{'error':'out of memory'}~ | BUSY",
                "{'status':'loading'}~{'error':'out of memory'} | BUSY",
                "{'status':'loading'}~{'error':{'code':401}} | ENGINE",
                "{'message':{'content':'A'},'done':false}~{'error':'broken'} | INCOMPLETE",
                "{'message':{'content':''},'done':false}~{'error':'broken'} | INCOMPLETE",
                "{'message':{'tool_calls':[]},'done':false}~{'error':'broken'} | INCOMPLETE",
                "{'message':{'content':'A'},'done':false}~{'error':{'code':429}} | INCOMPLETE",
                "{'message':{'content':'A'},'done':false}~{'error':{}} | INCOMPLETE",
                "{'message':{'content':'A'},'done':false}~{'error':true} | INCOMPLETE",
                "{'message':{'content':'A'},'done':false}~{'error':'broken'}~{'done':true} | INCOMPLETE",
                "{'error':'broken'}~{'message':{'content':'A'},'done':true} | INCOMPLETE",
                "{'message':{'content':'A'},'done':true,'error':'broken'} | INCOMPLETE",
                "{'message':{'content':'A'},'done':false,'error':''}~{'done':true,'error':null} | VALID"
            })
    void an_error_in_any_piece_counts_and_is_free_only_where_nothing_came(String reply, String kind) {
        assertThat(kind(judge(ENGINE, 200, reply.replace('~', '\n')))).isEqualTo(kind);
    }

    @Test
    void an_error_after_content_says_so() {
        String reply = "{'message':{'content':'A'},'done':false}\n{'error':'broken'}";
        assertThat(judge(ENGINE, 200, reply)).isInstanceOfSatisfying(Verdict.Incomplete.class, incomplete -> {
            assertThat(incomplete.code()).isEqualTo("answer_with_error");
            assertThat(incomplete.reason()).endsWith(": broken");
        });
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "'prompt_eval_count':3,'eval_count':4 | {'prompt_eval_count':3,'eval_count':4} | 3 | 4",
                "'eval_count':4,'total_duration':5 | {'eval_count':4} |  | 4",
                "'prompt_eval_count':null,'eval_count':4 | {'eval_count':4} |  | 4",
                "'prompt_eval_count':'3','eval_count':-4 | {'prompt_eval_count':'3','eval_count':-4} |  | ",
                "'prompt_eval_count':1e400,'eval_count':4.5 | {'prompt_eval_count':1e400,'eval_count':4.5} |  | ",
                "'prompt_eval_count':[1],'eval_count':{} | {'prompt_eval_count':[1],'eval_count':{}} |  | "
            })
    void odd_counts_are_unknown_and_hide_no_answer(String counts, String reported, Long input, Long output) {
        Verdict verdict = judge(ENGINE, 200, "{'message':{'content':'A'},'done':true," + counts + "}");

        assertThat(verdict).isInstanceOfSatisfying(Verdict.Valid.class, valid -> {
            assertThat(valid.answer().usage().reported()).isEqualTo(json(reported));
            assertThat(valid.answer().usage().inputTokens()).isEqualTo(input);
            assertThat(valid.answer().usage().outputTokens()).isEqualTo(output);
            assertThat(valid.answer().usage().cost() == null).isEqualTo(input == null || output == null);
        });
    }

    @Test
    void without_counts_the_usage_is_unknown() {
        assertThat(judge(ENGINE, 200, "{'message':{'content':'A'},'done':true,'usage':{'input_tokens':1}}"))
                .isInstanceOfSatisfying(
                        Verdict.Valid.class,
                        valid -> assertThat(valid.answer().usage()).isEqualTo(Usage.UNKNOWN));
    }
}
