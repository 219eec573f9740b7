package dev.oncebox.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oncebox.ledger.Ledger.Move;
import dev.oncebox.ledger.Ledger.Spent;
import dev.oncebox.ledger.Verdict.Refused.Cause;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Calls on their way from one engine to another, what is remembered of engines, and what was spent. */
public abstract class LedgerEnginesTck extends LedgerTck {

    private static final Reply REPLY = new Reply(200, "raw".getBytes(StandardCharsets.UTF_8));
    private static final Policy DEDUPLICATES = new Policy(3, false, true, RETRY, null);
    private static final Policy WITH_NEXT = new Policy(3, true, false, RETRY, "next");

    private static Move move(boolean evenUnresolved) {
        return new Move(ENGINE, "next", List.of("default", "unknown job"), evenUnresolved, "No credit");
    }

    private List<String> texts(String engine) {
        return ledger.claim(engine, 100).stream()
                .map(call -> call.request().text())
                .toList();
    }

    private String detail(String key, EventKind kind) {
        return rows(
                        "SELECT e.detail FROM event e JOIN call c ON c.id = e.call WHERE c.key = ? AND e.kind = '"
                                + kind + "' ORDER BY e.seq DESC",
                        row -> row.getString(1),
                        (Object) sha256(key))
                .get(0);
    }

    private void later(Duration time) {
        clock.pass(time);
    }

    @Test
    void due_calls_of_the_named_jobs_go_on_in_order_up_to_the_limit() {
        drop("f.jsonl", "parked");
        attempt(new Verdict.Refused("busy", "Busy.", Cause.BUSY, Duration.ofDays(1)));
        drop("g.jsonl", "a", "b", "c", "d");
        var other = new DroppedFile("o.jsonl", job("other", ENGINE), DroppedFile.Kind.LINES, sha256("o"));
        ledger.record(ledger.receive(other), entries("of another job"));

        assertThat(ledger.fallBack(move(true), 0)).isZero();
        assertThat(ledger.fallBack(move(true), 3)).isEqualTo(3);
        assertThat(texts("next")).containsExactly("a", "b", "c");
        assertThat(ledger.fallBack(move(true), 100)).isEqualTo(1);
        assertThat(ledger.fallBack(move(true), 100)).isZero();
        assertThat(texts("next")).containsExactly("d");
        assertThat(texts(ENGINE)).containsExactly("of another job");
        later(Duration.ofDays(2));
        assertThat(texts(ENGINE)).containsExactly("parked");
    }

    @Test
    void only_waiting_calls_go_on() {
        drop("f.jsonl", "claimed", "sent", "done", "dead", "doubt");
        List<Call> calls = ledger.claim(ENGINE, 5);
        for (Call call : calls.subList(1, 5)) {
            ledger.sent(call);
        }
        ledger.settle(calls.get(2), valid("x"), Steps.of(valid("x")), null);
        ledger.settle(calls.get(3), unusable(), Steps.of(unusable()), null);
        policy = HOLD;
        ledger.settle(calls.get(4), unknown(), Steps.of(unknown()), null);
        List<String> before = everything();
        assertThat(ledger.fallBack(move(true), 100)).isZero();
        assertThat(everything()).isEqualTo(before);
    }

    @Test
    void a_call_that_goes_on_has_all_attempts_again_and_the_journal_says_why() {
        drop("f.jsonl", "a", "b");
        attempt(unknown());
        later(Duration.ofHours(1));
        assertThat(ledger.fallBack(move(false), 100)).isEqualTo(2);

        assertThat(events("a")).endsWith(EventKind.FALLBACK);
        assertThat(detail("a", EventKind.FALLBACK))
                .startsWith("from default to next: No credit.")
                .contains("may be paid twice");
        assertThat(detail("b", EventKind.FALLBACK)).isEqualTo("from default to next: No credit.");
        Call moved = ledger.claim("next", 2).stream()
                .filter(call -> call.request().text().equals("a"))
                .findFirst()
                .orElseThrow();
        assertThat(moved.attempts()).isEqualTo(1);
        assertThat(moved.earlier()).isEqualTo(1);
        assertThat(moved.failures()).isZero();
        assertThat(moved.refusedSince()).isZero();
        assertThat(call("a").doubts()).isEqualTo(1);
    }

    @Test
    void an_attempt_that_was_surely_charged_is_told_as_well() {
        drop("f.jsonl", "a");
        attempt(incomplete(Charged.YES));
        later(Duration.ofHours(1));
        ledger.fallBack(move(false), 1);
        assertThat(detail("a", EventKind.FALLBACK)).contains("paid twice");
    }

