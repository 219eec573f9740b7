package dev.oncebox.intake;

import static dev.oncebox.intake.Reading.MAX;
import static dev.oncebox.intake.Reading.bytes;
import static dev.oncebox.intake.Reading.items;
import static dev.oncebox.intake.Reading.lines;
import static dev.oncebox.intake.Reading.only;
import static dev.oncebox.intake.Reading.onlyError;
import static dev.oncebox.intake.Reading.outline;
import static dev.oncebox.intake.Reading.text;
import static dev.oncebox.intake.Reading.utf8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.NoSuchElementException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How bytes become lines and texts: encodings, line ends, places, sizes. */
class ItemReaderTest {

    @Test
    void each_line_is_an_item_with_its_place() throws Exception {
        List<Item> items = lines("\"a\"\n\n \t \r\n\"b\"\r\"ü\"\r\r\"d\"");

        assertThat(outline(items)).containsExactly("a", "b", "ü", "d");
        assertThat(items).extracting(Item::n).containsExactly(1L, 4L, 5L, 7L);
        assertThat(items).extracting(Item::line).containsExactly(1L, 4L, 5L, 7L);
        assertThat(items).extracting(Item::offset).containsExactly(0L, 10L, 14L, 20L);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9, 64})
    void a_line_end_across_two_reads_is_one_line_end(int chunk) throws Exception {
        byte[] file = utf8("\"a\"\r\n\"b\"\r\n\r\n\"c\"\n\r\"d\"\r");

        List<Item> items = items(FileKind.LINES, file, MAX, chunk);

        assertThat(outline(items)).containsExactly("a", "b", "c", "d");
        assertThat(items).extracting(Item::line).containsExactly(1L, 2L, 4L, 6L);
        assertThat(items).extracting(Item::offset).containsExactly(0L, 5L, 12L, 17L);
    }

    @Test
    void no_other_character_ends_a_line() throws Exception {
        String data = "a\u2028b\u2029c\u0085d\u000be\u000cf\tg";
        assertThat(outline(lines("\"" + data + "\"\n{\"text\":\"" + data + "\"}")))
                .containsExactly(data, data);
    }

    @ParameterizedTest
    @ValueSource(strings = {"UTF-8", "UTF-16LE", "UTF-16BE"})
    void a_byte_order_mark_tells_the_encoding_and_is_no_data(String name) throws Exception {
        Charset charset = Charset.forName(name);
        // U+0A0D and U+0D0A hold the bytes of line ends without being any.
        String content = "\uFEFF\"ä😀\u0A0D\u0D0A\"\r\n{\"text\":\"b\"}\r\"c\"\n";
        for (int chunk = 1; chunk < 12; chunk++) {
            List<Item> items = items(FileKind.LINES, content.getBytes(charset), MAX, chunk);

            assertThat(outline(items)).containsExactly("ä😀\u0A0D\u0D0A", "b", "c");
            long second = content.substring(0, content.indexOf('{')).getBytes(charset).length;
            assertThat(items.get(0).offset()).isEqualTo("\uFEFF".getBytes(charset).length);
            assertThat(items.get(1).offset()).isEqualTo(second);
        }
    }

    @ParameterizedTest
    @EnumSource(FileKind.class)
    void a_file_without_content_has_no_items(FileKind kind) throws Exception {
        for (String content : List.of("", "\uFEFF", " ", "\n", "\r\n\r\n\t ", "\uFEFF \n")) {
            assertThat(items(kind, utf8(content))).isEmpty();
            assertThat(items(kind, ("\uFEFF" + content.replace("\uFEFF", "")).getBytes(StandardCharsets.UTF_16LE)))
                    .isEmpty();
        }
    }

    @Test
    void a_text_file_is_one_item_with_every_character() throws Exception {
        Item.Readable item = only(text("\uFEFF# A\r\n\n  b\u2028\rc \n"));

        assertThat(item.text()).isEqualTo("# A\r\n\n  b\u2028\rc \n");
        assertThat(item.fields().get("text").textValue()).isEqualTo(item.text());
        assertThat(item.fields()).hasSize(1);
        assertThat(List.of(item.n(), item.line(), item.offset())).containsExactly(1L, 1L, 3L);
        assertThat(item.id()).isNull();
        assertThat(item.messages()).isNull();
    }

    @Test
    void a_text_file_in_utf_16_is_decoded() throws Exception {
        assertThat(only(items(FileKind.TEXT, "\uFEFFgrün 😀\n".getBytes(StandardCharsets.UTF_16BE), MAX, 3))
                        .text())
                .isEqualTo("grün 😀\n");
    }

    @Test
    void invalid_utf_8_is_found_to_the_byte_and_the_other_lines_go_on() throws Exception {
        List<Item> items = items(
                FileKind.LINES,
                bytes("\"ü\uFFFD\"\n{\"id\":1,\"text\":\"ö", 0xC3, "(\"}\n\"", 0xED, 0xA0, 0x80, "\"\n\"d\"\n", 0xE2));

        assertThat(outline(items))
                .containsExactly("ü\uFFFD", "!invalid_encoding", "!invalid_encoding", "d", "!invalid_encoding");
        assertThat(items).extracting(Item::offset).containsExactly(0L, 26L, 32L, 37L, 41L);
        assertThat(((Item.Unreadable) items.get(1)).message()).contains("UTF-8");
    }

    @Test
    void invalid_utf_8_late_in_a_long_text_is_found_to_the_byte() throws Exception {
        byte[] file = bytes("ü".repeat(20_000), 0xFF, "x");
        Item.Unreadable error = onlyError(items(FileKind.TEXT, file));
        assertThat(error.code()).isEqualTo("invalid_encoding");
        assertThat(error.offset()).isEqualTo(40_000);
    }

    @Test
    void invalid_utf_16_is_found_to_the_byte() throws Exception {
        List<Item> items =
                items(FileKind.LINES, bytes(0xFF, 0xFE, "\"\0a\0\"\0\n\0\"\0", 0x3D, 0xD8, "\"\0\n\0\"\0b\0\"\0\n\0c"));

        assertThat(outline(items)).containsExactly("a", "!invalid_encoding", "b", "!invalid_encoding");
        assertThat(items).extracting(Item::offset).containsExactly(2L, 12L, 18L, 26L);
    }

    @Test
    void a_nul_is_found_to_the_byte() throws Exception {
        List<Item> items = lines("\"a\"\n\"ü\0\"\n\"c\"");
        assertThat(outline(items)).containsExactly("a", "!nul_character", "c");
        assertThat(items.get(1).offset()).isEqualTo(7);
        assertThat(onlyError(text("ab\0")).offset()).isEqualTo(2);
    }

    @Test
    void utf_16_without_a_mark_is_told_what_to_do() throws Exception {
        List<Item> items = items(FileKind.TEXT, "grün".getBytes(StandardCharsets.UTF_16LE));
        assertThat(onlyError(items(FileKind.TEXT, "abc".getBytes(StandardCharsets.UTF_16BE)))
                        .message())
                .contains("byte order mark");
        assertThat(outline(items)).containsExactly("!invalid_encoding");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 7, 8, 9, 100})
    void a_line_may_have_as_many_bytes_as_allowed_and_not_one_more(int chunk) throws Exception {
        byte[] file = utf8("\"12345\"\n\"123456\"\r\n\"1234ü\"\r\"1\"");

        List<Item> items = items(FileKind.LINES, file, 7, chunk);

        assertThat(outline(items)).containsExactly("12345", "!too_long", "!too_long", "1");
        assertThat(items).extracting(Item::offset).containsExactly(0L, 8L, 18L, 27L);
        assertThat(((Item.Unreadable) items.get(1)).message()).contains("7 bytes", "inbox.max-item");
    }

    @Test
    void a_text_that_is_too_long_is_one_error() throws Exception {
        assertThat(only(items(FileKind.TEXT, utf8("\uFEFF1234567"), 7, 2)).text())
                .isEqualTo("1234567");
        assertThat(outline(items(FileKind.TEXT, utf8("1234567\n"), 7, 2))).containsExactly("!too_long");
    }

    @ParameterizedTest
    @EnumSource(
            value = FileKind.class,
            names = {"LINES", "JSON"})
    void memory_is_bounded_by_the_longest_item_allowed_and_not_by_the_file(FileKind kind) throws Exception {
        boolean array = kind == FileKind.JSON;
        long length = 3L << 30 >> 4;
        InputStream in = new Endless(utf8(array ? "[\"" : "\""), length, utf8(array ? "\",\"b\"]" : "\"\n\"b\""));
        Window[] seen = new Window[1];
        try (ItemReader reader = ItemReader.open(kind, in, MAX)) {
            seen[0] = reader.window;
            assertThat(reader.next())
                    .isInstanceOf(Item.Unreadable.class)
                    .extracting("code")
                    .isEqualTo("too_long");
            Item.Readable after = Reading.readable(reader.next());
            assertThat(after.text()).isEqualTo("b");
            assertThat(after.offset()).isEqualTo(length + (array ? 4 : 3));
            assertThat(reader.hasNext()).isFalse();
        }
        assertThat(seen[0].held()).isLessThan(2 * (int) MAX);
    }

    @Test
    void many_long_lines_need_no_more_memory_than_one() throws Exception {
        byte[] file = utf8(("\"" + "x".repeat(1500) + "\"\n").repeat(2_000));
        try (ItemReader reader = ItemReader.open(FileKind.LINES, new ByteArrayInputStream(file), MAX)) {
            reader.forEachRemaining(
                    item -> assertThat(Reading.readable(item).text()).hasSize(1500));
            assertThat(reader.window.held()).isEqualTo(1 << 16);
        }
    }

    @Test
    void a_reader_at_its_end_says_so() throws Exception {
        try (ItemReader reader = ItemReader.open(FileKind.LINES, new ByteArrayInputStream(utf8("\"a\"")), MAX)) {
            reader.next();
            assertThat(reader.hasNext()).isFalse();
            assertThat(reader.hasNext()).isFalse();
            assertThat(reader.isArray()).isFalse();
            assertThatThrownBy(reader::next).isInstanceOf(NoSuchElementException.class);
        }
    }

    @Test
    void a_failing_disk_is_not_the_end_of_the_file() throws Exception {
        InputStream in = new FilterInputStream(new ByteArrayInputStream(utf8("\"a\"\n\"b"))) {
            @Override
            public int read(byte[] b, int off, int len) throws IOException {
                int got = super.read(b, off, Math.min(len, 4));
                if (got < 4) {
                    throw new IOException("Input/output error");
                }
                return got;
            }
        };
        try (ItemReader reader = ItemReader.open(FileKind.LINES, in, MAX)) {
            reader.next();
            assertThatThrownBy(reader::hasNext).isInstanceOf(UncheckedIOException.class);
            assertThatThrownBy(reader::hasNext).isInstanceOf(UncheckedIOException.class);
        }
    }

    /** A file that is nowhere: a start, a number of x, an end. */
    private static final class Endless extends InputStream {

        private final InputStream head;
        private long left;
        private final InputStream tail;

        Endless(byte[] head, long length, byte[] tail) {
            this.head = new ByteArrayInputStream(head);
            this.left = length;
            this.tail = new ByteArrayInputStream(tail);
        }

        @Override
        public int read() {
            throw new UnsupportedOperationException("to be read in bulk");
        }

        @Override
        public int read(byte[] b, int off, int len) throws IOException {
            int got = head.read(b, off, len);
            if (got > 0) {
                return got;
            }
            if (left == 0) {
                return tail.read(b, off, len);
            }
            int n = (int) Math.min(left, len);
            Arrays.fill(b, off, off + n, (byte) 'x');
            left -= n;
            return n;
        }
    }
}
