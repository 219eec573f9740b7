package dev.oncebox.plan;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TokenCounterTest {

    @ParameterizedTest
    @CsvSource({
        "gpt-4o-mini, o200k_base",
        "gpt-4.1, o200k_base",
        "GPT-5-nano, o200k_base",
        "o3, o200k_base",
        "o4-mini-2025-04-16, o200k_base",
        "openai/chatgpt-4o-latest, o200k_base",
        "ft:gpt-3.5-turbo:me::x, cl100k_base",
        "gpt-4-turbo, cl100k_base",
        "gpt-4, cl100k_base",
        "gpt-2, characters/4",
        "o200, characters/4",
        "claude-sonnet-4-5, characters/4",
        "llama3.3:70b, characters/4",
        ", characters/4"
    })
    void a_model_is_counted_with_its_tokenizer_where_it_has_one_here(String model, String name) {
        assertThat(TokenCounter.of(model).name()).isEqualTo(name);
    }

    @Test
    void tokens_are_those_of_the_vendor_and_special_words_are_text() {
        TokenCounter counter = TokenCounter.of("gpt-4o");

        assertThat(counter.count("hello world")).isEqualTo(2);
        assertThat(counter.count("<|endoftext|>")).isGreaterThan(1);
        assertThat(counter.count(null)).isZero();
    }

    @Test
    void elsewhere_four_characters_are_a_token() {
        TokenCounter counter = TokenCounter.of("claude-sonnet-4-5");

        assertThat(counter.count("abcde")).isEqualTo(2);
        assertThat(counter.count("😀😀😀😀")).isEqualTo(1);
        assertThat(counter.count("")).isZero();
    }
}
