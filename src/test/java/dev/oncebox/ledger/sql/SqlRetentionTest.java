package dev.oncebox.ledger.sql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oncebox.ledger.Call;
import dev.oncebox.ledger.CallState;
import dev.oncebox.ledger.DroppedFile;
import dev.oncebox.ledger.Entry;
import dev.oncebox.ledger.EventKind;
import dev.oncebox.ledger.Figures;
import dev.oncebox.ledger.Ledger.UnarchivedFile;
import dev.oncebox.ledger.LedgerStorage;
import dev.oncebox.ledger.LedgerTck;
import dev.oncebox.ledger.ReceivedFile;
import dev.oncebox.ledger.Reply;
import dev.oncebox.ledger.Steps;
import dev.oncebox.ledger.Verdict.Refused.Cause;
import dev.oncebox.ledger.sql.SqlRetention.Dropped;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What a purge drops, what it keeps, and what becomes of who asks for a purged answer again. */
class SqlRetentionTest extends LedgerTck {

    private static final Duration MONTH = Duration.ofDays(30);

    @Override
    protected LedgerStorage storage(Path folder) {
        return SqliteStorage.in(folder);
    }

    private Path file() {
        return ((SqliteStorage) storage).file();
    }

    private SqlRetention retention() {
        return SqlRetention.open(file(), false, clock);
    }

    private Dropped purge() {
        try (SqlRetention retention = retention()) {
            Dropped dropped = Dropped.NOTHING;
            long before = clock.millis() - MONTH.toMillis();
            for (Dropped some = retention.drop(before); some != null; some = retention.drop(before)) {
                dropped = dropped.plus(some);
            }
            return dropped;
        }
    }

    private Dropped count() {
        try (SqlRetention retention = SqlRetention.open(file(), true, clock)) {
            return retention.count(clock.millis() - MONTH.toMillis());
        }
    }

    private void monthsPass() {
        clock.pass(MONTH.plusDays(1));
    }

    private long bodies(String key) {
        return number(
                "SELECT (SELECT count(*) FROM request WHERE call = c.id) + (SELECT count(*) FROM answer WHERE call = c.id)"
                        + " + (SELECT count(*) FROM reply WHERE call = c.id) FROM call c WHERE key = ?",
                (Object) sha256(key));
    }

    private Figures figures() {
        try (SqlReports reports = SqlReports.open(file())) {
            return reports.figures(clock.millis());
        }
    }

    private boolean retry(String key) {
        try (SqlDecisions decisions = SqlDecisions.open(file(), clock)) {
            return decisions.list(CallState.DEAD).stream()
                    .filter(call -> call.key().equals(HexFormat.of().formatHex(sha256(key))))
                    .anyMatch(call -> decisions.retry(call, ENGINE));
        }
    }

    private void answered(String path, String... texts) {
        drop(path, texts);
        for (var call : ledger.claim(ENGINE, 1000)) {
            assertThat(ledger.sent(call)).isTrue();
            var answer = valid("answer to " + call.request().text());
            ledger.settle(call, answer, Steps.of(answer), new Reply(200, "raw".getBytes(StandardCharsets.UTF_8)));
        }
        deliverAll();
    }

    @Test
    void bodies_go_and_everything_that_is_counted_stays() {
        answered("a.jsonl", "one", "two", "one");
        monthsPass();
        answered("b.jsonl", "three");
        Figures before = figures();
        List<EventKind> events = events("one");
        Dropped foreseen = count();

        assertThat(purge()).isEqualTo(foreseen);

        assertThat(foreseen.calls()).isEqualTo(2);
        assertThat(foreseen.bytes()).isPositive();
        assertThat(bodies("one")).isZero();
        assertThat(bodies("two")).isZero();
        assertThat(bodies("three")).isEqualTo(3);
        assertThat(figures()).isEqualTo(before);
        assertThat(events("one")).isEqualTo(events);
        assertThat(call("one").state()).isEqualTo(CallState.DONE);
        assertThat(purge()).isEqualTo(Dropped.NOTHING);
        assertThat(ledger.spent(0).calls()).isEqualTo(3);
    }

