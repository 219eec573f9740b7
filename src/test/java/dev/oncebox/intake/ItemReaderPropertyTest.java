package dev.oncebox.intake;

import static dev.oncebox.intake.Reading.MAX;
import static dev.oncebox.intake.Reading.items;
import static dev.oncebox.intake.Reading.outline;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.TextNode;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;

class ItemReaderPropertyTest {

    @Property(tries = 500)
    void lines_joined_by_any_line_ends_are_divided_into_exactly_these(
            @ForAll("texts") List<String> texts,
            @ForAll("lineEnds") List<String> lineEnds,
            @ForAll("charsets") Charset charset,
            @ForAll @IntRange(min = 1, max = 40) int chunk)
            throws Exception {
        StringBuilder file = new StringBuilder("\uFEFF");
        for (int i = 0; i < texts.size(); i++) {
            file.append(TextNode.valueOf(texts.get(i))).append(lineEnds.get(i));
        }

        List<Item> items = items(FileKind.LINES, file.toString().getBytes(charset), MAX, chunk);

        assertThat(outline(items)).isEqualTo(texts);
        assertThat(items).allSatisfy(item -> assertThat(startsLine(file.toString(), charset, item))
                .isTrue());
    }

    @Property(tries = 300)
    void elements_of_an_array_are_divided_into_exactly_these(
            @ForAll("texts") List<String> texts,
            @ForAll("charsets") Charset charset,
            @ForAll @IntRange(min = 1, max = 40) int chunk)
            throws Exception {
        String file = texts.stream()
                .map(text -> "{\"x\":[" + TextNode.valueOf(text) + "],\"text\":" + TextNode.valueOf(text) + "}")
                .collect(Collectors.joining(" ,\r\n", "\uFEFF[", "]"));

        assertThat(outline(items(FileKind.JSON, file.getBytes(charset), MAX, chunk)))
                .isEqualTo(texts);
    }

    @Property(tries = 300)
    void whatever_the_bytes_are_every_line_that_is_not_blank_is_one_item(
            @ForAll("junk") List<String> lines, @ForAll @IntRange(min = 1, max = 9) int chunk) throws Exception {
        byte[] file = String.join("\n", lines).getBytes(StandardCharsets.ISO_8859_1);

        List<Item> items = items(FileKind.LINES, file, MAX, chunk);

        assertThat(items).extracting(Item::n).doesNotHaveDuplicates().isSorted();
        assertThat(items)
                .hasSize((int) lines.stream().filter(line -> !line.isEmpty()).count());
    }

    private static boolean startsLine(String file, Charset charset, Item item) {
        byte[] bytes = file.getBytes(charset);
        String from = new String(bytes, (int) item.offset(), bytes.length - (int) item.offset(), charset);
        return from.startsWith(TextNode.valueOf(Reading.readable(item).text()).toString());
    }

    @Provide
    Arbitrary<List<String>> texts() {
        Arbitrary<Character> usual = Arbitraries.chars()
                .with('a', 'ä', '"', '\\', '[', ']', '{', '}', ',', '\n', '\r', '\t', ' ', '\u0085')
                .with('\u2028', '\u2029', '\u000b', '\u000c', '\u0a0d', '\u0d0a', '\ufeff', '\ufffd');
        return usual.list()
                .ofMinSize(1)
                .ofMaxSize(30)
                .map(chars -> "x" + chars.stream().map(String::valueOf).collect(Collectors.joining()) + "😀")
                .list()
                .ofMinSize(1)
                .ofMaxSize(20);
    }

    @Provide
    Arbitrary<List<String>> lineEnds() {
        return Arbitraries.of("\n", "\r\n", "\r", "\n\n", "\r\r", "\r\n \r\n")
                .list()
                .ofSize(20);
    }

    @Provide
    Arbitrary<Charset> charsets() {
        return Arbitraries.of(StandardCharsets.UTF_8, StandardCharsets.UTF_16LE, StandardCharsets.UTF_16BE);
    }

    @Provide
    Arbitrary<List<String>> junk() {
        Arbitrary<String> part =
                Arbitraries.of("\"a\"", "{", "}", "\u00ff", "\u00c3", "\0", "1", "[", "\\", "{\"text\":\"b\"}", "");
        return Combinators.combine(part, part).as(String::concat).list().ofMaxSize(8);
    }
}
