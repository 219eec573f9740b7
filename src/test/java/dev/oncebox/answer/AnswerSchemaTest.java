package dev.oncebox.answer;

import static dev.oncebox.answer.Checking.USAGE;
import static dev.oncebox.answer.Checking.call;
import static dev.oncebox.answer.Checking.json;
import static dev.oncebox.answer.Checking.nested;
import static dev.oncebox.answer.Checking.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.TextNode;
import dev.oncebox.config.ConfigException;
import dev.oncebox.ledger.Answer;
import dev.oncebox.ledger.Call;
import dev.oncebox.ledger.CallFailed;
import dev.oncebox.ledger.Verdict;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which answers meet their schema, and which schemas are any. */
class AnswerSchemaTest {

    private static final String OFFER = "{\"type\":\"object\",\"required\":[\"items\"],\"properties\":{\"items\":"
            + "{\"type\":\"array\",\"items\":{\"type\":\"object\",\"properties\":{\"price\":{\"type\":\"number\"},"
            + "\"n\":{\"type\":\"integer\"}}}}}}";

    private final Checking checking;

    AnswerSchemaTest(@TempDir Path folder) {
        checking = new Checking(folder);
    }

    @Test
    void an_answer_that_meets_the_schema_passes_as_json() throws Exception {
        checking.schema("offer", OFFER);
        String valid = "{\"items\":[{\"price\":1,\"n\":2}]}";

        assertThat(checking.check(call("offer"), text("stop", valid)).content()).isEqualTo(json(valid));
        assertThat(checking.content(call("offer"), "{\"items\":[{\"price\":1.5,\"n\":2.0}]}")
                        .at("/items/0/n")
                        .decimalValue())
                .isEqualTo(new BigDecimal("2.0"));
        assertThat(checking.check(call("offer"), new Answer(json(valid), null, "m", USAGE))
                        .model())
                .isEqualTo("m");
    }

    @Test
    void violations_name_their_places() throws Exception {
        checking.schema("offer", OFFER);

        assertThat(checking.unusable(call("offer"), text("stop", "{\"items\":[{\"price\":\"1\"}]}"))
                        .reason())
                .isEqualTo("The answer does not meet the schema: /items/0/price: string found, number expected");
        assertThat(checking.unusable(call("offer"), text("stop", "{}")).reason())
                .contains("at the top: required property 'items' not found");
        assertThat(checking.unusable(call("offer"), new Answer(json("[]"), null, null, USAGE))
                        .code())
                .isEqualTo("schema_mismatch");
        assertThat(checking.unusable(call("offer"), text("stop", "nothing")).code())
                .isEqualTo("not_json");
    }

    @Test
    void at_most_three_violations_are_named_and_the_reason_stays_short() throws Exception {
        checking.schema("strict", "{\"additionalProperties\":false}");
        var answer = new StringBuilder("{\"a\":0");
        for (int i = 0; i < 9; i++) {
            answer.append(",\"").append("n".repeat(200)).append(i).append("\":1");
        }

        String reason =
                checking.unusable(call("strict"), text("stop", answer + "}")).reason();

        assertThat(reason).contains("property 'a'").contains("; and 7 more").hasSizeLessThanOrEqualTo(301);
    }

    @Test
    void violations_are_in_english_everywhere() throws Exception {
        Locale before = Locale.getDefault();
        checking.schema("offer", OFFER);
        try {
            Locale.setDefault(Locale.GERMAN);
            assertThat(checking.unusable(call("offer"), text("stop", "[]")).reason())
                    .endsWith("array found, object expected");
        } finally {
            Locale.setDefault(before);
        }
    }

    @Test
    void a_number_that_cannot_be_calculated_with_does_not_stop_the_worker() throws Exception {
        checking.schema("cents", "{\"properties\":{\"a\":{\"items\":{\"multipleOf\":0.01}}}}");

        assertThat(checking.check(call("cents"), text("stop", "{\"a\":[19.99]}"))
                        .content())
                .isNotNull();
        assertThat(checking.unusable(call("cents"), text("stop", "{\"a\":[1,1e400000000]}"))
                        .reason())
                .contains("/a/1: ");
        assertThat(checking.unusable(call("cents"), text("stop", "{\"a\":[1e-400000000]}"))
                        .reason())
                .contains("/a/0: ");
    }