    /** Of three engines, the doubt is about the first; nothing wrong is said of the second. */
    @Test
    void a_doubt_is_not_laid_at_an_engine_that_charged_nothing() {
        drop("f.jsonl", "a");
        attempt(unknown());
        later(Duration.ofHours(1));
        ledger.fallBack(move(false), 1);
        ledger.fallBack(new Move("next", "third", List.of("default"), true, "Closed"), 1);
        assertThat(detail("a", EventKind.FALLBACK))
                .startsWith("from next to third: Closed.")
                .doesNotContain("attempt at next")
                .contains("paid twice");
    }

    @Test
    void what_an_engine_would_recognise_leaves_it_only_where_that_is_allowed() {
        policy = DEDUPLICATES;
        drop("f.jsonl", "unresolved", "fresh");
        attempt(unknown());
        later(Duration.ofHours(1));
        assertThat(call("unresolved").doubts()).isZero();

        assertThat(ledger.fallBack(move(false), 100)).isEqualTo(1);
        assertThat(texts("next")).containsExactly("fresh");

        assertThat(ledger.fallBack(move(true), 100)).isEqualTo(1);
        assertThat(texts("next")).containsExactly("unresolved");
        assertThat(call("unresolved").doubts())
                .as("another engine does not know the key")
                .isEqualTo(1);
        assertThat(number("SELECT unresolved FROM call WHERE key = ?", (Object) sha256("unresolved")))
                .isZero();
    }

    @Test
    void a_refused_account_moves_the_call_to_the_next_engine_at_once() {
        policy = WITH_NEXT;
        drop("f.jsonl", "a");
        Transition next = attempt(refused(Cause.ENGINE));
        assertThat(next.engine()).isEqualTo("next");
        assertThat(events("a")).endsWith(EventKind.REFUSED, EventKind.FALLBACK);
        assertThat(detail("a", EventKind.FALLBACK))
                .startsWith("from default to next: no.")
                .doesNotContain("twice");
        policy = RESEND;
        Call call = ledger.claim("next", 1).get(0);
        ledger.sent(call);
        ledger.settle(call, valid("y"), Steps.of(valid("y")), null);
        assertThat(call("a").attempts()).isEqualTo(1);
        assertThat(rows("SELECT engine FROM call", row -> row.getString(1))).containsExactly("next");
    }

    @Test
    void attempts_that_are_used_up_without_an_answer_go_on_and_say_that_it_may_be_paid_twice() {
        policy = WITH_NEXT;
        drop("f.jsonl", "a");
        for (int n = 0; n < 2; n++) {
            assertThat(attempt(unknown()).engine()).isEqualTo(ENGINE);
            later(Duration.ofHours(1));
        }
        assertThat(attempt(TIMEOUT).engine()).isEqualTo("next");
        assertThat(detail("a", EventKind.FALLBACK)).contains("may be paid twice");
        assertThat(call("a").doubts()).isEqualTo(3);
        assertThat(call("a").state()).isEqualTo(CallState.READY);
    }

    @Test
    void a_call_that_an_engine_which_is_gone_would_recognise_is_in_doubt_and_the_journal_says_so() {
        policy = DEDUPLICATES;
        ReceivedFile file = drop("f.jsonl", "unresolved", "fresh");
        attempt(unknown());
        assertThat(ledger.reassign(List.of("new"), Map.of("default", "new"))).isEqualTo(1);
        assertThat(call("unresolved").state()).isEqualTo(CallState.DOUBT);
        assertThat(call("unresolved").code()).isEqualTo("engine_gone");
        assertThat(call("unresolved").doubts()).isEqualTo(1);
        assertThat(events("unresolved")).endsWith(EventKind.IN_DOUBT);
        assertThat(detail("unresolved", EventKind.IN_DOUBT)).contains("engine_gone");
        assertThat(pending(file)).isEqualTo(2);
        assertThat(texts("new")).containsExactly("fresh");
        List<String> before = everything();
        assertThat(ledger.reassign(List.of("new"), Map.of("default", "new"))).isZero();
        assertThat(everything()).isEqualTo(before);
    }

    @Test
    void an_answer_that_comes_after_the_doubt_was_decided_is_taken_while_nobody_has_claimed_the_call_again() {
        ReceivedFile file = drop("f.jsonl", "a");
        Call call = send();
        ledger.settle(call, TIMEOUT, Steps.of(TIMEOUT), null);
        assertThat(call("a").state()).isEqualTo(CallState.READY);
        assertThat(call("a").doubts()).isEqualTo(1);

        Transition next = ledger.settle(call, valid("late"), Steps.of(valid("late")), REPLY);

        assertThat(next.state()).isEqualTo(CallState.DONE);
        assertThat(call("a").doubts()).isZero();
        assertThat(call("a").attempts()).isEqualTo(1);
        assertThat(pending(file)).isZero();
        later(Duration.ofHours(1));
        assertThat(ledger.claim(ENGINE, 9)).isEmpty();
        assertThat(outcomes(settled().get(0)).get(0).answer().text()).isEqualTo("late");
    }

