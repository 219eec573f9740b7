package dev.oncebox.intake;

import static dev.oncebox.intake.Reading.lines;
import static dev.oncebox.intake.Reading.only;
import static dev.oncebox.intake.Reading.onlyError;
import static dev.oncebox.intake.Reading.outline;
import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What one line of JSON is taken for. */
class ItemParserTest {

    /** Three files of 16 MB of empty objects took all memory, and the threads that read them were gone. */
    @Test
    void an_item_of_more_values_than_memory_may_hold_is_no_item() throws Exception {
        String many = "{\"text\":\"a\",\"x\":[" + "{},".repeat(ItemParser.MOST_TOKENS / 2) + "{}]}";
        List<Item> items = lines(many + "\n{\"text\":\"b\",\"x\":[" + "1,".repeat(1000) + "1]}\n");

        assertThat(items.get(0)).isInstanceOfSatisfying(Item.Unreadable.class, bad -> {
            assertThat(bad.code()).isEqualTo("too_many_values");
            assertThat(bad.message()).contains("200000");
        });
        assertThat(items.get(1)).isInstanceOf(Item.Readable.class);
    }

    @Test
    void an_object_keeps_all_its_fields_exactly() throws Exception {
        Item.Readable item = only(lines("{\"text\":\"a\",\"sample\":3,\"x\":1.10,\"y\":12345678901234567890,"
                + "\"z\":{\"d\":0.1000000000000000055511151231257827},\"e\":1e2,\"n\":null}"));

        assertThat(item.text()).isEqualTo("a");
        assertThat(item.fields().get("sample").intValue()).isEqualTo(3);
        assertThat(item.fields().get("x").decimalValue()).isEqualTo(new BigDecimal("1.10"));
        assertThat(item.fields().get("y").bigIntegerValue()).isEqualTo(new BigInteger("12345678901234567890"));
        assertThat(item.fields().at("/z/d").decimalValue())
                .isEqualTo(new BigDecimal("0.1000000000000000055511151231257827"));
        assertThat(item.fields().get("e").decimalValue()).isEqualTo(new BigDecimal("1e2"));
        assertThat(item.fields().get("n").isNull()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "1",
                "0",
                "-0",
                "9223372036854775807",
                "9007199254740993",
                "123456789012345678901234567890",
                "1.0",
                "1.00",
                "1e5",
                "1E+5",
                "1e-05",
                "0.1000000000000000055511151231257827",
                "\"a\"",
                "\"\"",
                "\"1\"",
                "\"a\\\"b\\\\\"",
                "\"ü😀\""
            })
    void an_id_is_given_back_as_written(String id) throws Exception {
        assertThat(only(lines("{\"id\": " + id + " ,\"text\":\"a\"}")).id()).isEqualTo(id);
        assertThat(onlyError(lines("{\"text\":7,\"id\":" + id + "}")).id()).isEqualTo(id);
    }

    @Test
    void an_id_may_be_missing_or_null_and_only_the_items_own_counts() throws Exception {
        assertThat(only(lines("{\"text\":\"a\"}")).id()).isNull();
        assertThat(only(lines("{\"text\":\"a\",\"id\":null}")).id()).isNull();
        assertThat(only(lines("{\"text\":\"a\",\"x\":{\"id\":5}}")).id()).isNull();
    }

