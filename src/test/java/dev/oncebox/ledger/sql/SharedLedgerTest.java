package dev.oncebox.ledger.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.oncebox.ledger.Call;
import dev.oncebox.ledger.CallState;
import dev.oncebox.ledger.Ledger;
import dev.oncebox.ledger.LedgerException;
import dev.oncebox.ledger.LedgerStorage;
import dev.oncebox.ledger.LedgerTck;
import dev.oncebox.ledger.Output;
import dev.oncebox.ledger.Pause;
import dev.oncebox.ledger.ReceivedFile;
import dev.oncebox.ledger.Reply;
import dev.oncebox.ledger.SettledFile;
import dev.oncebox.ledger.Steps;
import dev.oncebox.ledger.Verdict;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Two nodes on one ledger: what one has the other leaves alone, and takes over when the first is over. */
class SharedLedgerTest extends LedgerTck {

    private static final Reply REPLY = new Reply(200, "raw".getBytes(StandardCharsets.UTF_8));

    private Ledger other;

    @Override
    protected LedgerStorage storage(Path folder) {
        return PostgresStorage.emptied();
    }

    @BeforeEach
    void openAnother() {
        other = storage.open((job, engine) -> policy, clock, random);
    }

    @AfterEach
    void closeAnother() {
        other.close();
    }

    private void run(String statement) {
        try (Connection connection = storage.look();
                Statement change = connection.createStatement()) {
            change.execute(statement);
        } catch (SQLException e) {
            throw new IllegalStateException(statement, e);
        }
    }

    /** As a process that stands still, or cannot reach the database, looks to the others. */
    private void letTheFirstLookDead() {
        run("UPDATE node SET lease = 0 WHERE id = 1");
    }

    @Test
    void a_call_is_claimed_by_one_and_a_start_beside_others_leaves_theirs_alone() {
        drop("f.jsonl", "a", "b", "c");
        Call sent = send();
        Call claimed = claim();

        assertThat(other.claim(ENGINE, 9)).hasSize(1);
        assertThat(other.recover()).isZero();

        assertThat(call("a").state()).isEqualTo(CallState.SENT);
        assertThat(call("b").state()).isEqualTo(CallState.CLAIMED);
        assertThat(ledger.sent(claimed)).isTrue();
        assertThat(ledger.settle(sent, valid("1"), Steps.of(valid("1")), REPLY).state())
                .isEqualTo(CallState.DONE);
    }

    @Test
    void what_a_dead_node_had_claimed_goes_back_and_what_it_had_sent_is_in_doubt() {
        policy = HOLD;
        drop("f.jsonl", "a", "b");
        Call sent = send();
        Call claimed = claim();
        letTheFirstLookDead();

        assertThat(other.recover()).isEqualTo(1);

        assertThat(call("a").state()).isEqualTo(CallState.DOUBT);
        assertThat(other.claim(ENGINE, 9)).extracting(Call::id).containsExactly(claimed.id());
        assertThat(ledger.sent(claimed)).as("the dead one wakes up").isFalse();
        assertThat(ledger.settle(sent, valid("late"), Steps.of(valid("late")), REPLY)
                        .state())
                .as("what it had sent is answered, and paid once")
                .isEqualTo(CallState.DONE);
        assertThat(call("a").sends()).isEqualTo(1);
    }

    @Test
    void whoever_was_taken_for_dead_claims_and_delivers_nothing_until_it_is_back_under_another_number() {
        drop("f.jsonl", "a");
        answerAll();
        drop("g.jsonl", "b");
        letTheFirstLookDead();
        other.recover();

        assertThat(ledger.claim(ENGINE, 9)).isEmpty();
        assertThat(settled()).isEmpty();
        await().atMost(Duration.ofSeconds(30))
                .until(() -> number("SELECT count(*) FROM node WHERE ended IS NULL") == 2);
        assertThat(ledger.claim(ENGINE, 9)).hasSize(1);
        assertThat(settled()).hasSize(1);
    }

    @Test
    void a_late_reply_after_another_claim_is_kept_and_not_used() {
        drop("f.jsonl", "a");
        Call first = send();
        letTheFirstLookDead();
        other.recover();
        clock.pass(Duration.ofHours(1));
        Call second = other.claim(ENGINE, 1).get(0);
        assertThat(other.sent(second)).isTrue();

        assertThat(ledger.settle(first, valid("late"), Steps.of(valid("late")), REPLY))
                .isNull();
        assertThat(other.settle(second, valid("2"), Steps.of(valid("2")), REPLY).state())
                .isEqualTo(CallState.DONE);

        assertThat(number("SELECT count(*) FROM reply")).isEqualTo(2);
        SettledFile file = other.settled(9).get(0);
        List<String> answers = new ArrayList<>();
        other.outcomes(file, outcome -> answers.add(outcome.answer().text()));
        assertThat(answers).containsExactly("2");
        assertThat(call("a").doubts()).isEqualTo(1);
    }

