package dev.oncebox.engine;

import static dev.oncebox.engine.Asking.json;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JsonProtocolTest {

    private static String body(String template, Asking asking) {
        return new JsonProtocol(json(template), "")
                .body(asking.request(), "c0ffee")
                .toString()
                .replace('"', '\'');
    }

    @Test
    void a_place_that_is_the_whole_string_becomes_the_value_whatever_its_type() {
        assertThat(body(
                        "{'q':'{{text}}','m':'{{ messages }}','t':'{{temperature}}','s':'{{schema}}'}",
                        Asking.messages("[{'role':'user'}]")
                                .param("temperature", "0.50")
                                .schema("{'type':'string'}")))
                .isEqualTo("{'m':[{'role':'user'}],'t':0.50,'s':{'type':'string'}}");
        assertThat(body("{'q':'{{text}}'}", Asking.text("x"))).isEqualTo("{'q':'x'}");
    }

    @Test
    void a_place_inside_a_longer_string_becomes_text() {
        assertThat(body(
                        "{'q':'<{{text}}> at {{t}}, {{gone}}.'}",
                        Asking.text("x").param("t", "0.5")))
                .isEqualTo("{'q':'<x> at 0.5, .'}");
    }

    @Test
    void places_are_found_at_any_depth_and_everything_else_stays() {
        assertThat(body("{'a':[{'b':'{{text}}'},'{{text}}',1.50,true,null,'{text}','{{}}']}", Asking.text("x")))
                .isEqualTo("{'a':[{'b':'x'},'x',1.50,true,null,'{text}','{{}}']}");
    }

    @Test
    void a_place_without_a_value_drops_its_member() {
        assertThat(body("{'system':'{{system}}','q':'{{text}}','a':['{{model}}',1]}", Asking.text("x")))
                .isEqualTo("{'q':'x','a':[1]}");
    }

    @ParameterizedTest
    @ValueSource(strings = {"{{model}}", "{{key}}", "a {{text}} b", "$1 \\ ${x} \\1", "{{ system }}"})
    void a_text_is_never_read_as_a_template(String text) {
        Asking asking = Asking.text(text).model("secret").system("S");
        var protocol = new JsonProtocol(json("{'q':'{{text}}','p':'<{{text}}>','m':'{{model}}','s':'{{system}}'}"), "");
        var body = protocol.body(asking.request(), "k");
        assertThat(body.path("q").textValue()).isEqualTo(text);
        assertThat(body.path("p").textValue()).isEqualTo("<" + text + ">");
    }

    @Test
    void what_a_job_says_and_the_template_does_not_place_is_added() {
        Asking asking =
                Asking.text("x").model("m").system("S").param("seed", "7").schema("{}");
        assertThat(body("{'input':{'q':'{{text}}'}}", asking))
                .isEqualTo("{'input':{'q':'x'},'model':'m','schema':{},'seed':7,'system':'S'}");
        assertThat(body("{'q':'{{text}} {{seed}}','x':['{{system}}'],'model':'fixed','schema':1}", asking))
                .isEqualTo("{'q':'x 7','x':['S'],'model':'fixed','schema':1}");
    }

    @Test
    void the_sample_and_the_key_are_sent_only_where_the_template_wants_them() {
        Asking asking = Asking.text("x").sample("3");
        assertThat(body("{'q':'{{text}}'}", asking)).isEqualTo("{'q':'x'}");
        assertThat(body("{'q':'{{text}}','id':'{{key}}','n':'{{sample}}'}", asking))
                .isEqualTo("{'q':'x','id':'c0ffee','n':3}");
    }

    @Test
    void a_parameter_may_not_pose_as_the_text() {
        assertThat(body("{'q':'{{text}}'}", Asking.text("x").param("text", "'other'")))
                .isEqualTo("{'q':'x'}");
    }

    @Test
    void a_template_need_not_be_an_object() {
        assertThat(body("['{{text}}']", Asking.text("x"))).isEqualTo("['x']");
        assertThat(body("'{{text}}'", Asking.text("x"))).isEqualTo("'x'");
        assertThat(body("'{{system}}'", Asking.text("x"))).isEqualTo("null");
    }

    @Test
    void the_template_serves_again_and_again() {
        var template = json("{'a':{'q':'{{text}}'}}");
        var protocol = new JsonProtocol(template, "");
        protocol.body(Asking.text("x").param("p", "1").request(), "k");
        assertThat(protocol.body(Asking.text("y").request(), "k")).hasToString("{\"a\":{\"q\":\"y\"}}");
        assertThat(template).hasToString("{\"a\":{\"q\":\"{{text}}\"}}");
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '`',
            delimiter = '|',
            value = {
                "/answer | {'answer':'A'} | 'A'",
                "/a/0/b~1c | {'a':[{'b/c':{'x':1.50}}]} | {'x':1.50}",
                "`` | {'x':1} | {'x':1}",
                "/answer | {'answer':false} | false",
                "/answer | {'answer':''} | ''"
            })
    void the_pointer_says_where_the_answer_is(String pointer, String reply, String content) {
        Protocol.Envelope envelope = new JsonProtocol(json("{}"), pointer).read(json(reply));
        assertThat(envelope).isNotNull();
        assertThat(String.valueOf(envelope.content()).replace('"', '\'')).isEqualTo(content);
    }

    @Test
    void a_null_is_an_answer_without_content_and_a_missing_member_is_none() {
        var protocol = new JsonProtocol(json("{}"), "/answer");
        assertThat(protocol.read(json("{'answer':null}")))
                .isNotNull()
                .satisfies(envelope -> assertThat(envelope.content()).isNull());
        for (String reply : new String[] {"{}", "[]", "null", "'answer'", "{'Answer':1}"}) {
            assertThat(protocol.read(json(reply))).as(reply).isNull();
        }
    }

    @Test
    void the_model_and_the_usage_are_taken_along_where_they_are_usually_found() {
        Protocol.Envelope envelope =
                new JsonProtocol(json("{}"), "/a").read(json("{'a':1,'model':'m','usage':{'input_tokens':3}}"));
        assertThat(envelope).isNotNull();
        assertThat(envelope.model()).isEqualTo("m");
        assertThat(envelope.usage()).hasToString("{\"input_tokens\":3}");
    }
}
