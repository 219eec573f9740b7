package dev.oncebox.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oncebox.ledger.Verdict.Refused.Cause;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A seeded random walk over everything a ledger can be told, with crashes in between; the promise holds at each step. */
public abstract class LedgerWalkTck extends LedgerTck {

    private static final int KEYS = 7;
    private static final int PATHS = 4;

    private record Reading(ReceivedFile file, List<Entry> entries, int done) {}

    private final List<Call> claimed = new ArrayList<>();
    private final List<Call> sent = new ArrayList<>();
    private final List<Reading> readings = new ArrayList<>();
    private final Set<Long> answered = new HashSet<>();
    private final Map<Long, Integer> sends = new HashMap<>();
    private Random dice;
    private Connection eyes;

    private final JournalCheck journal = new JournalCheck();

    @ParameterizedTest
    @CsvSource({"1, resend, 1000", "2, hold, 1000", "3, deduplicates, 1000"})
    void the_journal_is_complete_and_nothing_is_sent_without_it(long seed, String kind, int steps) throws Exception {
        dice = new Random(seed);
        policy = switch (kind) {
            case "resend" -> RESEND;
            case "hold" -> HOLD;
            default -> new Policy(2, false, true, RETRY, null);
        };
        eyes = storage.look();
        try {
            for (int step = 0; step < steps; step++) {
                String did = step();
                check("seed " + seed + " step " + step + " " + did);
            }
        } finally {
            eyes.close();
        }
        assertThat(sends.values().stream().mapToInt(n -> n).sum())
                .as("the walk got somewhere")
                .isGreaterThan(steps / 20);
        assertThat(answered).hasSizeGreaterThan(3);
    }

    private String step() {
        switch (dice.nextInt(22)) {
            case 0, 1, 2:
                receive();
                return "receive";
            case 3, 4, 5:
                read();
                return "read";
            case 6:
                discard();
                return "discard";
            case 7, 8, 9:
                claimed.addAll(ledger.claim(ENGINE, 1 + dice.nextInt(3)));
                return "claim";
            case 10, 11, 12:
                sendOne();
                return "send";
            case 13, 14, 15, 16:
                return "settle " + settleOne();
            case 17:
                clock.pass(Duration.ofSeconds(dice.nextInt(2000)));
                return "later";
            case 18, 19:
                deliver();
                return "deliver";
            case 20:
                return dice.nextInt(4) == 0 ? crash() : "nothing";
            default:
                archive();
                return "archive";
        }
    }

    /** Every so often the texts are new ones, else the walk would soon know every answer. */
    private void receive() {
        String generation = "g" + clock.millis() / 2_000_000;
        int content = dice.nextInt(3);
        var shape = new Random(content + 31L * generation.hashCode());
        List<Entry> entries = new ArrayList<>();
        int size = 1 + shape.nextInt(6);
        for (int n = 1; n <= size; n++) {
            entries.add(shape.nextInt(8) == 0 ? invalid(n, null) : asking(n, generation + " k" + shape.nextInt(KEYS)));
        }
        ReceivedFile file = receive("p" + dice.nextInt(PATHS), generation + content);
        readings.removeIf(reading -> reading.file().id() == file.id());
        if (!file.known()) {
            readings.add(new Reading(file, entries, 0));
        }
    }

    private void read() {
        if (readings.isEmpty()) {
            return;
        }
        int which = dice.nextInt(readings.size());
        Reading reading = readings.get(which);
        int to = Math.min(reading.entries().size(), reading.done() + 1 + dice.nextInt(4));
        ledger.record(reading.file(), reading.entries().subList(Math.max(0, reading.done() - dice.nextInt(2)), to));
        readings.set(which, new Reading(reading.file(), reading.entries(), to));
        if (to == reading.entries().size()) {
            assertThat(ledger.taken(reading.file())).isEqualTo(to);
            readings.remove(which);
            if (dice.nextBoolean()) {
                ledger.archived(reading.file());
            }
        }
    }

    private void discard() {
        if (!readings.isEmpty() && dice.nextBoolean()) {
            ledger.discard(readings.remove(dice.nextInt(readings.size())).file());
        }
    }

