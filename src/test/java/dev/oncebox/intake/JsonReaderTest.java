package dev.oncebox.intake;

import static dev.oncebox.intake.Reading.MAX;
import static dev.oncebox.intake.Reading.bytes;
import static dev.oncebox.intake.Reading.items;
import static dev.oncebox.intake.Reading.json;
import static dev.oncebox.intake.Reading.only;
import static dev.oncebox.intake.Reading.outline;
import static dev.oncebox.intake.Reading.utf8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.charset.Charset;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How a .json file is divided, and how far when it is broken. */
class JsonReaderTest {

    @Test
    void one_object_is_one_item_over_several_lines() throws Exception {
        Item.Readable item = only(json("\n {\n  \"id\": 1.0,\n  \"text\": \"a\"\n}\n"));
        assertThat(item.text()).isEqualTo("a");
        assertThat(item.id()).isEqualTo("1.0");
        assertThat(List.of(item.n(), item.line(), item.offset())).containsExactly(1L, 2L, 2L);
    }

    @Test
    void a_bare_string_is_one_item() throws Exception {
        assertThat(only(json(" \"a\" ")).text()).isEqualTo("a");
    }

    @Test
    void whether_the_file_is_an_array_can_be_seen() throws Exception {
        assertThat(isArray("\uFEFF [\"a\"]")).isTrue();
        assertThat(isArray("[]")).isTrue();
        assertThat(isArray("{\"text\":\"[\"}")).isFalse();
        assertThat(isArray("")).isFalse();
        assertThat(json("[ \n]")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"UTF-8", "UTF-16LE", "UTF-16BE"})
    void each_element_is_an_item_with_its_place(String name) throws Exception {
        Charset charset = Charset.forName(name);
        String content = "\uFEFF[\r\n"
                + "{\"text\":\"ä]}\\\"\\\\\",\"x\":[{\"y\":\"{\"}]},\r"
                + "\"b\" ,\n\n"
                + " {\"text\":\n\"c\\u0041\"} ]\r\n";
        for (int chunk = 1; chunk < 40; chunk++) {
            List<Item> items = items(FileKind.JSON, content.getBytes(charset), MAX, chunk);

            assertThat(outline(items)).containsExactly("ä]}\"\\", "b", "cA");
            assertThat(items).extracting(Item::n).containsExactly(1L, 2L, 3L);
            assertThat(items).extracting(Item::line).containsExactly(2L, 3L, 5L);
            assertThat(items)
                    .extracting(Item::offset)
                    .containsExactly(
                            at(content, "{\"text\":\"ä", charset),
                            at(content, "\"b", charset),
                            at(content, "{\"text\":\n", charset));
        }
    }