    @Test
    void it_is_taken_too_when_the_call_already_went_on_to_another_engine() {
        policy = new Policy(1, true, false, RETRY, "next");
        drop("f.jsonl", "a");
        Call call = send();
        assertThat(ledger.settle(call, unknown(), Steps.of(unknown()), null).engine())
                .isEqualTo("next");
        assertThat(ledger.settle(call, valid("late"), Steps.of(valid("late")), REPLY)
                        .state())
                .isEqualTo(CallState.DONE);
        assertThat(call("a").doubts()).isZero();
        assertThat(ledger.claim("next", 9)).isEmpty();
        assertThat(rows("SELECT engine FROM call", row -> row.getString(1)))
                .as("who answered")
                .containsExactly(ENGINE);
    }

    @Test
    void it_is_only_kept_once_the_call_was_claimed_again() {
        drop("f.jsonl", "a");
        Call call = send();
        ledger.settle(call, TIMEOUT, Steps.of(TIMEOUT), null);
        later(Duration.ofHours(1));
        Call again = claim();
        Row before = call("a");

        assertThat(ledger.settle(call, valid("late"), Steps.of(valid("late")), REPLY))
                .isNull();

        assertThat(call("a")).isEqualTo(before);
        assertThat(number("SELECT count(*) FROM reply WHERE call = ? AND send = 1", call.id()))
                .isEqualTo(1);
        assertThat(number("SELECT count(*) FROM answer")).isZero();
        assertThat(ledger.sent(again)).isTrue();
    }

    @Test
    void a_stale_reply_of_a_call_that_is_done_leaves_it_done_in_the_journal_too() {
        drop("f.jsonl", "a");
        Call old = send();
        ledger.settle(old, TIMEOUT, Steps.of(TIMEOUT), null);
        later(Duration.ofHours(1));
        attempt(valid("now"));
        assertThat(ledger.settle(old, unusable(), Steps.of(unusable()), REPLY)).isNull();
        assertThat(events("a")).endsWith(EventKind.COMPLETE, EventKind.COMPLETE);
        assertThat(detail("a", EventKind.COMPLETE)).startsWith("stale");
        assertThat(number("SELECT count(*) FROM reply")).isEqualTo(1);
    }

    @Test
    void pauses_are_remembered_across_processes_as_they_were_told_last() {
        assertThat(ledger.pauses()).isEmpty();
        Map<String, Pause> pauses = new TreeMap<>(Map.of(
                "a",
                new Pause(Pause.State.OPEN, 1, Long.MAX_VALUE, "It's \"closed\". ü\n"),
                "b",
                new Pause(Pause.State.PROBING, 0, -1, ""),
                Pause.BUDGET,
                new Pause(Pause.State.SPENT, 3, 0, "Spent.")));
        ledger.pauses(pauses);
        ledger.pauses(pauses);
        assertThat(ledger.pauses()).isEqualTo(pauses);
        reopen();
        assertThat(ledger.pauses()).isEqualTo(pauses);
        pauses.remove("a");
        ledger.pauses(pauses);
        assertThat(ledger.pauses()).isEqualTo(pauses);
        ledger.pauses(Map.of());
        assertThat(ledger.pauses()).isEmpty();
    }

    @Test
    void what_was_or_may_have_been_charged_since_a_moment_is_summed() {
        assertThat(ledger.spent(0)).isEqualTo(new Spent(0, 0, new BigDecimal("0E-9"), new BigDecimal("0E-9")));
        drop("f.jsonl", "a", "b", "c", "d", "e");
        attempt(valid("before"));
        clock.pass(Duration.ofMinutes(1));
        long since = clock.millis();
        attempt(valid("b"));
        attempt(unknown());
        attempt(refused(Cause.REQUEST));
        attempt(UNSENT);
        Spent spent = ledger.spent(since);
        assertThat(spent.calls()).isEqualTo(2);
        assertThat(spent.unpriced()).isEqualTo(1);
        assertThat(spent.cost()).isEqualByComparingTo("0.25");
        assertThat(spent.dearest()).isEqualByComparingTo("0.25");
        assertThat(ledger.spent(0).calls()).isEqualTo(3);
        assertThat(ledger.spent(0).cost()).isEqualByComparingTo("0.5");
        assertThat(ledger.spent(clock.millis() + 1).calls()).isZero();
        reopen();
        assertThat(ledger.spent(since)).isEqualTo(spent);
    }

    @Test
    void what_a_process_left_in_flight_counts_as_spent_from_its_recovery_on() {
        drop("f.jsonl", "a");
        send();
        assertThat(ledger.spent(0).calls()).isZero();
        reopen();
        ledger.recover();
        assertThat(ledger.spent(0).calls()).isEqualTo(1);
        assertThat(ledger.spent(0).unpriced()).isEqualTo(1);
    }
}