    @Test
    void a_deep_answer_does_not_break_a_recursive_schema() throws Exception {
        checking.schema(
                "tree",
                "{\"anyOf\":[{\"type\":\"number\"},{\"allOf\":[{\"type\":\"array\",\"items\":{\"$ref\":\"#\"}}]}]}");

        assertThat(checking.check(call("tree"), text("stop", "[[1,[2]]]")).content())
                .isNotNull();
        try {
            checking.check(call("tree"), text("stop", nested(1000)));
        } catch (CallFailed tooDeep) {
            assertThat(((Verdict.Incomplete) tooDeep.verdict()).reason()).contains("nested too deeply to be checked");
        }
    }

    @Test
    void a_call_of_a_job_that_is_gone_is_checked_against_what_it_was_asked_with() throws Exception {
        Call asked = call("gone", json(OFFER));

        assertThat(checking.check(asked, text("stop", "{\"items\":[]}")).content())
                .isEqualTo(json("{\"items\":[]}"));
        assertThat(checking.unusable(asked, text("stop", "{}")).code()).isEqualTo("schema_mismatch");
        assertThat(checking.check(call("gone"), text("stop", "a")).content()).isEqualTo(TextNode.valueOf("a"));
        assertThat(checking.unusable(call("gone"), text("length", "a")).code()).isEqualTo("cut_off");
        assertThat(checking.unusable(call("gone"), text("stop", "")).code()).isEqualTo("empty_answer");
        assertThat(checking.unusable(call("gone", json("{\"type\":7}")), text("stop", "{}"))
                        .reason())
                .contains("cannot be checked");
    }

    @Test
    void the_schema_of_the_request_counts_when_the_job_has_changed() throws Exception {
        checking.schema("offer", "{\"type\":\"array\"}");

        assertThat(checking.check(call("offer", json(OFFER)), text("stop", "{\"items\":[]}"))
                        .content())
                .isNotNull();
        assertThat(checking.unusable(call("offer"), text("stop", "{\"items\":[]}"))
                        .code())
                .isEqualTo("schema_mismatch");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"properties\":{\"price\":{\"minimum\":\"x\"}}} | /properties/price/minimum: string found, number expected",
                "{\"properties\":{\"price\":{\"pattern\":\"(\"}}} | /properties/price/pattern: ",
                "{\"properties\":{\"a\":{\"$ref\":\"#/$defs/no\"}}} | /properties/a/$ref: \"#/$defs/no\" is not in this schema",
                "{\"items\":{\"$ref\":\"https://example.com/x.json\"}} | /items/$ref: \"https://example.com/x.json\" is not loaded",
                "{\"allOf\":[{\"$ref\":\"http://localhost:9/x\"}]} | /allOf/0/$ref: \"http://localhost:9/x\" is not loaded",
                "{\"items\":{\"$ref\":\"file:///etc/passwd\"}} | /items/$ref: \"file:///etc/passwd\" is not loaded",
                "{\"items\":{\"$ref\":\"classpath:db/x\"}} | /items/$ref: \"classpath:db/x\" is not loaded",
                "{\"items\":{\"$ref\":\"other.json#/a\"}} | /items/$ref: \"other.json#/a\" is not loaded",
                "{\"$schema\":\"http://json-schema.org/draft-07/schema#\"} | /$schema: \"http://json-schema.org/draft-07/schema#\"",
                "[] | a JSON Schema is an object"
            })
    void a_schema_that_is_none_is_named_with_its_file_and_place(String schema, String problem) throws Exception {
        checking.schema("bad", schema);

        assertThatThrownBy(() -> new AnswerCheck(checking.jobs()))
                .isInstanceOf(ConfigException.class)
                .hasMessageStartingWith("config/jobs/bad/answer.schema.json: ")
                .hasMessageContaining(problem);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"$id\":\"https://e.com/r\","
                        + "\"$ref\":\"https://e.com/r#/$defs/p\",\"$defs\":{\"p\":{\"type\":\"object\"}}}",
                "{\"$id\":\"https://e.com/r\",\"type\":\"object\",\"properties\":{\"a\":{\"$ref\":\"#\"}}}",
                "{\"$ref\":\"https://json-schema.org/draft/2020-12/schema\"}",
                "true"
            })
    void a_schema_may_refer_to_itself_and_to_its_dialect(String schema) throws Exception {
        checking.schema("good", schema);
        checking.schema("other", schema);

        assertThat(checking.check(call("good"), text("stop", "{}")).content()).isEqualTo(json("{}"));
    }
}
