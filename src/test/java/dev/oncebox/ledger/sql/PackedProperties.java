package dev.oncebox.ledger.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** What is packed comes back to the last character, whatever it is. */
class PackedProperties {

    @Property
    void a_text_comes_back_as_it_was(@ForAll("texts") String text) {
        assertThat(Packed.text(Packed.pack(text))).isEqualTo(text);
    }

    @Property
    void bytes_come_back_as_they_were(@ForAll byte[] bytes) {
        assertThat(Packed.unpack(Packed.pack(bytes))).isEqualTo(bytes);
    }

    @Property
    void a_text_that_utf_8_can_keep_is_kept_as_ever(@ForAll("texts") String text) {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        if (new String(utf8, StandardCharsets.UTF_8).equals(text)) {
            assertThat(Packed.pack(text)).isEqualTo(Packed.pack(utf8));
            assertThat(Packed.pack(text)[0]).isBetween((byte) 0, (byte) 1);
        }
    }

    @Example
    void a_row_of_an_older_version_is_read() {
        assertThat(Packed.text(new byte[] {0, 'a', (byte) 0xC3, (byte) 0xA9})).isEqualTo("aé");
    }

    @Example
    void half_a_surrogate_pair_is_kept_in_a_short_and_in_a_long_text() {
        assertThat(Packed.pack("\ud83d")[0]).isEqualTo((byte) 2);
        byte[] packed = Packed.pack("\ud83d ".repeat(100_000));
        assertThat(packed[0]).isEqualTo((byte) 3);
        assertThat(packed).hasSizeLessThan(10_000);
        assertThat(Packed.text(packed)).isEqualTo("\ud83d ".repeat(100_000));
        assertThat(Packed.text(Arrays.copyOf(new byte[] {2}, 1))).isEmpty();
    }

    @Provide
    Arbitrary<String> texts() {
        Arbitrary<String> any = Arbitraries.strings().all().ofMaxLength(60);
        Arbitrary<String> odd = Arbitraries.of("a", "é", "\0", "\ud83d", "\ude00", "\ud83d\ude00", "\uffff", "\u2028")
                .list()
                .ofMaxSize(20)
                .map(parts -> String.join("", parts));
        return Arbitraries.oneOf(any, odd)
                .flatMap(text -> Arbitraries.of(1, 1, 1, 500).map(text::repeat));
    }
}
