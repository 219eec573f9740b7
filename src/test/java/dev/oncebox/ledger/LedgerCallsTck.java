package dev.oncebox.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oncebox.job.Keying;
import dev.oncebox.ledger.Verdict.Refused.Cause;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Claiming, sending and settling. */
public abstract class LedgerCallsTck extends LedgerTck {

    private static final Reply REPLY = new Reply(200, "raw".repeat(3000).getBytes(StandardCharsets.UTF_8));

    @Test
    void calls_are_claimed_in_the_order_they_are_due_and_not_before() {
        drop("f.jsonl", "a");
        attempt(new Verdict.Refused("busy", "Busy.", Cause.BUSY, Duration.ofMinutes(5)));
        clock.pass(Duration.ofMinutes(1));
        drop("g.jsonl", "b", "c");
        clock.pass(Duration.ofMinutes(1));
        drop("h.jsonl", "d");

        assertThat(texts(ledger.claim(ENGINE, 2))).containsExactly("b", "c");
        assertThat(texts(ledger.claim(ENGINE, 9))).containsExactly("d");
        assertThat(ledger.claim(ENGINE, 9)).isEmpty();
        clock.pass(Duration.ofMinutes(4));
        assertThat(texts(ledger.claim(ENGINE, 9))).containsExactly("a");
    }

    @Test
    void only_calls_of_the_named_engine_are_claimed() {
        drop("f.jsonl", "a");
        var elsewhere = new DroppedFile("g.jsonl", job("j", "other"), DroppedFile.Kind.LINES, sha256("2"));
        ledger.record(ledger.receive(elsewhere), entries("b"));

        assertThat(ledger.claim("nobody", 9)).isEmpty();
        assertThat(ledger.claim("other", 9)).singleElement().satisfies(call -> {
            assertThat(call.request().text()).isEqualTo("b");
            assertThat(call.engine()).isEqualTo("other");
            assertThat(call.job()).isEqualTo("j");
        });
        assertThat(texts(ledger.claim(ENGINE, 9))).containsExactly("a");
    }

    @Test
    void whoever_asks_first_for_a_call_is_named_and_how_many_others_do() {
        ReceivedFile file = receive("f.jsonl", "content");
        ledger.record(file, List.of(asking(1, "b"), asking(2, "\"x\"", "a", "a", Keying.WHITESPACE), asking(3, "a")));
        ledger.taken(file);
        drop("g.jsonl", "a");

        assertThat(ledger.claim(ENGINE, 9))
                .extracting(call -> ledger.asker(call.id()).orElseThrow())
                .containsExactly(new Asker("f.jsonl", 1, null, 0), new Asker("f.jsonl", 2, "\"x\"", 2));
        assertThat(ledger.asker(4711)).isEmpty();
    }

    @Test
    void every_claim_raises_the_fence() {
        drop("f.jsonl", "a");
        for (int n = 1; n <= 3; n++) {
            assertThat(claim().fence()).isEqualTo(n);
            reopen();
            ledger.recover();
        }
        assertThat(call("a").sends()).isZero();
        assertThat(call("a").attempts()).isZero();
    }

    @Test
    void two_claimers_at_once_never_get_the_same_call() throws Exception {
        int calls = 300;
        drop("f.jsonl", IntStream.range(0, calls).mapToObj(n -> "text " + n).toArray(String[]::new));
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            Callable<List<Call>> claimer = () -> {
                List<Call> mine = new ArrayList<>();
                for (List<Call> more = ledger.claim(ENGINE, 7); !more.isEmpty(); more = ledger.claim(ENGINE, 7)) {
                    mine.addAll(more);
                }
                return mine;
            };
            List<Call> all = new ArrayList<>();
            for (Future<List<Call>> each : threads.invokeAll(List.of(claimer, claimer, claimer, claimer))) {
                all.addAll(each.get());
            }
            assertThat(all).hasSize(calls);
            assertThat(all).extracting(Call::id).doesNotHaveDuplicates();
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void a_claim_is_sent_once_even_when_threads_race_for_it() throws Exception {
        drop("f.jsonl", "a");
        Call call = claim();
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            Callable<Boolean> sender = () -> ledger.sent(call);
            int sends = 0;
            for (Future<Boolean> each : threads.invokeAll(List.of(sender, sender, sender, sender))) {
                sends += each.get() ? 1 : 0;
            }
            assertThat(sends).isEqualTo(1);
        } finally {
            threads.shutdownNow();
        }
        assertThat(call("a").sends()).isEqualTo(1);
        assertThat(events("a")).containsExactly(EventKind.ATTEMPT, EventKind.SENT);
        assertThat(ledger.isOpen(call)).isTrue();
    }