    private void archive() {
        for (Ledger.UnarchivedFile file : ledger.unarchived()) {
            if (dice.nextInt(3) == 0) {
                readings.removeIf(reading -> reading.file().id() == file.id());
                ledger.abandoned(file);
            }
        }
    }

    /** The world: what {@code sent} allowed is counted, as an endpoint would. Old claims try as well. */
    private void sendOne() {
        if (claimed.isEmpty()) {
            return;
        }
        Call call = claimed.get(recent(claimed.size()));
        if (dice.nextInt(15) == 0) {
            ledger.settle(call, UNSENT, Steps.of(UNSENT), null);
        } else if (dice.nextInt(15) == 0) {
            ledger.releaseClaims();
        }
        if (ledger.sent(call)) {
            assertThat(answered).as("an answered call is never sent").doesNotContain(call.id());
            sends.merge(call.id(), 1, Integer::sum);
            sent.add(call);
        }
        if (dice.nextInt(3) > 0) {
            claimed.remove(call);
        }
    }

    private String settleOne() {
        if (sent.isEmpty()) {
            return "nothing";
        }
        Call call = sent.get(recent(sent.size()));
        Verdict verdict = verdict();
        Transition next = ledger.settle(
                call, verdict, Steps.of(verdict), dice.nextBoolean() ? new Reply(200, new byte[] {1}) : null);
        if (next != null && next.state() == CallState.DONE) {
            answered.add(call.id());
        }
        return verdict + " -> " + (next == null ? "stale" : next.state());
    }

    private int recent(int size) {
        return dice.nextInt(4) == 0 ? dice.nextInt(size) : size - 1 - dice.nextInt(Math.min(3, size));
    }

    private Verdict verdict() {
        return switch (dice.nextInt(10)) {
            case 0, 1, 2 -> valid("answer");
            case 3 -> incomplete(dice.nextBoolean() ? Charged.YES : Charged.UNKNOWN);
            case 4 -> unusable();
            case 5 -> UNSENT;
            case 6 -> refused(Cause.BUSY);
            case 7 -> refused(Cause.REQUEST);
            case 8 -> TIMEOUT;
            default -> unknown();
        };
    }

    private void deliver() {
        for (SettledFile file : ledger.settled(2)) {
            List<Outcome> outcomes = outcomes(file);
            assertThat(outcomes)
                    .allSatisfy(outcome -> assertThat(outcome.answer() == null).isEqualTo(outcome.code() != null));
            ledger.delivered(file, Output.unsealed(file.path()));
        }
    }

    private String crash() {
        reopen();
        ledger.recover();
        if (dice.nextBoolean()) {
            assertThat(ledger.recover()).isZero();
        }
        assertThat(count("SELECT count(*) FROM call WHERE state IN ('CLAIMED', 'SENT')"))
                .isZero();
        readings.removeIf(reading -> dice.nextBoolean());
        return "crash";
    }

    private void check(String when) throws Exception {
        journal.read(eyes, when);
        none(
                when + ": pending is what it should be",
                "SELECT f.id FROM file f WHERE f.pending <> CASE f.state WHEN 'DELIVERED' THEN 0 ELSE (SELECT count(*)"
                        + " FROM item i JOIN call c ON c.id = i.call WHERE i.file = f.id"
                        + " AND c.state NOT IN ('DONE', 'DEAD')) END");
        none(
                when + ": files count their items",
                "SELECT f.id FROM file f WHERE f.items <> (SELECT count(*) FROM item i WHERE i.file = f.id)"
                        + " OR f.invalid <> (SELECT count(*) FROM item i WHERE i.file = f.id AND i.call IS NULL)");
        none(
                when + ": done means answered",
                "SELECT c.id FROM call c LEFT JOIN answer a ON a.call = c.id WHERE (c.state = 'DONE') <>"
                        + " (a.call IS NOT NULL)");
        none(
                when + ": counters stay in bounds",
                "SELECT id FROM call WHERE attempts > " + policy.attempts()
                        + " OR attempts < 0 OR doubts < 0 OR doubts > attempts OR attempts > sends OR sends > fence");
        none(
                when + ": one item caused each call",
                "SELECT call FROM item WHERE call IS NOT NULL GROUP BY call HAVING sum(CASE WHEN fresh = 1 THEN 1 ELSE 0 END)"
                        + " <> 1");
        none(
                when + ": ended calls say why and when",
                "SELECT id FROM call WHERE (state IN ('DONE', 'DEAD')) <> (ended > 0)"
                        + " OR (state = 'DEAD' AND code IS NULL) OR (state = 'DONE' AND code IS NOT NULL)");
        Map<Long, Integer> counted = counted("SELECT id, sends FROM call WHERE sends > 0");
        assertThat(counted).as(when + ": sends").isEqualTo(sends);
        assertThat(journal.sends).as(when + ": SENT events").isEqualTo(sends);
        assertThat(count("SELECT count(*) FROM event WHERE kind = 'SENT'"))
                .as(when)
                .isEqualTo(count("SELECT coalesce(sum(sends), 0) FROM call"));
    }

