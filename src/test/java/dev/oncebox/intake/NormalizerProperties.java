package dev.oncebox.intake;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oncebox.job.Keying;
import java.text.Normalizer.Form;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

class NormalizerProperties {
    static final String WHITE =
            "\t\n\u000b\f\r \u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
                    + "\u2028\u2029\u202f\u205f\u3000";

    @Property(tries = 5000)
    void normalising_twice_changes_nothing(@ForAll("texts") String text, @ForAll Keying keying) {
        String once = Normalizer.normalize(text, keying);
        assertThat(Normalizer.normalize(once, keying)).isEqualTo(once);
    }

    @Property(tries = 5000)
    void normalising_touches_nothing_but_white_space(@ForAll("texts") String text, @ForAll Keying keying) {
        String composed = keying == Keying.EXACT ? text : java.text.Normalizer.normalize(text, Form.NFC);
        assertThat(black(Normalizer.normalize(text, keying))).isEqualTo(black(composed));
    }

    @Property(tries = 5000)
    void what_is_the_same_by_lines_is_the_same_by_white_space(@ForAll("texts") String text) {
        String lines = Normalizer.normalize(text, Keying.LINES);
        assertThat(Normalizer.normalize(lines, Keying.WHITESPACE))
                .isEqualTo(Normalizer.normalize(text, Keying.WHITESPACE));
    }

    @Property
    void no_text_is_refused_and_normalising_is_stable(@ForAll String text, @ForAll Keying keying) {
        normalising_twice_changes_nothing(text, keying);
    }

    @Provide
    Arbitrary<String> texts() {
        return Arbitraries.of(
                        "`", "```", "````", "~~~", "~", "\n", "\n", "\n", " ", "   ", "    ", "\t", "\r", "\r\n",
                        "\u00a0", "\u2000", "\u2028", "\u0085", "\u000b", ">", "> ", "-", "- ", "* ", "1", ".", "1. ",
                        "a", "e", "\u0301", "\u0316", "\u0338", "\u0344", "\u1fef", "\u1100", "\u1161", "\ufeff",
                        "\ud800", "\udc00", "\\")
                .list()
                .ofMaxSize(30)
                .map(parts -> String.join("", parts));
    }

    private static String black(String text) {
        return text.replaceAll("[" + WHITE + "]", "");
    }
}