    @Test
    void only_the_current_claim_may_send() {
        drop("f.jsonl", "a");
        Call old = claim();
        reopen();
        assertThat(ledger.sent(old)).as("another process's claim").isFalse();
        ledger.recover();
        assertThat(ledger.sent(old)).as("a claim that was taken back").isFalse();
        Call current = claim();
        assertThat(ledger.sent(old)).as("an older fence").isFalse();
        assertThat(ledger.sent(current)).isTrue();
        ledger.settle(current, UNSENT, Steps.of(UNSENT), null);
        assertThat(ledger.sent(current)).as("a settled claim").isFalse();
        assertThat(call("a").sends()).isEqualTo(1);
    }

    @Test
    void every_verdict_leads_to_its_state() {
        settles(valid("yes"), CallState.DONE, 1, 0, EventKind.COMPLETE);
        settles(unusable(), CallState.DEAD, 1, 0, EventKind.INCOMPLETE, EventKind.DEAD_LETTER);
        settles(incomplete(Charged.YES), CallState.READY, 1, 0, EventKind.INCOMPLETE);
        settles(incomplete(Charged.UNKNOWN), CallState.READY, 1, 1, EventKind.INCOMPLETE);
        settles(UNSENT, CallState.READY, 0, 0, EventKind.REFUSED);
        settles(refused(Cause.BUSY), CallState.READY, 0, 0, EventKind.REFUSED);
        settles(refused(Cause.ENGINE), CallState.READY, 0, 0, EventKind.REFUSED);
        settles(refused(Cause.REQUEST), CallState.DEAD, 0, 0, EventKind.REFUSED, EventKind.DEAD_LETTER);
        settles(unknown(), CallState.READY, 1, 1, EventKind.IN_DOUBT);
        settles(TIMEOUT, CallState.READY, 1, 1, EventKind.TIMEOUT);
        policy = HOLD;
        settles(unknown(), CallState.DOUBT, 1, 1, EventKind.IN_DOUBT);
        policy = new Policy(3, false, true, RETRY, null);
        settles(unknown(), CallState.READY, 1, 0, EventKind.IN_DOUBT);
    }

    private void settles(Verdict verdict, CallState state, int attempts, int doubts, EventKind... events) {
        clock.pass(Duration.ofDays(1));
        for (Call left : ledger.claim(ENGINE, 100)) {
            ledger.sent(left);
            ledger.settle(left, unusable(), Steps.of(unusable()), null);
        }
        String text = verdict + " " + policy + clock.instant();
        drop(text, text);
        Call call = send();
        Transition next = ledger.settle(call, verdict, Steps.of(verdict), REPLY);

        Row row = call(text);
        assertThat(row.state()).as(text).isEqualTo(state).isEqualTo(next.state());
        assertThat(row.attempts()).as(text).isEqualTo(attempts);
        assertThat(row.doubts()).as(text).isEqualTo(doubts);
        assertThat(row.sends()).isEqualTo(1);
        assertThat(row.due()).isEqualTo(next.due());
        List<EventKind> expected = new ArrayList<>(List.of(EventKind.ATTEMPT, EventKind.SENT));
        expected.addAll(List.of(events));
        assertThat(events(text)).isEqualTo(expected);
        assertThat(number("SELECT count(*) FROM reply WHERE call = ? AND send = 1 AND status = 200", call.id()))
                .isEqualTo(1);
        assertThat(number("SELECT count(*) FROM answer WHERE call = ?", call.id()))
                .isEqualTo(state == CallState.DONE ? 1 : 0);
        assertThat(ledger.isOpen(call)).isFalse();
    }