    private void none(String rule, String sql) throws Exception {
        assertThat(rows(eyes, sql, row -> row.getLong(1))).as(rule).isEmpty();
    }

    private long count(String sql) {
        try {
            return rows(eyes, sql, row -> row.getLong(1)).get(0);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private Map<Long, Integer> counted(String sql) throws Exception {
        Map<Long, Integer> counted = new HashMap<>();
        rows(eyes, sql, row -> counted.put(row.getLong(1), row.getInt(2)));
        return counted;
    }

    /** Reads new events and holds the rules about their order. */
    private static final class JournalCheck {
        private record Event(long seq, long call, long fence, EventKind kind, boolean stale) {}

        private final Map<Long, Integer> sends = new HashMap<>();
        private final Set<List<Long>> fences = new HashSet<>();
        private final Map<Long, EventKind> last = new HashMap<>();
        private final Map<Long, Boolean> open = new HashMap<>();
        private long seen;

        void read(Connection eyes, String when) throws Exception {
            List<Event> events = rows(
                    eyes,
                    "SELECT seq, call, fence, kind, coalesce(detail, '') FROM event WHERE seq > ? AND call IS NOT NULL"
                            + " ORDER BY seq",
                    row -> new Event(
                            row.getLong(1),
                            row.getLong(2),
                            row.getLong(3),
                            EventKind.valueOf(row.getString(4)),
                            row.getString(5).startsWith("stale")),
                    seen);
            for (Event event : events) {
                seen = event.seq();
                if (!event.stale()) {
                    take(event, when);
                }
            }
            List<String> wrong = new ArrayList<>();
            rows(eyes, "SELECT id, state FROM call", row -> {
                EventKind kind = last.get(row.getLong(1));
                return fits(CallState.valueOf(row.getString(2)), kind)
                        || wrong.add("call " + row.getLong(1) + " is " + row.getString(2) + " after " + kind);
            });
            assertThat(wrong).as(when).isEmpty();
        }

        private static boolean fits(CallState state, EventKind last) {
            return switch (state) {
                case READY, POLLING -> last != EventKind.SENT;
                case CLAIMED -> last == EventKind.ATTEMPT;
                case SENT -> last == EventKind.SENT;
                case DONE -> last == EventKind.COMPLETE;
                case DOUBT -> last == EventKind.IN_DOUBT || last == EventKind.TIMEOUT;
                case DEAD -> last == EventKind.DEAD_LETTER;
            };
        }

        private void take(Event event, String when) {
            long call = event.call();
            if (event.kind() == EventKind.SENT) {
                assertThat(fences.add(List.of(call, event.fence())))
                        .as(when + ": sent twice by one claim")
                        .isTrue();
                sends.merge(call, 1, Integer::sum);
            }
            if (event.kind() == EventKind.ATTEMPT || event.kind() == EventKind.SENT) {
                assertThat(open.getOrDefault(call, false))
                        .as(when + ": the last send has an outcome")
                        .isFalse();
            }
            open.put(call, event.kind() == EventKind.SENT);
            last.put(call, event.kind());
        }
    }
}
