package dev.oncebox;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.charset.StandardCharsets;
import java.text.Normalizer;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What counts as the same request, by the endpoint's own count. */
class KeyingTest extends StubbedHome {

    @Test
    void one_text_written_in_many_ways_is_one_call() {
        TestHome home = home();
        String text = "Füße über\nGrün.\n";
        home.drop("lf.md", text);
        home.drop("crlf.md", text.replace("\n", "\r\n"));
        home.drop("cr.txt", text.replace("\n", "\r"));
        home.drop("bom.md", "\uFEFF" + text);
        home.drop("utf16.md", ("\uFEFF" + text).getBytes(StandardCharsets.UTF_16LE));
        home.drop("trailing.md", text.replace("\n", "  \n") + "\n\n");
        home.drop("nfd.md", Normalizer.normalize(text, Normalizer.Form.NFD));
        home.drop("wide.md", "  " + text.replace(" ", " \u00A0\t"));
        home.drop("batch.jsonl", "{\"text\":\"F\\u00fc\\u00DFe \\u00fcber Gr\\u00fcn.\"}\n\"Füße über Grün.\"\n");

        assertThat(home.runUntilIdle()).isZero();

        assertThat(stub.count()).isEqualTo(1);
        assertThat(home.files("outbox")).hasSize(10);
        String answer = home.read("outbox/lf.md");
        assertThat(home.read("outbox/nfd.md")).isEqualTo(answer);
        assertThat(all(home.lines("outbox/batch.jsonl"), "/answer")).containsOnly(answer);
        assertThat(home.status().path("new").asInt()).isEqualTo(1);
        assertThat(home.status().path("reused").asInt()).isEqualTo(9);
    }

    @Test
    void letters_case_and_punctuation_always_count() {
        TestHome home = home();
        home.drop("x.jsonl", "\"Ada\"\n\"ada\"\n\"Ada.\"\n\"A da\"\n\"Аda\"\n\"Ada\\u200b\"\n");

        assertThat(home.runUntilIdle()).isZero();

        assertThat(stub.count()).isEqualTo(6);
    }

    @Test
    void indentation_counts_where_lines_are_kept() {
        TestHome home = home();
        home.write("config/jobs/code/job.properties", "key=lines");
        String inside = "for x in y:\n    a(x)\n    b(x)\n";
        String outside = "for x in y:\n    a(x)\nb(x)\n";
        home.drop("code/inside.md", inside);
        home.drop("code/outside.md", outside);
        home.drop("code/windows.md", inside.replace("\n", " \r\n") + "\r\n");
        home.drop("folded/x.md", inside);
        home.write("config/jobs/folded/job.properties", "key=whitespace");
        home.drop("folded/y.md", outside);
        home.drop("fenced.md", "Explain:\n```python\n" + inside + "```\n");
        home.drop("fenced2.md", "Explain:\n```python\n" + outside + "```\n");

        assertThat(home.runUntilIdle()).isZero();

        assertThat(home.read("outbox/code/windows.md")).isEqualTo(home.read("outbox/code/inside.md"));
        assertThat(home.read("outbox/code/outside.md")).isNotEqualTo(home.read("outbox/code/inside.md"));
        assertThat(home.read("outbox/folded/y.md")).isEqualTo(home.read("outbox/folded/x.md"));
        assertThat(home.read("outbox/fenced.md")).isNotEqualTo(home.read("outbox/fenced2.md"));
        assertThat(stub.count()).isEqualTo(2 + 1 + 2);
    }

    @Test
    void exact_means_every_character() {
        TestHome home = home();
        home.write("config/jobs/exact/job.properties", "key=exact");
        home.drop("exact/x.jsonl", "\"a\"\n\"a \"\n\"a\\n\"\n\"a\"\n");

        assertThat(home.runUntilIdle()).isZero();

        assertThat(stub.count()).isEqualTo(3);
        assertThat(all(home.lines("outbox/exact/x.jsonl"), "/charged")).containsExactly("new", "new", "new", "reused");
    }

    @Test
    void samples_of_one_prompt_are_calls_of_their_own() {
        TestHome home = home();
        String batch = """
                {"text":"roll a die","sample":1}
                {"text":"roll a die","sample":2}
                {"text":"roll a die","sample":3}
                {"text":"roll a die","sample":1.0}
                {"text":"roll a die","sample":"1"}
                {"text":"roll a die"}
                """;
        home.drop("x.jsonl", batch);
        assertThat(home.runUntilIdle()).isZero();
        home.drop("again.jsonl", batch);
        assertThat(home.runUntilIdle()).isZero();

        assertThat(all(home.lines("outbox/x.jsonl"), "/charged"))
                .containsExactly("new", "new", "new", "reused", "new", "new");
        assertThat(stub.count()).isEqualTo(5);
        assertThat(prompts()).containsOnly("roll a die");
        assertThat(asked()).allMatch(body -> !body.has("sample"));
    }

