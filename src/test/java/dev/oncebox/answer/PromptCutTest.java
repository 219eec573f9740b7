package dev.oncebox.answer;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import dev.oncebox.ledger.Answer;
import dev.oncebox.ledger.Call;
import dev.oncebox.ledger.Note;
import dev.oncebox.ledger.Request;
import dev.oncebox.ledger.Usage;
import java.io.IOException;
import java.nio.file.Path;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A prompt that an engine cut is seen; one that it read whole never is. */
class PromptCutTest {

    /** How the tokenizer with the longest tokens splits a text before it makes one or more tokens of each part. */
    private static final Pattern PARTS = Pattern.compile(
            "[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]*[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
                    + "|[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]+[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
                    + "|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+");

    @Test
    void a_prompt_of_which_the_engine_read_far_too_little_is_seen() throws IOException {
        String words = "The quick brown fox ".repeat(4500);

        assertThat(seen(request(null, words), 2048))
                .startsWith("The engine says it read 2048 tokens of a prompt that has at least 9000: it was cut.")
                .contains("num_ctx");
        assertThat(seen(request(words, "Summarise."), 2048)).contains("at least 9000");
        assertThat(seen(
                        messages("[{'role':'system','content':'Be brief.'},{'role':'user','content':[{'type':'text',"
                                + "'text':'" + words + "'},{'type':'image_url'}]}]"),
                        2048))
                .contains("at least 9001");
    }

    @Test
    void what_is_short_or_unknown_is_never_seen() throws IOException {
        String words = "fox ".repeat(1000);

        assertThat(seen(request(null, "fox ".repeat(199)), 1)).isNull();
        assertThat(seen(request(null, words), null)).isNull();
        assertThat(seen(request(null, words), 0L)).isNull();
        assertThat(seen(request(null, words), 500)).isNull();
        assertThat(seen(request(null, words), 499)).isNotNull();
        assertThat(seen(messages("[{'role':'user'},{'content':7},{'content':[7,null]}]"), 1))
                .isNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "the the the ",
                "Don't you've we'll I'd ",
                "for (int i = 0; i < n; i++) { a[i] = b.c(d, e_f) + 0x1F; }\n",
                "1,234,567.89 3.14159265358979323846264338327950288 2026-11-30T00:28:02Z ",
                "😀👩‍👩‍👧🇩🇪 ",
                "模型只读取了提示的一部分，因此答案是无用的。",
                "ประโยคภาษาไทยไม่มีช่องว่างระหว่างคำ ",
                "हिन्दी में लिखा हुआ एक वाक्य। ",
                "한국어로 쓴 문장입니다. ",
                "Đây là một câu tiếng Việt. ",
                "اللغة العربية بالتشكيل: الْعَرَبِيَّةُ ",
                "aGVsbG8gd29ybGQ+/ZG9n/Zm94+",
                "a.b.c-d_e/f:g|h\n",
                "<p class=\"x\">y</p>",
                "\\u00e9\\n\t| a | b |\n",
                "e\u0301a\u0308o\u0302 "
            })
    void ordinary_usage_of_the_most_sparing_tokenizer_is_never_taken_for_a_cut(String text) {
        String prompt = text.repeat(2000);

        assertThat(seen(request(null, prompt), PARTS.matcher(prompt).results().count()))
                .isNull();
    }

    @Test
    void the_job_flags_or_rejects_the_answer(@TempDir Path folder) throws Exception {
        var checking = new Checking(folder);
        checking.job("careful", "on-prompt-cut=reject");
        Answer answer = Checking.text("stop", "a"); // its usage has three tokens

        Note note = checking.check(call("default"), answer).note();
        assertThat(note).isNotNull();
        assertThat(note.code()).isEqualTo("prompt_cut");
        assertThat(note.reason()).contains("read 3 tokens", "at least 500");
        Checking.Rejection rejection = checking.unusable(call("careful"), answer);
        assertThat(rejection.code()).isEqualTo("prompt_cut");
        assertThat(rejection.reason()).contains("on-prompt-cut=accept");
        assertThat(rejection.again()).isFalse();
        checking.job("both", "unwrap=think");
        assertThat(checking.check(call("both"), Checking.text("stop", "<think></think>a"))
                        .note())
                .extracting(Note::code)
                .isEqualTo("prompt_cut, unwrapped");
    }

    private static Call call(String job) {
        return new Call(1, new byte[32], job, "default", 1, 0, 0, 0, 0, 0, 0, request(null, "fox ".repeat(1000)));
    }

    private static @Nullable String seen(Request request, long tokens) {
        return seen(request, Long.valueOf(tokens));
    }

    private static @Nullable String seen(Request request, @Nullable Long tokens) {
        return PromptCut.seen(request, new Usage(null, tokens, 1L, null));
    }

    private static Request request(@Nullable String system, String text) {
        return new Request(system, text, null, null, new TreeMap<>(), null, null);
    }

    private static Request messages(String json) throws IOException {
        var messages = (ArrayNode) new ObjectMapper().readTree(json.replace('\'', '"'));
        return new Request("not sent ".repeat(9999), null, messages, null, new TreeMap<>(), null, null);
    }
}
