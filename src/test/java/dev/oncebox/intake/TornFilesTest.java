package dev.oncebox.intake;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Dropped files cut at every byte, in every encoding, and with zeroes for an end, as a power cut leaves them. What is
 * whole is taken as it is, and what is cut is an error: never an exception, and never an item that nobody wrote.
 */
class TornFilesTest {

    private static final long MAX_ITEM = 4096;
    private static final int CHUNK = 7;
    private static final Set<String> REASONS =
            Set.of("bad_json", "no_text", "invalid_encoding", "nul_character", "bad_item");

    private static final List<String> LINES = List.of(
            "{\"id\":\"ä\",\"text\":\"Grüße 😀 \\u00e4\"}",
            "{\"text\":\"zwei\",\"sample\":2}",
            "\"drei “Wörter” 中\"",
            "{\"id\":12345678901234567890,\"text\":\"vier\"}",
            "{\"id\":\"5\",\"messages\":[{\"role\":\"user\",\"content\":\"fünf\"}]}");

    private static List<Item> read(FileKind kind, byte[] bytes) throws IOException {
        List<Item> items = new ArrayList<>();
        try (ItemReader reader = ItemReader.open(kind, new ByteArrayInputStream(bytes), MAX_ITEM, CHUNK)) {
            reader.forEachRemaining(items::add);
        } catch (RejectedFile e) {
            assertThat(REASONS).contains(e.code());
            assertThat(e.getMessage()).endsWith(".");
        }
        return items;
    }

    private static @Nullable Object content(Item item) {
        return item instanceof Item.Readable readable
                ? Arrays.asList(readable.id(), readable.text(), readable.messages(), readable.fields())
                : null;
    }

    private static byte[] encoded(String text, String charset) {
        String mark = charset.endsWith("+") || charset.startsWith("UTF-16") ? "\uFEFF" : "";
        return (mark + text).getBytes(Charset.forName(charset.replace("+", "")));
    }

    @ParameterizedTest
    @ValueSource(strings = {"UTF-8", "UTF-8+", "UTF-16LE", "UTF-16BE"})
    void a_batch_cut_at_any_byte_has_its_whole_lines_and_one_error_for_the_cut_one(String charset) throws IOException {
        for (String end : List.of("\n", "\r\n", "\r")) {
            byte[] whole = encoded(String.join(end, LINES) + end, charset);
            List<Item> all = read(FileKind.LINES, whole);
            assertThat(all).hasSize(LINES.size()).allMatch(item -> item instanceof Item.Readable);
            for (int cut = 0; cut < whole.length; cut++) {
                assertStart(all, read(FileKind.LINES, Arrays.copyOf(whole, cut)), charset + " cut at " + cut, true);
            }
        }
    }

