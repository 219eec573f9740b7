package dev.oncebox.intake;

import static dev.oncebox.job.Keying.EXACT;
import static dev.oncebox.job.Keying.ID;
import static dev.oncebox.job.Keying.LINES;
import static dev.oncebox.job.Keying.WHITESPACE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.oncebox.job.Keying;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class NormalizerTest {
    private static final String PYTHON = "Explain:\n```python\nif a:\n    b()\nc()\n```\nThanks.";

    @ParameterizedTest
    @ValueSource(
            strings = {
                "one two\nthree",
                "one two\r\nthree\r\n",
                "one two\rthree",
                "  one\ttwo three  ",
                "one\u00a0two\u3000three",
                "one\u000btwo\fthree\n\n\n",
                "\u2028one\u2029two\u0085three\u205f",
                "one\u2000\u2001\u2002\u200atwo\u202f\u1680three"
            })
    void every_run_of_white_space_is_one_space(String text) {
        assertThat(Normalizer.normalize(text, WHITESPACE)).isEqualTo("one two three");
        assertThat(Normalizer.normalize(text, ID)).isEqualTo("one two three");
    }

    @ParameterizedTest
    @ValueSource(strings = {"\u200b", "\u2060", "\ufeff", "\u180e", "\u001c", "\0"})
    void what_unicode_does_not_call_white_space_stays(String character) {
        String text = "a" + character + "b" + character;
        assertThat(Normalizer.normalize(text, WHITESPACE)).isEqualTo(text);
        assertThat(Normalizer.normalize(text, LINES)).isEqualTo(text);
    }

    @ParameterizedTest
    @EnumSource(
            value = Keying.class,
            names = {"WHITESPACE", "LINES", "ID"})
    void composed_and_decomposed_letters_are_the_same(Keying keying) {
        assertThat(Normalizer.normalize("Cafe\u0301 \u212b", keying)).isEqualTo("Caf\u00e9 \u00c5");
    }

    @Test
    void compatibility_characters_are_not_the_same() {
        assertThat(Normalizer.normalize("\ufb01 x\u00b2", WHITESPACE)).isEqualTo("\ufb01 x\u00b2");
    }

    @Test
    void every_character_counts_when_keyed_exactly() {
        String text = " Cafe\u0301 \r\n";
        assertThat(Normalizer.normalize(text, EXACT)).isSameAs(text);
    }

    @Test
    void a_plain_line_is_returned_without_a_copy() {
        String text = "Summarise the caf\u00e9's menu.";
        assertThat(Normalizer.normalize(text, WHITESPACE)).isSameAs(text);
    }

    @Test
    void indentation_outside_of_a_fence_counts_only_by_lines() {
        String flat = "if a:\nb()";
        String indented = "if a:\n    b()";
        assertThat(Normalizer.normalize(flat, WHITESPACE)).isEqualTo(Normalizer.normalize(indented, WHITESPACE));
        assertThat(Normalizer.normalize(flat, LINES)).isNotEqualTo(Normalizer.normalize(indented, LINES));
    }

    @Test
    void lines_unify_line_ends_and_drop_what_is_trailing() {
        assertThat(Normalizer.normalize("\n  a \u00a0\r\n\r\tb\t\n\u2003\nc \n \r\n", LINES))
                .isEqualTo("\n  a\n\n\tb\n\nc");
    }

    @Test
    void only_lf_crlf_and_cr_end_a_line() {
        assertThat(Normalizer.normalize("a\u2028b\u2029c\u0085d\u000be\ff", LINES))
                .isEqualTo("a\u2028b\u2029c\u0085d\u000be\ff");
    }

    @Test
    void fenced_code_that_is_indented_otherwise_is_another_text() {
        assertThat(Normalizer.normalize(PYTHON, WHITESPACE)).isEqualTo(PYTHON);
        assertThat(Normalizer.normalize(PYTHON.replace("\nc()", "\n    c()"), WHITESPACE))
                .isNotEqualTo(PYTHON);
    }

    @Test
    void line_ends_and_trailing_spaces_in_a_fence_and_all_white_space_around_it_are_unified() {
        String other = "\n\n Explain: \r\n\r\n```python  \r\nif a: \r\n    b()\r\nc()\t\r\n``` \r\n\r\n Thanks.\r\n";
        assertThat(Normalizer.normalize(other, WHITESPACE)).isEqualTo(PYTHON);
    }

    @Test
    void blank_lines_in_a_fence_stay() {
        assertThat(Normalizer.normalize("```\n\n a\n \n\n```\n\n\nb  c", WHITESPACE))
                .isEqualTo("```\n\n a\n\n\n```\nb c");
    }

    @Test
    void tildes_fence_as_well_and_may_hold_backticks() {
        String text = "~~~ a`b\n  x\n```\n  y\n~~~~\nend";
        assertThat(Normalizer.normalize(text + "  ing", WHITESPACE)).isEqualTo(text + " ing");
    }

    @Test
    void a_fence_is_closed_only_by_as_many_of_the_same_character_alone() {
        String code = "````\n  a\n```\n  b\n~~~~\n  c\n```` d\n  e\n`````";
        assertThat(Normalizer.normalize(code + "\n  f\n  g", WHITESPACE)).isEqualTo(code + "\nf g");
    }

    @Test
    void an_unclosed_fence_runs_to_the_end() {
        assertThat(Normalizer.normalize("a\n b\n```\n  c \n\n  d\n\n", WHITESPACE))
                .isEqualTo("a b\n```\n  c\n\n  d");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "1. Run:\n   ```sh\n   a\n     b\n   ```\n\n2. Done",
                "* Run:\n\t```sh\n\ta\n\t  b\n\t```\nDone",
                "- ```sh\n  a\n    b\n  ```\n- Done",
                "12) - ```sh\n       a\n         b\n      ```\nDone",
                "> ```sh\n> a\n>   b\n> ```\n> Done",
                ">> - ~~~\n>>   a\n>>     b\n>>   ~~~\nDone"
            })
    void a_fence_in_a_list_or_a_quotation_keeps_its_indentation_until_it_closes(String text) {
        String normal = Normalizer.normalize(text, WHITESPACE);
        assertThat(Normalizer.normalize(text.replaceFirst("( +)b", "$1 b"), WHITESPACE))
                .isNotEqualTo(normal);
        assertThat(Normalizer.normalize(text.replace("Done", " \n Done"), WHITESPACE))
                .isEqualTo(normal);
    }

    @Test
    void an_example_of_a_fence_deep_in_the_code_does_not_close_it() {
        String text = "```python\ndef f():\n    '''\n    ```\n    a\n      b\n    ```\n    '''\n```\nend";
        assertThat(Normalizer.normalize(text + "  ing", WHITESPACE)).isEqualTo(text + " ing");
    }

    @ParameterizedTest
    @ValueSource(strings = {"> ```", "- ```", "\t```", "    ```", "``` a"})
    void code_that_resembles_a_closing_fence_does_not_close_it(String line) {
        String text = "```\n" + line + "\n  a\n```\nb";
        assertThat(Normalizer.normalize(text + "\n\nc", WHITESPACE)).isEqualTo(text + " c");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"a\n b ```\n  c", "```x``` y\n  z", "``\n `\n  a", "~~\n~", "-```\n a", "1.```\n a", "a >\n `` `"
            })
    void what_only_resembles_a_fence_is_running_text(String text) {
        assertThat(Normalizer.normalize(text, WHITESPACE)).isEqualTo(text.replaceAll("\\s+", " "));
    }

    @Test
    void a_fence_is_looked_for_after_composing() {
        assertThat(Normalizer.normalize("\u1fef\u1fef\u1fef\n  a", WHITESPACE)).isEqualTo("```\n  a");
    }

    @ParameterizedTest
    @EnumSource(Keying.class)
    void nothing_but_white_space_is_nothing_and_lone_surrogates_are_kept(Keying keying) {
        assertThat(Normalizer.normalize("", keying)).isEmpty();
        assertThat(Normalizer.normalize("\ud83d\u0301 \ude00\ude00 a\u0308\ud83d", keying))
                .startsWith("\ud83d\u0301 \ude00\ude00 ")
                .endsWith("\ud83d");
        if (keying != EXACT) {
            assertThat(Normalizer.normalize(" \r\n\u2028\t\r", keying)).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                " ",
                "\n",
                "\r\n \t",
                "`",
                "```\n",
                "``` `\n",
                "\n    ~~~",
                "> ",
                "1. ",
                "9",
                "- ",
                "-\n",
                "a ",
                "e\u0301",
                "\u0301\u0316",
                "a\u0316\u0301",
                "\u09be",
                "\u1100\u1161\u11a8",
                "\u0344",
                "\ud800",
                "\u1fef"
            })
    void millions_of_any_character_take_linear_time(String unit) {
        String text = unit.repeat((2 << 20) / unit.length());
        assertTimeoutPreemptively(Duration.ofSeconds(20), () -> {
            for (Keying keying : Keying.values()) {
                assertThatCode(() -> Normalizer.normalize(text, keying)).doesNotThrowAnyException();
            }
        });
    }
}