    /** The connection broke while the commit was under way: nobody knows whether it happened, and it is tried again. */
    @Test
    void an_end_that_is_told_twice_is_recorded_once() {
        drop("f.jsonl", "a", "b");
        Call call = send();
        ledger.settle(call, valid("1"), Steps.of(valid("1")), REPLY);
        List<String> before = everything();
        assertThat(ledger.settle(call, valid("1"), Steps.of(valid("1")), REPLY).state())
                .isEqualTo(CallState.DONE);
        assertThat(everything()).isEqualTo(before);

        Call refused = send();
        Verdict busy = refused(Verdict.Refused.Cause.BUSY);
        ledger.settle(refused, busy, Steps.of(busy), REPLY);
        before = everything();
        ledger.settle(refused, busy, Steps.of(busy), REPLY);
        assertThat(everything()).isEqualTo(before);
    }

    @Test
    void a_path_of_the_inbox_is_one_nodes_until_it_leaves_it_or_is_over() {
        assertThat(ledger.reserve("a.md")).isTrue();
        assertThat(ledger.reserve("a.md")).isTrue();
        assertThat(other.reserve("a.md")).isFalse();
        assertThat(other.reserve("b.md")).isTrue();
        other.release("a.md");
        assertThat(other.reserve("a.md")).isFalse();
        ledger.release("a.md");
        assertThat(other.reserve("a.md")).isTrue();
        assertThat(ledger.reserve("b.md")).isFalse();
        run("UPDATE node SET lease = 0 WHERE id = 2");
        ledger.recover();
        assertThat(ledger.reserve("b.md")).isTrue();
        assertThat(other.reserve("c.md")).as("it is over").isFalse();
    }

    @Test
    void a_half_read_file_is_read_on_by_the_node_that_takes_its_path_and_not_seen_as_left_before() {
        ledger.reserve("f.jsonl");
        ReceivedFile half = receive("f.jsonl", "a\nb");
        ledger.record(half, entries("a"));
        assertThat(other.unarchived()).isEmpty();
        assertThat(ledger.unarchived()).hasSize(1);
        letTheFirstLookDead();
        other.recover();
        assertThat(other.unarchived()).hasSize(1);

        assertThat(other.reserve("f.jsonl")).isTrue();
        other.record(half, entries("a", "b"));
        assertThat(other.taken(half)).isEqualTo(2);
        ledger.discard(half);
        assertThat(number("SELECT count(*) FROM item")).as("read to its end").isEqualTo(2);
    }

    @Test
    void a_file_is_delivered_by_one_node_and_by_another_when_that_is_over() {
        drop("f.jsonl", "a");
        drop("g.jsonl", "b");
        answerAll();
        SettledFile mine = ledger.settled(1).get(0);
        assertThat(other.settled(9)).extracting(SettledFile::path).containsExactly("g.jsonl");
        assertThat(ledger.settled(9)).extracting(SettledFile::path).containsExactly("f.jsonl");
        letTheFirstLookDead();
        other.recover();
        assertThat(other.settled(9)).hasSize(2);
        other.delivered(mine, Output.unsealed("f.jsonl"));
        ledger.delivered(mine, Output.unsealed("f.jsonl"));
        assertThat(number("SELECT count(*) FROM event WHERE kind = 'DELIVERED'"))
                .isEqualTo(1);
    }

    @Test
    void an_accepted_call_is_asked_for_by_one_node_at_its_time() {
        drop("f.jsonl", "a");
        var accepted = new Verdict.Accepted("http://engine/jobs/1", "queued", Duration.ZERO);
        ledger.settle(send(), accepted, Steps.of(accepted), REPLY);
        assertThat(other.polling(ENGINE, Duration.ofMinutes(1), 9)).hasSize(1);
        assertThat(ledger.polling(ENGINE, Duration.ofMinutes(1), 9)).isEmpty();
        clock.pass(Duration.ofMinutes(2));
        assertThat(ledger.polling(ENGINE, Duration.ofMinutes(1), 9)).hasSize(1);
    }

