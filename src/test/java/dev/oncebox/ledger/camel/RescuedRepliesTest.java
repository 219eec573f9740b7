package dev.oncebox.ledger.camel;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.TextNode;
import dev.oncebox.ledger.Answer;
import dev.oncebox.ledger.Call;
import dev.oncebox.ledger.CallFailed;
import dev.oncebox.ledger.CallName;
import dev.oncebox.ledger.CallState;
import dev.oncebox.ledger.EventKind;
import dev.oncebox.ledger.LedgerStorage;
import dev.oncebox.ledger.LedgerTck;
import dev.oncebox.ledger.Reply;
import dev.oncebox.ledger.Usage;
import dev.oncebox.ledger.Verdict;
import dev.oncebox.ledger.sql.SqliteStorage;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/**
 * An answer came when the ledger's disk had failed, was kept beside the ledger, and was bought a second time by the next
 * start, which put its call in doubt.
 */
class RescuedRepliesTest extends LedgerTck {

    private static final Answer ANSWER = new Answer(TextNode.valueOf("forty-two"), null, null, Usage.UNKNOWN);

    @Override
    protected LedgerStorage storage(Path folder) {
        return SqliteStorage.in(folder);
    }

    private Path file() {
        return folder.resolve("rescued.jsonl");
    }

    private void keep(Call call, Verdict verdict) {
        new Rescue(file(), each -> new CallName(each.keyHex(), null))
                .keep(call, verdict, new Reply(200, "forty-two".getBytes(StandardCharsets.UTF_8)));
    }

    private int record() throws IOException {
        return RescuedReplies.record(
                file(),
                ledger,
                (call, reply) -> new Answer(
                        TextNode.valueOf(new String(reply.body(), StandardCharsets.UTF_8)), null, null, Usage.UNKNOWN));
    }

    @Test
    void a_rescued_answer_is_recorded_once_and_not_bought_again() throws IOException {
        drop("f.jsonl", "a");
        keep(send(), new Verdict.Valid(ANSWER));
        reopen();

        assertThat(record()).isEqualTo(1);
        assertThat(ledger.recover()).isZero();
        assertThat(call("a").state()).isEqualTo(CallState.DONE);
        assertThat(call("a").sends()).isEqualTo(1);
        assertThat(outcomes(settled().get(0)).get(0).answer().text()).isEqualTo("forty-two");
        assertThat(record()).as("again").isZero();
    }

    @Test
    void what_is_no_whole_answer_or_belongs_to_another_send_or_is_half_a_line_changes_nothing() throws IOException {
        drop("f.jsonl", "a", "b");
        Call earlier = send();
        keep(send(), new Verdict.Unknown("late", "Late.", false));
        reopen();
        ledger.recover();
        clock.pass(Duration.ofHours(1));
        send();
        send();
        keep(earlier, new Verdict.Valid(ANSWER));
        Files.writeString(file(), "{\"key\":\"00", StandardOpenOption.APPEND);
        reopen();

        assertThat(record()).isZero();
        assertThat(ledger.recover()).isEqualTo(2);
        assertThat(events("a")).doesNotContain(EventKind.COMPLETE);
    }

    /** The same would have been bought again, and is of no more use the second time. */
    @Test
    void a_paid_answer_that_the_job_does_not_accept_is_a_dead_letter_and_not_bought_again() throws IOException {
        drop("f.jsonl", "a");
        keep(send(), unusable());
        reopen();

        assertThat(RescuedReplies.record(file(), ledger, (call, reply) -> {
                    throw new CallFailed(unusable());
                }))
                .isEqualTo(1);
        assertThat(ledger.recover()).isZero();
        assertThat(call("a").state()).isEqualTo(CallState.DEAD);
        assertThat(call("a").doubts()).isZero();
    }
}