    /** The items of the whole file as far as they go, then an error; of an array that it is not closed may be another. */
    private static void assertStart(List<Item> all, List<Item> items, String what, boolean ids) {
        assertThat(items.size()).as(what).isLessThanOrEqualTo(all.size() + 2);
        for (int i = 0; i < items.size(); i++) {
            Item item = items.get(i);
            assertThat(item.n()).as(what).isEqualTo(i + 1);
            if (item instanceof Item.Unreadable bad) {
                assertThat(i).as(what + ": only the end").isGreaterThanOrEqualTo(items.size() - (ids ? 1 : 2));
                assertThat(REASONS).as(what).contains(bad.code());
                if (ids) {
                    assertThat(bad.line()).as(what).isEqualTo(i + 1);
                }
            } else {
                assertThat(content(item)).as(what).isEqualTo(content(all.get(i)));
                assertThat(item.offset()).as(what).isEqualTo(all.get(i).offset());
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"UTF-8", "UTF-8+", "UTF-16LE", "UTF-16BE"})
    void an_array_cut_at_any_byte_has_its_whole_items_and_an_error_for_the_rest(String charset) throws IOException {
        byte[] whole = encoded("[" + String.join(",\r\n ", LINES) + "]\n", charset);
        List<Item> all = read(FileKind.JSON, whole);
        assertThat(all).hasSize(LINES.size());
        int end = encoded("[" + String.join(",\r\n ", LINES) + "]", charset).length;
        for (int cut = 0; cut < whole.length; cut++) {
            List<Item> items = read(FileKind.JSON, Arrays.copyOf(whole, cut));
            assertStart(all, items, charset + " cut at " + cut, false);
            if (!items.isEmpty() && cut < end) {
                assertThat(items.get(items.size() - 1)).as("cut at " + cut).isInstanceOf(Item.Unreadable.class);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"UTF-8", "UTF-8+", "UTF-16LE", "UTF-16BE"})
    void an_object_cut_at_any_byte_is_no_item(String charset) throws IOException {
        byte[] whole = encoded(LINES.get(0), charset);
        assertThat(read(FileKind.JSON, whole)).hasSize(1);
        for (int cut = 0; cut < whole.length; cut++) {
            assertThat(read(FileKind.JSON, Arrays.copyOf(whole, cut)))
                    .as("cut at " + cut)
                    .noneMatch(item -> item instanceof Item.Readable);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"UTF-8", "UTF-8+", "UTF-16LE", "UTF-16BE"})
    void a_text_cut_inside_a_character_is_an_error_and_never_a_text_with_another_one(String charset)
            throws IOException {
        String text = "Grüße\r\n😀 中, ende";
        byte[] whole = encoded(text, charset);
        for (int cut = 0; cut <= whole.length; cut++) {
            for (Item item : read(FileKind.TEXT, Arrays.copyOf(whole, cut))) {
                if (item instanceof Item.Readable readable) {
                    assertThat(text).as("cut at " + cut).startsWith(String.valueOf(readable.text()));
                    int marks = whole.length - text.getBytes(Charset.forName(charset.replace("+", ""))).length;
                    byte[] again = String.valueOf(readable.text()).getBytes(Charset.forName(charset.replace("+", "")));
                    assertThat(again.length + marks).as("cut at " + cut).isEqualTo(cut);
                } else {
                    assertThat(((Item.Unreadable) item).code())
                            .as("cut at " + cut)
                            .isIn("invalid_encoding", "nul_character");
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"LINES", "JSON", "TEXT"})
    void a_file_whose_last_blocks_are_zeroes_is_taken_as_far_as_it_is_whole(FileKind kind) throws IOException {
        String text = kind == FileKind.JSON ? "[" + String.join(",\n", LINES) + "]" : String.join("\n", LINES) + "\n";
        byte[] whole = text.getBytes(StandardCharsets.UTF_8);
        List<Item> all = read(kind, whole);
        for (int from = 0; from < whole.length; from++) {
            byte[] zeroes = Arrays.copyOf(Arrays.copyOf(whole, from), whole.length + 512);
            List<Item> items = read(kind, zeroes);
            assertStart(all, items, "zeroes from " + from, false);
            assertThat(items.stream().filter(item -> item instanceof Item.Unreadable))
                    .as("zeroes from " + from)
                    .hasSizeLessThanOrEqualTo(kind == FileKind.LINES ? 1 : 2);
            if (kind == FileKind.TEXT) {
                assertThat(items).noneMatch(item -> item instanceof Item.Readable);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"LINES", "JSON"})
    void a_file_with_zeroes_in_its_middle_has_the_items_on_both_sides_or_an_error_for_the_rest(FileKind kind)
            throws IOException {
        String text = kind == FileKind.JSON ? "[" + String.join(",\n", LINES) + "]" : String.join("\n", LINES) + "\n";
        byte[] whole = text.getBytes(StandardCharsets.UTF_8);
        List<Object> known = new ArrayList<>();
        read(kind, whole).forEach(item -> known.add(content(item)));
        for (int from = 0; from + 5 < whole.length; from++) {
            var hole = new ByteArrayOutputStream();
            hole.writeBytes(Arrays.copyOf(whole, from));
            hole.writeBytes(new byte[5]);
            hole.writeBytes(Arrays.copyOfRange(whole, from + 5, whole.length));
            for (Item item : read(kind, hole.toByteArray())) {
                if (item instanceof Item.Readable) {
                    assertThat(known).as("zeroes at " + from).contains(content(item));
                }
            }
        }
    }
}
