package dev.oncebox;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A setting that is wrong stops the start with its file, its line and what would be right. */
class ConfigRefusalTest extends StubbedHome {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "inbox.pol=1s                     | unknown property inbox.pol | inbox.poll?",
                "Inbox.poll=1s                    | unknown property           | inbox.poll?",
                "engine.default.timout=1s         | unknown property           | engine.default.timeout?",
                "engine.default.price.inputs=1    | unknown property           | engine.default.price.input?",
                "engine.default.headers.X-A=1     | unknown property           | Correct or remove",
                "outbox=answers                   | unknown property outbox    | outbox.dir?",
                "http.port=80800                  | from 0 to 65535            | off",
                "http.token=short                 | 16 characters              | openssl rand",
                "http.tls.key=key.pem             | http.tls.key               | a PEM file",
                "budget.calls=0                   | budget.calls               | a whole number above 0",
                "budget.cost=0                    | budget.cost must be above 0 | such as 25",
                "budget.cost=5                    | needs to know what a call costs | engine.default.price.input",
                "budget.period=24h                | without effect             | Set budget.calls",
                "engine.default.requests-per-minute=0 | requests-per-minute    | a whole number above 0",
                "engine.default.tokens-per-minute=1e6 | tokens-per-minute      | a whole number above 0",
                "engine.default.poll=5s           | without effect             | Remove the line",
                "retry.give-up=5                  | retry.give-up is \"5\"     | a duration such as",
                "inbox.settle=-1s                 | inbox.settle is \"-1s\"    | a duration such as",
                "engine.default.timeout=2 minutes | 2 minutes                  | a duration above zero",
                "engine.default.timeout=99999999999999999999s | must be        | a duration above zero",
                "inbox.poll=9223372036854775807s  | inbox.poll                 | a duration such as",
                "engine.default.timeout=0ms       | timeout is \"0ms\"        | above zero",
                "engine.default.connect-timeout=0s | connect-timeout           | above zero",
                "engine.default.header.idempotency-key=1 | each call's own key | Remove the line",
                "inbox.max-item=16XB              | 16XB                       | a size such as",
                "inbox.max-item=0                 | inbox.max-item             | a size such as",
                "engine.default.concurrency=0     | concurrency                | a whole number above 0",
                "engine.default.concurrency=many  | many                       | a whole number above 0",
                "retry.multiplier=0.5             | 0.5                        | a number of 1 or more",
                "retry.multiplier=NaN             | NaN                        | a number of 1 or more",
                "engine.default.price.input=-1    | -1                         | a price such as",
                "engine.default.price.output=1e99 | 1e99                       | a price such as",
                "engine.default.deduplicates=yes  | yes                        | true or false",
                "engine.default.on-doubt=ask      | ask                        | one of hold, resend",
                "engine.default.protocol=grpc     | grpc                       | one of anthropic, anthropic-batch, async, json, ollama, openai, openai-batch, openai-responses",
                "engine.default.unpaid-statuses=5xx | unpaid-statuses is \"5xx\" | such as 502,504,520-527",
                "engine.default.unpaid-statuses=200 | unpaid-statuses is \"200\" | from 400 to 599",
                "engine.default.unpaid-statuses=600 | unpaid-statuses is \"600\" | from 400 to 599",
                "engine.default.unpaid-statuses=502, | unpaid-statuses is \"502,\" | from 400 to 599",
                "engine.default.unpaid-statuses=504-502 | unpaid-statuses is \"504-502\" | from 400 to 599",
                "engine.default.unpaid-statuses=399-502 | application.properties:7: | from 400 to 599",
                "engine.default.answer=summary    | JSON Pointer               | slash",
                "engine.default.api-key={{env:ONCEBOX_NO_SUCH_SECRET}} | ONCEBOX_NO_SUCH_SECRET | Set it",
                "engine.fast.model=m              | engine.fast.url is missing | https://api.openai.com/v1",
            })
    void a_bad_line_of_the_application_is_named(String line, String what, String advice) {
        refused(home(line), "application.properties", what, advice);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "                      | engine.default.url is missing",
                "api.example.com/v1    | http:// or https://",
                "ftp://example.com/v1  | http:// or https://",
                "http://               | not an address",
                "http:///v1            | not an address",
                "https://me:pw@host/v1 | use api-key",
                "http://host/a b       | not an address",
            })
    void an_address_that_is_none_is_named_with_its_line(String url, String what) {
        refused(
                home("engine.default.url=" + (url == null ? "" : url)),
                "application.properties:6",
                "engine.default.url",
                what);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "attemps=3        | unknown property attemps | attempts?",
                "max_tokens=3     | unknown property         | max-tokens?",
                "attempts=0       | attempts is \"0\"        | a whole number above 0",
                "key=words        | words                    | one of exact, id, lines, whitespace",
                "answer=xml       | xml                      | one of json, text",
                "on-length=allow  | allow                    | one of accept, reject",
                "on-refused=accept | unknown property on-refused | on-refusal?",
                "unwrap=thinking  | thinking                 | one or more of fence, text, think, with commas",
                "unwrap=think,fence | JSON answers only      | answer=json",
                "on-prompt-cut=no | no                       | one of accept, reject",
                "engines=fast     | no engine is named \"fast\" | default",
                "engines=,default | no engine is named         | default",
                "param.n=3        | param.n cannot be set    | Remove the line",
                "param.stream=true | param.stream cannot be set | Remove the line",
                "temperature=warm | temperature              | a number",
            })
    void a_bad_line_of_a_job_is_named(String line, String what, String advice) {
        TestHome home = home();
        home.write("config/jobs/tags/job.properties", "# tags\n" + line + "\n");

        refused(home, "config/jobs/tags/job.properties:2", what, advice);
    }

    @Test
    void the_line_is_told_when_others_stand_above() {
        refused(home("retry.give-up=1h", "inbox.pol=1s"), "application.properties:8: unknown property inbox.pol.");
    }

    @Test
    void a_home_without_any_engine_is_told_what_it_lacks() {
        TestHome home = home();
        home.write("config/application.properties", "inbox.poll=50ms\n");

        refused(home, "no engine is named \"default\"", "engine.default.url");
    }

    @Test
    void a_schema_for_a_text_answer_is_a_contradiction() {
        TestHome home = home();
        home.write("config/jobs/tags/job.properties", "answer=text\n");
        home.write("config/jobs/tags/answer.schema.json", "{\"type\":\"object\"}");

        refused(home, "config/jobs/tags/job.properties:1", "answer.schema.json", "Remove one");
    }

    @Test
    void a_body_template_that_is_no_json_is_named_with_its_line() {
        TestHome home = home("engine.default.protocol=json");
        home.write("config/engines/default.json", "{\n  \"text\": {{text}}\n}");

        refused(home, "config/engines/default.json:2", "JSON");
    }

    @Test
    void configuration_that_is_not_utf_8_is_told_so() throws IOException {
        TestHome home = home();
        byte[] latin1 = "# Schlüssel\nengine.default.model=ü\n".getBytes(StandardCharsets.ISO_8859_1);
        Files.write(home.path("config/application.properties"), latin1);
        refused(home, "application.properties", "UTF-8");

        home.write("config/application.properties", "engine.default.url=" + stub.uri("/v1") + "\n");
        Files.createDirectories(home.path("config/jobs/tags"));
        Files.write(home.path("config/jobs/tags/system.md"), "Grüße".getBytes(StandardCharsets.ISO_8859_1));
        refused(home, "config/jobs/tags/system.md", "UTF-8");
    }
}