    @Test
    void a_stale_outcome_changes_nothing_but_its_bytes_are_kept() {
        ReceivedFile file = drop("f.jsonl", "a");
        Call old = send();
        reopen();
        ledger.recover();
        clock.pass(Duration.ofHours(1));
        Call current = send();
        Row before = call("a");

        assertThat(ledger.settle(old, valid("late"), Steps.of(valid("late")), REPLY))
                .isNull();

        assertThat(call("a")).isEqualTo(before);
        assertThat(pending(file)).isEqualTo(1);
        assertThat(number("SELECT count(*) FROM answer")).isZero();
        assertThat(number("SELECT count(*) FROM reply WHERE send = 1")).isEqualTo(1);
        assertThat(ledger.isOpen(current)).isTrue();

        ledger.settle(current, valid("now"), Steps.of(valid("now")), null);
        assertThat(ledger.settle(current, valid("again"), Steps.of(valid("again")), REPLY))
                .as("settled already")
                .isNull();
        assertThat(ledger.settle(old, unusable(), Steps.of(unusable()), null)).isNull();
        assertThat(call("a").state()).isEqualTo(CallState.DONE);
        assertThat(pending(file)).isZero();
        assertThat(outcomes(settled().get(0)).get(0).answer().text()).isEqualTo("now");
    }

    @Test
    void the_work_that_is_left_is_told() {
        drop("f.jsonl", "a", "b", "c");
        attempt(new Verdict.Refused("busy", "Busy.", Cause.BUSY, Duration.ofHours(1)));
        attempt(unusable());
        Ledger.Work work = ledger.work(Duration.ofMinutes(10), new Ledger.Reach(List.of(ENGINE)));
        assertThat(work.unfinished()).isEqualTo(1);
        assertThat(work.parked()).isEqualTo(1);
        assertThat(work.dead()).isEqualTo(1);
        assertThat(work.undelivered()).isZero();
        assertThat(ledger.work(Duration.ofHours(2), new Ledger.Reach(List.of(ENGINE)))
                        .parked())
                .isZero();
        assertThat(ledger.work(Duration.ofHours(2), new Ledger.Reach(List.of("other")))
                        .parked())
                .isEqualTo(2);
        assertThat(ledger.isBusy(Duration.ZERO, new Ledger.Reach(List.of(ENGINE))))
                .isTrue();
        assertThat(ledger.isBusy(Duration.ofHours(2), new Ledger.Reach(List.of("other"))))
                .isFalse();
        ledger.settle(send(), unusable(), Steps.of(unusable()), null);
        assertThat(ledger.isBusy(Duration.ofMinutes(10), new Ledger.Reach(List.of(ENGINE))))
                .isFalse();
        assertThat(ledger.isBusy(Duration.ofHours(2), new Ledger.Reach(List.of(ENGINE))))
                .isTrue();
    }

    private static List<String> texts(List<Call> calls) {
        return calls.stream().map(call -> call.request().text()).toList();
    }

    /** The ledger was asked for calls in flight and then for waiting ones; an ask ended while its call was claimed. */
    @Test
    void a_call_that_moves_on_is_always_something_to_do() throws Exception {
        drop("f.jsonl", "a");
        var reach = new Ledger.Reach(List.of(ENGINE));
        // much more than passes below while the watcher stands still between its clock and its question
        Duration horizon = Duration.ofDays(30);
        var ended = new AtomicBoolean();
        var watcher = CompletableFuture.supplyAsync(() -> {
            boolean busy = true;
            while (busy && !ended.get()) {
                busy = ledger.isBusy(horizon, reach)
                        && ledger.work(horizon, reach).unfinished() == 1;
            }
            return busy;
        });
        for (int i = 0; i < 100 && !watcher.isDone(); i++) {
            attempt(refused(Cause.BUSY));
            clock.pass(Duration.ofMinutes(10));
        }
        ended.set(true);
        assertThat(watcher.get(30, TimeUnit.SECONDS)).isTrue();
    }
}