    @Test
    void what_has_no_end_or_is_not_delivered_or_only_lately_is_left_alone() {
        policy = HOLD;
        drop("ready.jsonl", "ready");
        drop("doubt.jsonl", "doubt");
        drop("sent.jsonl", "sent");
        drop("undelivered.jsonl", "undelivered");
        List<Call> calls = ledger.claim(ENGINE, 10);
        assertThat(ledger.sent(calls.get(1))).isTrue();
        ledger.settle(calls.get(1), unknown(), Steps.of(unknown()), null);
        assertThat(ledger.sent(calls.get(2))).isTrue();
        assertThat(ledger.sent(calls.get(3))).isTrue();
        ledger.settle(calls.get(3), valid("x"), Steps.of(valid("x")), null);
        drop("dead.jsonl", "dead");
        attempt(refused(Cause.REQUEST));
        ledger.delivered(
                settled().stream()
                        .filter(file -> file.path().equals("dead.jsonl"))
                        .findFirst()
                        .orElseThrow(),
                "dead.errors.jsonl");
        clock.pass(MONTH.minusHours(1));
        List<String> before = everything();

        assertThat(purge()).isEqualTo(Dropped.NOTHING);
        assertThat(everything()).isEqualTo(before);

        clock.pass(Duration.ofHours(2));
        assertThat(purge().calls()).as("the dead letter").isEqualTo(1);
        assertThat(bodies("dead")).isZero();
        assertThat(bodies("undelivered")).isEqualTo(2);
        assertThat(bodies("sent") + bodies("doubt") + bodies("ready")).isEqualTo(3);
    }

    @Test
    void a_call_that_a_younger_file_asks_for_as_well_is_left_alone() {
        answered("a.jsonl", "one");
        monthsPass();
        answered("b.jsonl", "one");

        assertThat(purge()).isEqualTo(Dropped.NOTHING);

        monthsPass();
        assertThat(purge().calls()).isEqualTo(1);
    }

    @Test
    void a_purged_prompt_in_another_file_fails_and_is_sent_again_only_when_a_person_says_so() {
        answered("a.jsonl", "one");
        monthsPass();
        purge();

        drop("b.jsonl", "one", "new");

        assertThat(ledger.claim(ENGINE, 10))
                .extracting(call -> call.request().text())
                .containsExactly("new");
        reopen();
        ledger.recover();
        answerAll();
        var outcomes = outcomes(settled().get(0));
        assertThat(outcomes.get(0).code()).isEqualTo("answer_purged");
        assertThat(outcomes.get(0).message())
                .contains(
                        "paid for",
                        "purged on",
                        "oncebox dead retry " + outcomes.get(0).call().key());
        assertThat(outcomes.get(0).answer()).isNull();
        assertThat(outcomes.get(1).answer()).isNotNull();
        assertThat(events("one")).endsWith(EventKind.COMPLETE, EventKind.DEAD_LETTER);
        deliverAll();

        assertThat(retry("one")).isTrue();
        var call = send();
        assertThat(call.request().text()).isEqualTo("one");
        ledger.settle(call, valid("once more"), Steps.of(valid("once more")), null);
        assertThat(settled())
                .extracting(file -> file.path())
                .as("not the one that brought the answer")
                .containsExactly("b.jsonl");
        assertThat(outcomes(settled().get(0)).get(0).answer().text()).isEqualTo("once more");
        assertThat(figures().cost()).isEqualByComparingTo("0.75");
        assertThat(call("one").sends()).isEqualTo(2);
    }

    @Test
    void a_purged_prompt_that_one_file_has_twice_fails_twice_and_is_not_sent() {
        answered("a.jsonl", "one");
        monthsPass();
        purge();

        drop("again.jsonl", "one", "one", "new");

        assertThat(call("one").state()).isEqualTo(CallState.DEAD);
        assertThat(ledger.claim(ENGINE, 10))
                .extracting(call -> call.request().text())
                .containsExactly("new");
        assertThat(number("SELECT pending FROM file WHERE path = 'again.jsonl'"))
                .isEqualTo(1);
        assertThat(events("one").stream().filter(EventKind.DEAD_LETTER::equals)).hasSize(1);
    }

    @Test
    void the_purged_file_itself_is_read_anew_and_fails_without_a_send() {
        answered("a.jsonl", "one", "two");
        monthsPass();
        purge();

        ReceivedFile again = receive("a.jsonl", "one\ntwo");
        assertThat(again.known()).isFalse();
        ledger.record(again, entries("one", "two"));
        reopen();
        again = receive("a.jsonl", "one\ntwo");
        assertThat(again.known()).isFalse();
        ledger.record(again, entries("one", "two"));
        assertThat(ledger.taken(again)).isEqualTo(2);
        ledger.archived(again);

        assertThat(ledger.claim(ENGINE, 10)).isEmpty();
        assertThat(outcomes(settled().get(0))).extracting(o -> o.code()).containsOnly("answer_purged");
        assertThat(figures().items()).isEqualTo(2);
        assertThat(figures().pending()).isZero();
        deliverAll();
        assertThat(receive("a.jsonl", "one\ntwo").known()).as("whole again").isTrue();
    }