    @Test
    void each_node_tells_of_its_own_pauses() {
        ledger.pauses(Map.of("default", new Pause(Pause.State.OPEN, 1, 5, "down")));
        other.pauses(Map.of());
        assertThat(other.pauses()).containsOnlyKeys("default");
        other.pauses(Map.of("default", new Pause(Pause.State.OPEN, 1, 9, "down")));
        ledger.pauses(Map.of());
        assertThat(ledger.pauses().get("default").until()).isEqualTo(9);
        other.pauses(Map.of());
        assertThat(ledger.pauses()).isEmpty();
    }

    /** It had one connection to write with, and lost its lease behind a file of many items at a server far away. */
    @Test
    void while_the_writing_of_a_file_waits_calls_are_sent_and_settled_and_the_lease_is_renewed() throws Exception {
        ReceivedFile held = drop("held.jsonl");
        drop("f.jsonl", "a");
        ExecutorService threads = Executors.newSingleThreadExecutor();
        try (Connection elsewhere = storage.look();
                Statement statement = elsewhere.createStatement()) {
            elsewhere.setAutoCommit(false);
            statement.execute("SELECT 1 FROM file WHERE id = " + held.id() + " FOR UPDATE");
            Future<?> waiting = threads.submit(() -> archive(held));
            await().until(() -> !waiting().isEmpty());
            long lease = number("SELECT lease FROM node WHERE id = 1");

            List<String> wait = waiting();
            assertThat(attempt(valid("1")).state()).isEqualTo(CallState.DONE);
            assertThat(waiting()).as("the very wait that it was").isEqualTo(wait);
            await().until(() -> number("SELECT lease FROM node WHERE id = 1") > lease);

            assertThat(waiting.isDone()).isFalse();
            elsewhere.rollback();
            waiting.get();
        } finally {
            threads.shutdownNow();
        }
    }

    private List<String> waiting() {
        return rows("SELECT virtualtransaction FROM pg_locks WHERE NOT granted", row -> row.getString(1));
    }

    /** Waits for as long as it takes, and not for what a statement is given. */
    private void archive(ReceivedFile file) {
        while (true) {
            try {
                ledger.archived(file);
                return;
            } catch (LedgerException e) {
                assertThat(e.isPassing()).isTrue();
            }
        }
    }

    /** One takes files in whose calls the other settles at the same moment; a count that is off would keep a file for ever. */
    @Test
    void files_that_ask_for_calls_which_are_just_being_settled_are_counted_right() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(6);
        try {
            List<Future<?>> all = new ArrayList<>();
            for (int n = 0; n < 12; n++) {
                int from = n;
                Ledger node = n % 2 == 0 ? ledger : other;
                all.add(threads.submit(() -> take(node, "f" + from + ".jsonl", from)));
            }
            for (Ledger node : List.of(ledger, other)) {
                Callable<Boolean> answering = () -> answer(node);
                all.add(threads.submit(answering));
                all.add(threads.submit(answering));
            }
            for (Future<?> each : all) {
                each.get();
            }
            answerAll();
        } finally {
            threads.shutdownNow();
        }
        assertThat(number("SELECT count(*) FROM call WHERE state <> 'DONE'")).isZero();
        assertThat(number("SELECT count(*) FROM file WHERE pending <> 0")).isZero();
        assertThat(number("SELECT sum(sends) FROM call")).isEqualTo(number("SELECT count(*) FROM call"));
        assertThat(number("SELECT count(*) FROM item WHERE fresh = 1")).isEqualTo(number("SELECT count(*) FROM call"));
    }

    /** Thirty items, of which neighbours in number share most. */
    private static void take(Ledger node, String path, int from) {
        String[] texts = IntStream.range(from * 5, from * 5 + 30)
                .mapToObj(i -> "text " + i)
                .toArray(String[]::new);
        ReceivedFile file = node.receive(new dev.oncebox.ledger.DroppedFile(
                path, job("default", ENGINE), dev.oncebox.ledger.DroppedFile.Kind.LINES, sha256(path)));
        node.record(file, entries(texts).subList(0, 15));
        node.record(file, entries(texts).subList(15, 30));
        node.taken(file);
        node.archived(file);
    }

    private static boolean answer(Ledger node) {
        for (int idle = 0; idle < 200; ) {
            List<Call> calls = node.claim(ENGINE, 4);
            idle = calls.isEmpty() ? idle + 1 : 0;
            for (Call call : calls) {
                assertThat(node.sent(call)).isTrue();
                node.settle(call, valid("x"), Steps.of(valid("x")), REPLY);
            }
        }
        return true;
    }
}
