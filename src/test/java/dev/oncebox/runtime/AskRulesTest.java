package dev.oncebox.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oncebox.ledger.DroppedFile.Kind;
import dev.oncebox.ledger.Pause;
import dev.oncebox.ledger.Standing;
import dev.oncebox.ledger.Standing.OpenCalls;
import dev.oncebox.ledger.Standing.Stage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which exit code a file's standing is. */
class AskRulesTest {

    private static final long NEVER = Long.MAX_VALUE;
    private static final Standing.Shown SHOWN = new Standing.Shown("ab", "default", null, "why", "Because.");

    @TempDir
    private Path outbox;

    private static OpenCalls calls(int ready, int claimed, int sent, int polling, int doubts) {
        return new OpenCalls(
                ready + claimed, ready == 0 ? NEVER : 0, claimed, sent, polling, polling == 0 ? NEVER : 0, doubts);
    }

    private static Standing open(OpenCalls calls) {
        long open = calls.waiting() + calls.sent() + calls.polling() + calls.doubts();
        return new Standing(1, Stage.TAKEN, Kind.LINES, null, open, 0, open, calls, SHOWN);
    }

    private static Standing delivered(Kind kind, String output, int items, int answered) {
        return new Standing(1, Stage.DELIVERED, kind, output, items, answered, 0, calls(0, 0, 0, 0, 0), SHOWN);
    }

    @ParameterizedTest
    @CsvSource({
        "1, 0, 0, 0, 0, false, false, 42",
        "0, 1, 0, 0, 0, false, false, 42",
        "1, 0, 1, 1, 1, false, true, 42",
        "0, 0, 1, 0, 0, true, false, 42",
        "0, 0, 1, 0, 0, false, false, 42",
        "0, 0, 1, 0, 0, false, true, 3",
        "0, 0, 0, 1, 0, true, false, 42",
        "0, 0, 0, 1, 0, false, true, 3",
        "0, 0, 1, 0, 1, false, true, 3",
        "0, 0, 0, 0, 1, true, false, 3",
        "0, 0, 0, 0, 1, false, false, 3"
    })
    void what_waits_or_was_sent_by_this_ask_is_queued_and_what_was_sent_before_or_is_in_doubt_is_processing(
            int ready,
            int claimed,
            int sent,
            int polling,
            int doubts,
            boolean broughtIn,
            boolean sentBefore,
            int exit) {
        Standing at = open(calls(ready, claimed, sent, polling, doubts));

        AskReply reply = new AskRules(outbox).now(at, broughtIn, sentBefore, Map.of());

        assertThat(reply.status().exit()).as(reply.message()).isEqualTo(exit);
        assertThat(reply.answer()).isNull();
    }

    @Test
    void a_doubt_is_an_end_only_when_nothing_else_goes_on() {
        var rules = new AskRules(outbox);

        assertThat(rules.end(open(calls(0, 0, 0, 0, 2)))).isNotNull();
        assertThat(rules.end(open(calls(1, 0, 0, 0, 2)))).isNull();
        assertThat(rules.end(open(calls(0, 0, 1, 0, 2)))).isNull();
    }

    @ParameterizedTest
    @CsvSource({
        "TEXT, b.md, 1, 1, 0",
        "TEXT, b.md.json, 1, 1, 0",
        "TEXT, b.md.error.json, 1, 0, 1",
        "TEXT, b.md.error.json, 1, 1, 1",
        "OBJECT, x.error.json, 1, 1, 0",
        "LINES, x.jsonl, 3, 3, 0",
        "LINES, x.jsonl, 3, 1, 0",
        "LINES, x.jsonl, 3, 0, 1"
    })
    void what_was_delivered_is_answered_as_soon_as_there_is_one_answer(
            Kind kind, String output, int items, int answered, int exit) throws IOException {
        Files.writeString(outbox.resolve(output), "delivered");

        AskReply reply = new AskRules(outbox).end(delivered(kind, output, items, answered));

        assertThat(reply).isNotNull();
        assertThat(reply.status().exit()).isEqualTo(exit);
        assertThat(reply.answer()).isEqualTo(exit == 0 ? outbox.resolve(output) : null);
    }

    @Test
    void an_answer_that_was_deleted_is_no_end_and_a_failure_needs_no_file() {
        var rules = new AskRules(outbox);

        assertThat(rules.end(delivered(Kind.TEXT, "b.md", 1, 1))).isNull();
        AskReply failed = rules.end(delivered(Kind.TEXT, "b.md.error.json", 1, 0));
        assertThat(failed).isNotNull();
        assertThat(failed.status().exit()).isEqualTo(1);
        assertThat(failed.message()).isEqualTo("Because.");
    }

    @Test
    void why_nothing_is_sent_is_said() {
        var pause = new Pause(Pause.State.OPEN, 0, 60_000, "It refuses everybody.");

        AskReply reply = new AskRules(outbox).now(open(calls(1, 0, 0, 0, 0)), true, false, Map.of("default", pause));

        assertThat(reply.code()).isEqualTo("breaker");
        assertThat(reply.message()).startsWith("It refuses everybody. Nothing is sent until 1970-01-01T00:01:00Z.");
    }
}
