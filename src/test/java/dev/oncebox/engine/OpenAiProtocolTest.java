package dev.oncebox.engine;

import static dev.oncebox.engine.Asking.json;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class OpenAiProtocolTest {

    private final OpenAiProtocol protocol = new OpenAiProtocol();

    private String body(Asking asking) {
        return protocol.body(asking.request(), "k").toString().replace('"', '\'');
    }

    @Test
    void a_text_is_the_message_of_the_user() {
        assertThat(body(Asking.text("Hello {{model}}")))
                .isEqualTo("{'messages':[{'role':'user','content':'Hello {{model}}'}]}");
        assertThat(body(Asking.text("Hello").system("Be brief.").model("m")))
                .isEqualTo("{'model':'m','messages':[{'role':'system','content':'Be brief.'},"
                        + "{'role':'user','content':'Hello'}]}");
    }

    @Test
    void messages_of_the_item_go_as_they_are_after_the_system_text() {
        assertThat(body(Asking.messages("[{'role':'user','content':[{'type':'text','text':'x'}],'name':'n'}]")
                        .system("S")))
                .isEqualTo("{'messages':[{'role':'system','content':'S'},"
                        + "{'role':'user','content':[{'type':'text','text':'x'}],'name':'n'}]}");
    }

    @ParameterizedTest
    @ValueSource(strings = {"system", "developer"})
    void messages_with_a_system_text_of_their_own_keep_it(String role) {
        assertThat(body(Asking.messages("[{'role':'" + role + "','content':'own'},{'role':'user','content':'x'}]")
                        .system("S")))
                .isEqualTo("{'messages':[{'role':'" + role + "','content':'own'},{'role':'user','content':'x'}]}");
    }

    @Test
    void asking_does_not_change_the_request() {
        var request =
                Asking.messages("[{'role':'user','content':'x'}]").system("S").request();
        String first = protocol.body(request, "k").toString();
        assertThat(protocol.body(request, "k")).hasToString(first);
        assertThat(request.messages()).hasSize(1);
    }

    @Test
    void parameters_go_into_the_body_with_numbers_as_written() {
        assertThat(body(Asking.text("x")
                        .param("temperature", "0.10")
                        .param("top_k", "12345678901234567890")
                        .param("stop", "['a']")))
                .isEqualTo("{'messages':[{'role':'user','content':'x'}],'stop':['a'],'temperature':0.10,"
                        + "'top_k':12345678901234567890}");
    }

    @Test
    void a_schema_asks_for_structured_output_unless_the_job_says_how() {
        assertThat(body(Asking.text("x").schema("{'type':'object'}")))
                .endsWith(",'response_format':{'type':'json_schema','json_schema':{'name':'answer',"
                        + "'schema':{'type':'object'}}}}");
        assertThat(body(Asking.text("x")
                        .schema("{'type':'object'}")
                        .param("response_format", "{'type':'json_object'}")))
                .endsWith(",'response_format':{'type':'json_object'}}");
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '`',
            delimiter = '|',
            value = {
                "{'choices':[{'message':{'content':'A'},'finish_reason':'stop'}],'model':'m'} | A | stop",
                "{'choices':[{'message':{'content':''}}]} | `` | ",
                "{'choices':[{'message':{'content':null},'finish_reason':'tool_calls'}]} |  | tool_calls",
                "{'choices':[{'message':{'content':[{'type':'text','text':'A'},{'type':'image'},{'text':'B'}]}}]} | AB | ",
                "{'choices':[{'finish_reason':7}]} |  | ",
                "{'choices':[{'message':'no object'},{'message':{'content':'second'}}]} |  | ",
                "{'choices':[{'message':{'content':{'odd':1}},'finish_reason':null}]} |  | "
            })
    void the_first_choice_is_the_answer(String reply, String content, String finish) {
        Protocol.Envelope envelope = protocol.read(json(reply));
        assertThat(envelope).isNotNull();
        assertThat(envelope.content() == null ? null : envelope.content().textValue())
                .isEqualTo(content);
        assertThat(envelope.finish()).isEqualTo(finish);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}", "{'choices':null}", "{'choices':[]}", "{'choices':[null]}", "{'choices':['A']}", "{'choices':{}}",
                "{'choices':{'0':{}}}", "[]", "null", "7", "'text'", "{'choice':[{'message':{'content':'A'}}]}"
            })
    void without_a_choice_there_is_no_answer(String reply) {
        assertThat(protocol.read(json(reply))).isNull();
    }

    @Test
    void a_refusal_the_model_and_the_usage_are_taken_along() {
        Protocol.Envelope envelope = protocol.read(json("{'model':'m-2','usage':{'prompt_tokens':1},"
                + "'choices':[{'message':{'content':null,'refusal':'I cannot.'}}]}"));
        assertThat(envelope).isNotNull();
        assertThat(envelope.refusal()).isEqualTo("I cannot.");
        assertThat(envelope.model()).isEqualTo("m-2");
        assertThat(envelope.usage()).hasToString("{\"prompt_tokens\":1}");
        assertThat(protocol.read(json("{'usage':'much','model':7,'choices':[{}]}")))
                .satisfies(odd -> {
                    assertThat(odd.usage()).isNull();
                    assertThat(odd.model()).isNull();
                });
    }
}
