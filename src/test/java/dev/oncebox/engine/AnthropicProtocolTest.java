package dev.oncebox.engine;

import static dev.oncebox.engine.Asking.json;
import static dev.oncebox.engine.Judging.judge;
import static dev.oncebox.engine.Judging.kind;
import static org.assertj.core.api.Assertions.assertThat;

import dev.oncebox.config.EngineSettings;
import dev.oncebox.config.EngineSettings.Secret;
import dev.oncebox.ledger.Usage;
import dev.oncebox.ledger.Verdict;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AnthropicProtocolTest {

    private static final Engine ENGINE = Judging.engine(EngineSettings.Protocol.ANTHROPIC);

    private final AnthropicProtocol protocol = new AnthropicProtocol();

    private String body(Asking asking) {
        return protocol.body(asking.request(), "k").toString().replace('"', '\'');
    }

    @Test
    void a_text_is_the_message_of_the_user_and_the_system_text_stands_apart() {
        assertThat(body(Asking.text("Hello")))
                .isEqualTo("{'max_tokens':4096,'messages':[{'role':'user','content':'Hello'}]}");
        assertThat(body(Asking.text("Hello").system("Be brief.").model("m")))
                .isEqualTo("{'model':'m','max_tokens':4096,'system':'Be brief.',"
                        + "'messages':[{'role':'user','content':'Hello'}]}");
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '`',
            delimiter = '|',
            value = {
                "{'role':'user','content':'x'} | 'S' | {'role':'user','content':'x'}",
                "{'role':'system','content':'own'},{'role':'user','content':'x'} | 'own' | {'role':'user','content':'x'}",
                "{'role':'developer','content':'own'},{'role':'user','content':'x'} | 'own' | {'role':'user','content':'x'}",
                "{'role':'system','content':[{'type':'text','text':'a'}]} | [{'type':'text','text':'a'}] | ``",
                "{'role':'system','content':'a'},{'role':'developer','content':[{'type':'text','text':'b'}]},{'role':'user'} | [{'type':'text','text':'a'},{'type':'text','text':'b'}] | {'role':'user'}",
                "{'role':'user'},{'role':'system','content':'late'} | 'S' | {'role':'user'},{'role':'system','content':'late'}"
            })
    void leading_system_messages_move_up_and_win(String messages, String system, String left) {
        assertThat(body(Asking.messages("[" + messages + "]").system("S")))
                .isEqualTo("{'max_tokens':4096,'system':" + system + ",'messages':[" + left + "]}");
    }

    @Test
    void asking_does_not_change_the_request() {
        var request = Asking.messages("[{'role':'system','content':'own'},{'role':'user','content':'x'}]")
                .request();
        String first = protocol.body(request, "k").toString();
        assertThat(protocol.body(request, "k")).hasToString(first);
        assertThat(request.messages()).hasSize(2);
    }

    @Test
    void parameters_go_into_the_body_as_written_the_limit_too() {
        assertThat(body(Asking.text("x")
                        .param("max_tokens", "100")
                        .param("temperature", "0.10")
                        .param("thinking", "{'type':'enabled'}")))
                .isEqualTo("{'max_tokens':100,'messages':[{'role':'user','content':'x'}],'temperature':0.10,"
                        + "'thinking':{'type':'enabled'}}");
    }

    @Test
    void a_schema_asks_for_structured_output_unless_the_job_says_how() {
        assertThat(body(Asking.text("x").schema("{'type':'object'}")))
                .endsWith(",'output_config':{'format':{'type':'json_schema','schema':{'type':'object'}}}}");
        assertThat(body(Asking.text("x").schema("{'type':'object'}").param("output_config", "{'effort':'low'}")))
                .endsWith(",'output_config':{'effort':'low'}}");
    }

    @Test
    void the_key_goes_in_a_header_of_its_own() {
        assertThat(protocol.headers(new Secret("s")))
                .containsOnly(Map.entry("anthropic-version", "2023-06-01"), Map.entry("x-api-key", "s"));
        assertThat(protocol.headers(null)).containsOnlyKeys("anthropic-version");
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '`',
            delimiter = '|',
            value = {
                "{'content':[{'type':'text','text':'A'}],'stop_reason':'end_turn'} | A | end_turn",
                "{'content':[{'type':'thinking','thinking':'Hm','text':'no'},{'type':'text','text':'A'},{'type':'tool_use'},{'type':'text','text':'B'}]} | AB | ",
                "{'content':[],'stop_reason':'refusal'} |  | refusal",
                "{'content':[{'type':'tool_use','input':{}}],'stop_reason':'tool_use'} |  | tool_use",
                "{'content':[{'type':'text','text':''}],'stop_reason':7} | `` | ",
                "{'content':[{'type':'text','text':7},'A',null]} |  | "
            })
    void the_text_blocks_are_the_answer(String reply, String content, String finish) {
        Protocol.Envelope envelope = protocol.read(json(reply));
        assertThat(envelope).isNotNull();
        assertThat(envelope.content() == null ? null : envelope.content().textValue())
                .isEqualTo(content);
        assertThat(envelope.finish()).isEqualTo(finish);
        assertThat(envelope.whole()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"{}", "{'content':null}", "{'content':'A'}", "{'content':{}}", "[]", "null", "7"})
    void without_blocks_there_is_no_answer(String reply) {
        assertThat(protocol.read(json(reply))).isNull();
        assertThat(kind(judge(ENGINE, 200, reply))).isEqualTo("INCOMPLETE");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{'input_tokens':3,'output_tokens':4} | 3 | 4 | true",
                "{'input_tokens':3,'cache_creation_input_tokens':null,'cache_read_input_tokens':0,'output_tokens':4} | 3 | 4 | true",
                "{'input_tokens':3,'cache_creation_input_tokens':10,'output_tokens':4} | 13 | 4 | false",
                "{'input_tokens':3,'cache_creation_input_tokens':10,'cache_read_input_tokens':100,'output_tokens':4} | 113 | 4 | false",
                "{'input_tokens':0,'cache_read_input_tokens':100,'output_tokens':4} | 100 | 4 | false",
                "{'cache_read_input_tokens':100,'output_tokens':4} |  | 4 | false",
                "{'input_tokens':3,'cache_read_input_tokens':'7','output_tokens':4} |  | 4 | false",
                "{'input_tokens':3,'cache_read_input_tokens':-1,'output_tokens':4} |  | 4 | false",
                "{'input_tokens':3,'cache_read_input_tokens':1e400,'output_tokens':4} |  | 4 | false",
                "{'input_tokens':9223372036854775807,'cache_read_input_tokens':9223372036854775807,'output_tokens':4} |  | 4 | false",
                "{'input_tokens':[1],'output_tokens':{}} |  |  | false",
                "{'input_tokens':1.5,'output_tokens':'4'} |  |  | false",
                "{'prompt_tokens':3,'completion_tokens':4} |  |  | false",
                "{} |  |  | false"
            })
    void cached_tokens_count_but_have_no_known_price(String reported, Long input, Long output, boolean priced) {
        Verdict verdict =
                judge(ENGINE, 200, "{'content':[{'type':'text','text':'A'}],'usage':" + reported + ",'model':'m'}");

        assertThat(verdict).isInstanceOfSatisfying(Verdict.Valid.class, valid -> {
            assertThat(valid.answer().usage().inputTokens()).isEqualTo(input);
            assertThat(valid.answer().usage().outputTokens()).isEqualTo(output);
            assertThat(valid.answer().usage().cost() != null).isEqualTo(priced);
            assertThat(valid.answer().usage().reported()).isEqualTo(json(reported));
            assertThat(valid.answer().model()).isEqualTo("m");
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"null", "'much'", "[1]", "7", "true"})
    void what_is_no_usage_hides_no_answer(String usage) {
        assertThat(judge(ENGINE, 200, "{'content':[{'type':'text','text':'A'}],'usage':" + usage + "}"))
                .isInstanceOfSatisfying(
                        Verdict.Valid.class,
                        valid -> assertThat(valid.answer().usage()).isEqualTo(Usage.UNKNOWN));
    }
}
