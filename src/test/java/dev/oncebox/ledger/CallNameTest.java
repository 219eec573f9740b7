package dev.oncebox.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What a line of the log calls a call. */
class CallNameTest {

    private static final String KEY = "0123456789abcdef".repeat(4);

    @Test
    void a_call_is_named_by_its_key_and_by_who_asks_for_it() {
        assertThat(new CallName(KEY, null)).hasToString("call 0123456789ab");
        assertThat(new CallName(KEY, new Asker("b.md", 1, null, 0))).hasToString("call 0123456789ab (b.md, line 1)");
        assertThat(new CallName(KEY, new Asker("j/x.jsonl", 17, "\"m-17\"", 2)))
                .hasToString("call 0123456789ab (j/x.jsonl, line 17, id \"m-17\", and 2 other items)");
    }

    @Test
    void what_a_client_named_is_shown_short_and_without_tricks() {
        var hostile = new Asker("a\r\n12:00 ERROR\u001b[31m\u202e.md", 1, "\"" + "\u2028x".repeat(5000) + "\"", 0);
        assertThat(new CallName(KEY, hostile).toString())
                .hasSizeLessThan(500)
                .matches("[ -~…]+")
                .contains("a\\u000d\\n12:00 ERROR\\u001b[31m\\u202e.md");
    }
}