    @Test
    void an_invalid_element_is_one_error_and_the_others_go_on() throws Exception {
        List<Item> items = items(
                FileKind.JSON,
                bytes(
                        "[{\"id\":7},5,null,[\"a\"],{\"text\":\"a\",\"text\":\"b\"},{\"text\":NaN},\"\\x\",\"",
                        0xFF,
                        "\",\"\0\",{\"text\":\"ok\"}]"));

        assertThat(outline(items))
                .containsExactly(
                        "!no_text",
                        "!bad_item",
                        "!bad_item",
                        "!bad_item",
                        "!bad_json",
                        "!bad_json",
                        "!bad_json",
                        "!invalid_encoding",
                        "!nul_character",
                        "ok");
        assertThat(items.get(0).id()).isEqualTo("7");
        assertThat(items.get(7).offset()).isEqualTo(66);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "['a', {'text':'b'            | 6  | it ends too early",
                "['a', {'text':'b             | 6  | it ends too early",
                "['a', {'text':'b'],'c'],'d'  | 6  | expected '}'",
                "['a', {'text':'b', {'text':'c'}], 'd'] | 6 | name",
                "['a'                         | 4  | the array is not closed",
                "['a',                        | 5  | the array is not closed",
                "['a','b'}                    | 8  | a comma or a bracket is missing",
                "['a' 'b']                    | 5  | a comma or a bracket is missing",
                "['a',]                       | 5  | Unexpected close marker ']'",
                "['a',,'b']                   | 5  | ','",
                "['a',oops,'b']               | 5  | Unrecognized token 'oops'",
                "['a']]                       | 5  | something follows the end",
                "['a'] ['b']                  | 6  | something follows the end",
            })
    void a_broken_file_gives_what_stands_before_and_one_error(String content, long offset, String reason)
            throws Exception {
        for (int chunk = 1; chunk < 12; chunk++) {
            List<Item> items = items(FileKind.JSON, utf8(content.replace('\'', '"')), MAX, chunk);

            assertThat(items.stream().filter(Item.Unreadable.class::isInstance)).hasSize(1);
            Item.Unreadable last = (Item.Unreadable) items.get(items.size() - 1);
            assertThat(last.code()).isEqualTo("bad_json");
            assertThat(last.n()).isEqualTo(items.size());
            assertThat(last.message().replace('"', '\'')).contains(reason).endsWith("the file cannot be read.");
            if (content.indexOf("'b'}") < 0) {
                assertThat(last.offset()).isEqualTo(offset);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "42",
                "null",
                "true",
                "hello",
                "[",
                "[oops",
                "[{\"text\":\"a\"",
                "{\"text\":\"a",
                "{\"text\":]}",
                "]",
                "[]x",
                ",",
                "[,]"
            })
    void a_file_that_is_broken_from_the_start_is_rejected(String content) {
        RejectedFile rejected = catchThrowableOfType(RejectedFile.class, () -> json(content));
        assertThat(rejected.code()).isEqualTo("bad_json");
        assertThat(rejected.getMessage()).isNotBlank();
    }

    @Test
    void the_place_of_an_error_is_told_by_line() throws Exception {
        List<Item> items = json("[\n\"a\",\n{\n  \"text\": oops\n}\n]");
        assertThat(((Item.Unreadable) items.get(1)).message()).contains("line 4, character 13 of the item");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 5, 64})
    void an_element_that_is_too_long_is_one_error_and_the_others_go_on(int chunk) throws Exception {
        List<Item> items = items(FileKind.JSON, utf8("[\"12345\",\"]]]123\",{\"text\":\"a\"},\"b\"]"), 7, chunk);
        assertThat(outline(items)).containsExactly("12345", "!too_long", "!too_long", "b");
    }

    @Test
    void an_element_that_never_ends_is_broken_and_not_just_too_long() throws Exception {
        List<Item> items = items(FileKind.JSON, utf8("[\"a\",\"" + "b".repeat(100)), 7, 4);
        assertThat(outline(items)).containsExactly("a", "!bad_json");
    }

    @Test
    void a_long_array_is_read_in_the_memory_of_one_element() throws Exception {
        String element = "{\"text\":\"" + "x".repeat(1000) + "\"},\n";
        InputStream many = new SequenceInputStream(Collections.enumeration(IntStream.range(0, 50_000)
                .mapToObj(i -> new ByteArrayInputStream(utf8(i == 0 ? "[" + element : i < 49_999 ? element : "\"z\"]")))
                .toList()));
        try (ItemReader reader = ItemReader.open(FileKind.JSON, many, 10_000)) {
            int count = 0;
            for (; reader.hasNext(); count++) {
                assertThat(reader.next().line()).isEqualTo(count + 1L);
            }
            assertThat(count).isEqualTo(50_000);
            assertThat(reader.window.held()).isLessThan(200_000);
        }
    }

    private static long at(String content, String part, Charset charset) {
        return content.substring(0, content.indexOf(part)).getBytes(charset).length;
    }

    private static boolean isArray(String content) throws Exception {
        try (ItemReader reader = ItemReader.open(FileKind.JSON, new ByteArrayInputStream(utf8(content)), MAX)) {
            return reader.isArray();
        }
    }
}