    @Test
    void messages_are_taken_as_they_are() throws Exception {
        Item.Readable item = only(lines("{\"text\":null,\"messages\":[{\"role\":\"user\",\"content\":\"a\"}]}"));
        assertThat(item.text()).isNull();
        assertThat(item.messages()).isSameAs(item.fields().get("messages"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "no_text          | {'id':1}",
                "no_text          | {'id':1,'text':null}",
                "no_text          | {'id':1,'text':7}",
                "no_text          | {'id':1,'text':['a']}",
                "no_text          | {'id':1,'text':''}",
                "no_text          | {'id':1,'text':' \\n\\t\\u00a0\\u2003'}",
                "no_text          | {'id':1,'messages':[]}",
                "no_text          | {'id':1,'messages':'a'}",
                "no_text          | {'id':1,'messages':['a']}",
                "no_text          | {'id':1,'messages':[{'role':'user'},{'content':'a'}]}",
                "no_text          | {'id':1,'messages':[{'role':5}]}",
                "bad_item         | {'id':1,'text':'a','messages':[{'role':'user'}]}",
                "nul_character    | {'id':1,'text':'a\\u0000'}",
                "nul_character    | {'id':1,'text':'a','x':{'y\\u0000':[]}}",
                "lone_surrogate   | {'id':1,'text':'\\ud83d'}",
                "lone_surrogate   | {'id':1,'text':'\\ude00\\ud83d'}",
                "lone_surrogate   | {'id':1,'text':'a','x':[[{'\\ud83dx':1}]]}",
                "lone_surrogate   | {'id':1,'text':'a','x':'\\ud83d\\ud83d\\ude00'}",
            })
    void an_invalid_item_keeps_its_id(String code, String line) throws Exception {
        List<Item> items = lines("\"before\"\n" + line.replace('\'', '"') + "\n\"after\"");

        assertThat(outline(items)).containsExactly("before", "!" + code, "after");
        assertThat(items.get(1).id()).isEqualTo("1");
        assertThat(items.get(1).offset()).isEqualTo(9);
    }

    @ParameterizedTest
    @ValueSource(strings = {"1", "1.5", "[]", "[{\"text\":\"a\"}]", "null", "true"})
    void a_value_that_is_no_item_is_called_so(String line) throws Exception {
        assertThat(outline(lines(line))).containsExactly("!bad_item");
    }

    @ParameterizedTest
    @ValueSource(strings = {"{}", "[1]", "true", "false"})
    void an_id_is_a_string_or_a_number(String id) throws Exception {
        Item.Unreadable error = onlyError(lines("{\"text\":\"a\",\"id\":" + id + "}"));
        assertThat(error.code()).isEqualTo("bad_id");
        assertThat(error.id()).isNull();
    }

    @Test
    void an_id_that_is_no_text_is_not_given_back() throws Exception {
        assertThat(onlyError(lines("{\"text\":\"a\",\"id\":\"\\ud800\"}")).id()).isNull();
    }

    @Test
    void escaped_pairs_are_characters() throws Exception {
        assertThat(outline(lines("\"\\ud83d\\ude00 \\u00e4 \\\\u0000\"\n\"\"")))
                .containsExactly("😀 ä \\u0000", "!no_text");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{'id':1,'text':x}             | column 16: Unrecognized token 'x'",
                "{'id':1,'text':'a'            | column 19: it ends too early",
                "{'text':'a                    | it ends too early",
                "{'text':'a','text':'b'}       | the name 'text' stands twice in one object",
                "{'text':'a','x':{'b':1,'b':1}}| the name 'b' stands twice in one object",
                "{'text':'a','x':NaN}          | JSON has no 'NaN'",
                "{'text':'a','x':-Infinity}    | JSON has no '-Infinity'",
                "{'text':'a','x':+1}           | plus signs",
                "{'text':'a','x':01}           | Leading zeroes",
                "{'text':'a','x':1e99999999999}| column 17: the number that starts here is out of range",
                "{'text':'a','x':1] }          | Unexpected close marker ']': expected '}'",
                "{'text':'a',}                 | column 13",
                "{text:'a'}                    | double-quote to start name",
                "{'text':'a'} // why           | column 13: something follows the first value",
                "{'text':'a'}{'text':'b'}      | column 13: something follows the first value",
                "'a' 'b'                       | column 4: something follows the first value",
                "1 2                           | something follows the first value",
                "{'text':'a' /* c */}          | JSON has no comments",
                "hello                         | Unrecognized token 'hello'",
                "}                             | column 1",
                "{'text':'\\x'}                | Unrecognized character escape 'x'",
            })
    void broken_json_is_explained_in_plain_words(String line, String reason) throws Exception {
        List<Item> items = lines(line.replace('\'', '"') + "\n\"after\"");

        assertThat(outline(items)).containsExactly("!bad_json", "after");
        Item.Unreadable error = (Item.Unreadable) items.get(0);
        assertThat(error.id()).isNull();
        assertThat(error.message().replace('"', '\'')).contains(reason).endsWith("Correct it and drop it again.");
        assertThat(error.message()).doesNotContain("`", "Source", "Feature", "jackson", "Exception", "(code");
    }

    @Test
    void deep_nesting_and_endless_numbers_are_refused() throws Exception {
        String deep = "{\"text\":\"a\",\"x\":" + "[".repeat(999) + "]".repeat(999) + "}";
        String deeper = "{\"text\":\"a\",\"x\":" + "[".repeat(100_000) + "]".repeat(100_000) + "}";
        String digits = "{\"text\":\"a\",\"id\":" + "1".repeat(1001) + "}";

        List<Item> items = lines(deep + "\n" + deeper + "\n" + digits + "\n" + "[".repeat(1001));

        assertThat(outline(items)).containsExactly("a", "!bad_json", "!bad_json", "!bad_json");
        assertThat(((Item.Unreadable) items.get(1)).message())
                .contains("nesting depth (1001) exceeds the maximum allowed (1000)")
                .doesNotContain("Constraints");
        assertThat(((Item.Unreadable) items.get(2)).message()).doesNotContain("Constraints");
    }

    @Test
    void long_strings_and_names_are_fine() throws Exception {
        String s = "ü".repeat(100_000);
        assertThat(only(lines("{\"text\":\"" + s + "\",\"" + s + "\":1}")).fields())
                .hasSize(2);
        Item.Unreadable error = onlyError(lines("{\"text\":\"" + s + "\"} x"));
        assertThat(error.message()).contains("column 100012: something follows");
    }

    @Test
    void a_whole_request_among_other_lines_has_its_custom_id() throws Exception {
        String batch = "{\"custom_id\":\"q-1\",\"method\":\"POST\",\"url\":\"/v1\",\"body\":{}}";
        List<Item> items = lines("\"a\"\n" + batch);
        assertThat(outline(items)).containsExactly("a", "!invalid_url");
        assertThat(items.get(1).id()).isEqualTo("\"q-1\"");
    }
}