    @Test
    void a_purged_file_that_leaves_while_it_is_read_anew_stands_as_it_stood() {
        answered("a.jsonl", "one");
        monthsPass();
        purge();
        Figures before = figures();
        receive("a.jsonl", "one");
        UnarchivedFile left = ledger.unarchived().get(0);
        assertThat(left.taking()).isTrue();

        ledger.abandoned(left);

        assertThat(settled()).isEmpty();
        assertThat(figures()).isEqualTo(before);

        ledger.discard(receive("a.jsonl", "one"));
        assertThat(settled()).isEmpty();
        assertThat(figures()).isEqualTo(before);
    }

    @Test
    void a_purged_dead_letter_that_cost_nothing_is_sent_when_its_file_is_dropped_again_and_not_before() {
        drop("a.jsonl", "one");
        attempt(refused(Cause.REQUEST));
        deliverAll();
        monthsPass();
        purge();
        assertThat(retry("one")).as("its request is gone").isFalse();
        assertThat(call("one").state()).isEqualTo(CallState.DEAD);

        drop("a.jsonl", "one");

        assertThat(call("one").state()).isEqualTo(CallState.READY);
        attempt(valid("at last"));
        assertThat(outcomes(settled().get(0)).get(0).answer().text()).isEqualTo("at last");
    }

    @Test
    void a_purged_dead_letter_that_was_charged_waits_for_a_person_who_can_retry_it_once_it_was_dropped_again() {
        drop("a.jsonl", "one");
        attempt(unusable());
        deliverAll();
        monthsPass();
        purge();

        drop("b.jsonl", "one");

        assertThat(ledger.claim(ENGINE, 10)).isEmpty();
        assertThat(outcomes(settled().get(0)).get(0).code()).isEqualTo("empty_answer");
        deliverAll();
        assertThat(retry("one")).isTrue();
        assertThat(send().request().text()).isEqualTo("one");
    }

    @Test
    void a_table_loses_its_rows_and_gets_them_back_when_it_is_dropped_again() {
        ReceivedFile table = table();
        attempt(valid("yes"));
        deliverAll();
        monthsPass();
        drop("b.jsonl", "row");
        deliverAll();

        Dropped dropped = purge();

        assertThat(dropped.rows()).isEqualTo(2);
        assertThat(dropped.calls()).as("b.jsonl has it still").isZero();
        assertThat(retry("row")).isFalse();
        table();
        assertThat(number("SELECT count(*) FROM source WHERE file = ?", table.id()))
                .isEqualTo(2);
        var again = settled().get(0);
        assertThat(again.head()).isEqualTo("{\"head\":1}");
        assertThat(outcomes(again).get(0).row()).isEqualTo("row,1\n");
        assertThat(outcomes(again).get(0).answer().text()).isEqualTo("yes");
    }

    private ReceivedFile table() {
        ReceivedFile file = ledger.receive(
                new DroppedFile("t.csv", job("default", ENGINE), DroppedFile.Kind.TABLE, sha256("t"), "{\"head\":1}"));
        if (!file.known()) {
            Entry.Asking asking = (Entry.Asking) asking(1, "row");
            ledger.record(
                    file,
                    List.of(new Entry.Asking(
                            1,
                            1,
                            0,
                            null,
                            asking.key(),
                            asking.content(),
                            asking.keying(),
                            asking.request(),
                            "row,1\n")));
            ledger.taken(file);
        }
        ledger.archived(file);
        return file;
    }

    @Test
    void a_purge_that_ends_anywhere_goes_on_where_it_ended() {
        String[] texts = new String[4];
        for (int i = 0; i < texts.length; i++) {
            texts[i] = incompressible(i, 4 << 20);
        }
        answered("a.jsonl", texts);
        monthsPass();
        try (SqlRetention retention = retention()) {
            Dropped first = retention.drop(clock.millis() - MONTH.toMillis());
            assertThat(first.calls()).as("no more than a few MB at once").isBetween(1L, 3L);
            assertThat(number("SELECT count(*) FROM request")).isEqualTo(4 - first.calls());
        }
        drop("b.jsonl", texts[0], texts[3]);
        assertThat(outcomes(settled().get(0)).get(0).code()).isEqualTo("answer_purged");
        assertThat(outcomes(settled().get(0)).get(1).answer().text()).isEqualTo("answer to " + texts[3]);

        purge();

        assertThat(number("SELECT count(*) FROM request"))
                .as("asked for by b.jsonl")
                .isEqualTo(2);
        assertThat(number("SELECT count(*) FROM answer")).isEqualTo(1);
    }

    private static String incompressible(long seed, int length) {
        byte[] bytes = new byte[length * 3 / 4];
        new Random(seed).nextBytes(bytes);
        return Base64.getEncoder().encodeToString(bytes);
    }
}