    @Test
    void under_the_key_id_a_job_and_an_id_are_the_identity_and_other_content_is_a_conflict() {
        TestHome home = home();
        home.write("config/jobs/orders/job.properties", "key=id");
        home.write("config/jobs/bills/job.properties", "key=id");
        home.drop("orders/a.jsonl", "{\"id\":\"o-1\",\"text\":\"first\"}\n{\"id\":\"o-2\",\"text\":\"first\"}\n");
        assertThat(home.runUntilIdle()).isZero();
        home.drop("orders/b.jsonl", "{\"id\":\"o-1\",\"text\":\" first\"}\n{\"id\":\"o-2\",\"text\":\"second\"}\n");
        home.drop("bills/c.jsonl", "{\"id\":\"o-1\",\"text\":\"other\"}\n");
        assertThat(home.runUntilIdle()).isZero();

        assertThat(all(home.lines("outbox/orders/b.jsonl"), "/charged")).containsExactly("reused");
        JsonNode error = home.lines("outbox/orders/b.errors.jsonl").get(0);
        assertThat(error.path("id").asText()).isEqualTo("o-2");
        assertThat(error.at("/error/code").asText()).isEqualTo("key_conflict");
        assertThat(stub.count()).isEqualTo(3);
    }

    @Test
    void jobs_that_ask_the_same_share_and_every_difference_is_a_call_of_its_own() {
        TestHome home = home();
        home.write("config/jobs/one/job.properties", "temperature=0\nparam.a={\"x\":1,\"y\":2}");
        home.write("config/jobs/same/job.properties", "param.a={ \"y\":2.0, \"x\":1e0 }\ntemperature=0.0\nattempts=9");
        home.write("config/jobs/warm/job.properties", "temperature=1\nparam.a={\"x\":1,\"y\":2}");
        home.write("config/jobs/more/job.properties", "temperature=0\nparam.a={\"x\":1,\"y\":2}\nparam.unknown=true");
        home.write("config/jobs/model/job.properties", "model=large\ntemperature=0\nparam.a={\"x\":1,\"y\":2}");
        home.write("config/jobs/system/job.properties", "temperature=0\nparam.a={\"x\":1,\"y\":2}");
        home.write("config/jobs/system/system.md", "Be brief.");
        home.write("config/jobs/prompt/job.properties", "temperature=0\nparam.a={\"x\":1,\"y\":2}");
        home.write("config/jobs/prompt/prompt.md", "Please: {{text}}");
        List<String> jobs = List.of("one", "same", "warm", "more", "model", "system", "prompt");
        for (String job : jobs) {
            home.drop(job + "/x.md", "the same text");
        }

        assertThat(home.runUntilIdle()).isZero();

        assertThat(stub.count()).isEqualTo(6);
        assertThat(home.read("outbox/same/x.md")).isEqualTo(home.read("outbox/one/x.md"));
    }

    @Test
    void the_endpoints_address_and_secret_are_no_part_of_the_key() {
        TestHome home = home("engine.default.api-key=old-key");
        home.drop("a.md", "known");
        assertThat(home.runUntilIdle()).isZero();

        home = home("engine.default.api-key=new-key", "engine.default.url=http://127.0.0.1:1/v2");
        home.drop("b.md", "known");
        assertThat(home.runUntilIdle()).isZero();

        assertThat(home.read("outbox/b.md")).isEqualTo(home.read("outbox/a.md"));
    }

    @Test
    void an_endpoint_of_any_json_is_asked_by_a_template_and_answers_by_a_pointer() {
        TestHome home = home(
                "engine.sum.protocol=json",
                "engine.sum.url=" + stub.uri("/summarize"),
                "engine.sum.answer=/summary",
                "engine.sum.model=m-1");
        home.write(
                "config/engines/sum.json",
                "{\"text\":\"{{text}}\",\"options\":{\"model\":\"{{model}}\","
                        + "\"heat\":\"{{temperature}}\",\"sys\":\"{{system}}\",\"ref\":\"call {{key}}\"},\"fixed\":[1,true]}");
        home.write("config/jobs/sum/job.properties", "engines=sum\ntemperature=0.5\nparam.extra=\"e\"");
        home.drop("sum/x.jsonl", "{\"id\":\"a\",\"text\":\"one \\\"two\\\" {{key}}\"}\n");

        assertThat(home.runUntilIdle()).isZero();

        JsonNode answer = home.lines("outbox/sum/x.jsonl").get(0);
        assertThat(answer.path("answer").asText()).startsWith("[call 1] one");
        assertThat(answer.path("engine").asText()).isEqualTo("sum");
        JsonNode body = asked().get(0);
        assertThat(body.path("text").asText()).isEqualTo("one \"two\" {{key}}");
        assertThat(body.path("options").toString())
                .isEqualTo("{\"model\":\"m-1\",\"heat\":0.5,\"ref\":\"call "
                        + answer.path("key").asText() + "\"}");
        assertThat(body.path("fixed").toString()).isEqualTo("[1,true]");
        assertThat(body.path("extra").asText()).isEqualTo("e");
        JsonNode receipt = home.json("outbox/sum/x.jsonl.receipt.json");
        assertThat(receipt.path("cost").isNull()).as("unknown, never 0").isTrue();
        assertThat(stub.counts().summarize()).isEqualTo(1);
    }

    @Test
    void without_a_template_the_body_is_the_text() {
        TestHome home = home(
                "engine.default.protocol=json",
                "engine.default.url=" + stub.uri("/summarize"),
                "engine.default.model=",
                "engine.default.answer=/nosuch");
        home.drop("a.md", "one");

        assertThat(home.runUntilIdle()).isEqualTo(4);

        assertThat(asked().get(0).toString()).isEqualTo("{\"text\":\"one\"}");
        assertThat(home.json("outbox/a.md.error.json").at("/error/code").asText())
                .isEqualTo("no_answer");
    }
}
