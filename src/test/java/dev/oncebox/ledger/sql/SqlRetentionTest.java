package dev.oncebox.ledger.sql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oncebox.ledger.Call;
import dev.oncebox.ledger.CallState;
import dev.oncebox.ledger.DroppedFile;
import dev.oncebox.ledger.Entry;
import dev.oncebox.ledger.EventKind;
import dev.oncebox.ledger.Figures;
import dev.oncebox.ledger.Output;
import dev.oncebox.ledger.ReceivedFile;
import dev.oncebox.ledger.Steps;
import dev.oncebox.ledger.Verdict.Refused.Cause;
import dev.oncebox.ledger.sql.SqlRetention.Dropped;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What a purge drops, and what it keeps. */
class SqlRetentionTest extends PurgedLedger {

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
                Output.unsealed("dead.errors.jsonl"));
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
