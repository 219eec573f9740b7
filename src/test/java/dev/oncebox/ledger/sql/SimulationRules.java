package dev.oncebox.ledger.sql;

import dev.oncebox.ledger.Call;
import dev.oncebox.ledger.CallState;
import dev.oncebox.ledger.Charged;
import dev.oncebox.ledger.Transition;
import dev.oncebox.ledger.Verdict;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The promise, as rules that must hold after every step of a schedule, whatever the ledger itself says. */
final class SimulationRules {

    private final Session session;
    private final SimulatedEngine engine;
    private final int attempts;
    private final boolean resend;
    private final boolean deduplicates;
    /** What a person allowed, by call: as many further sends as the job's attempts. */
    private final Map<Long, Integer> allowances = new HashMap<>();

    private final Map<Long, List<Call>> sends = new HashMap<>();
    private final Map<Long, Integer> left = new HashMap<>();
    private final Set<Long> answered = new HashSet<>();

    SimulationRules(Session session, SimulatedEngine engine, int attempts, boolean resend, boolean deduplicates) {
        this.session = session;
        this.engine = engine;
        this.attempts = attempts;
        this.resend = resend;
        this.deduplicates = deduplicates;
    }

    boolean resend() {
        return resend;
    }

    void allowed(long call) {
        allowances.merge(call, 1, Integer::sum);
    }

    private record Outcome(
            int send, String engine, @Nullable String charged, String kind) {}

    /** A send was recorded: what was sent before must be known to be free, or may be repeated by policy, key or person. */
    void sent(Call call) throws SQLException {
        sends.computeIfAbsent(call.id(), id -> new ArrayList<>()).add(call);
        require(!answered.contains(call.id()), "an answered call is sent again", call.id());
        int paid = 0;
        for (int send = 1; send <= call.sends(); send++) {
            List<Outcome> outcomes = session.list(
                    "SELECT attempt, engine, charged, kind FROM event WHERE call = ? AND attempt = ? AND charged IS NOT NULL",
                    row -> new Outcome(row.getInt(1), row.getString(2), row.getString(3), row.getString(4)),
                    call.id(),
                    send);
            require(!outcomes.isEmpty(), "send " + send + " is still open while another starts", call.id());
            Outcome last = outcomes.get(outcomes.size() - 1);
            if (!Charged.NO.name().equals(last.charged())) {
                paid++;
                boolean unknown = last.kind().equals("TIMEOUT") || last.kind().equals("IN_DOUBT");
                boolean sameKey = deduplicates && last.engine().equals(call.engine());
                boolean person = allowances.getOrDefault(call.id(), 0) > 0;
                require(!unknown || resend || sameKey || person, "a doubt is sent again under hold", call.id());
            }
        }
        int most = attempts * (1 + allowances.getOrDefault(call.id(), 0)) * 2;
        require(paid < most, "it was paid " + paid + " times, and the job allows " + attempts, call.id());
        if (call.engine().equals("first") && allowances.getOrDefault(call.id(), 0) == 0) {
            require(paid < attempts, "more attempts at one engine than the job allows", call.id());
        }
    }

    /** A request leaves: the ledger must know of it already. */
    void leaves(Call call) throws SQLException {
        int requests = left.merge(call.id(), 1, Integer::sum);
        long recorded = session.number("SELECT count(*) FROM event WHERE call = ? AND kind = 'SENT'", call.id());
        require(recorded >= requests, "a request leaves that the ledger knows nothing of", call.id());
    }

    void settled(Call call, Verdict verdict, @Nullable Transition next) {
        if (verdict instanceof Verdict.Valid && next != null && next.state() == CallState.DONE) {
            answered.add(call.id());
        }
    }

    void check() throws SQLException {
        for (long call : answered) {
            require(
                    session.number("SELECT count(*) FROM call WHERE id = ? AND state = 'DONE'", call) == 1,
                    "an answered call is open again",
                    call);
        }
        none(
                "done, but the answer is not stored, or the other way round",
                "SELECT c.id FROM call c LEFT JOIN answer a ON a.call = c.id WHERE (c.state = 'DONE') <> (a.call IS NOT NULL)");
        none(
                "a file waits for another number of calls than it has",
                "SELECT f.id FROM file f WHERE f.state <> 'DELIVERED' AND f.pending <> (SELECT count(*) FROM item i"
                        + " JOIN call c ON c.id = i.call WHERE i.file = f.id AND c.state NOT IN ('DONE', 'DEAD'))");
        none(
                "sends are not what the journal says",
                "SELECT c.id FROM call c WHERE c.sends <>"
                        + " (SELECT count(*) FROM event e WHERE e.call = c.id AND e.kind = 'SENT')");
        none(
                "a count is out of bounds",
                "SELECT id FROM call WHERE attempts < earlier OR doubts < 0 OR attempts > sends");
    }

    void checkEnd() throws SQLException {
        none(
                "a call has no end",
                "SELECT id FROM call WHERE state NOT IN ('DONE', 'DEAD'" + (resend ? "" : ", 'DOUBT'") + ")");
        session.each("SELECT call, body FROM answer", row -> {
            require(
                    Packed.text(row.getBytes(2)).equals(SimulatedEngine.answerTo(row.getLong(1))),
                    "an answer stands under another call",
                    row.getLong(1));
            return true;
        });
        for (Map.Entry<Long, Integer> charged : engine.charges.entrySet()) {
            long maybe = session.number(
                    "SELECT count(DISTINCT attempt) FROM event WHERE call = ? AND charged IN ('YES', 'UNKNOWN')",
                    charged.getKey());
            require(charged.getValue() <= maybe, "more was charged than the journal admits", charged.getKey());
        }
    }

    private void none(String rule, String sql) throws SQLException {
        Long call = session.one(sql, row -> row.getLong(1));
        require(call == null, rule, call == null ? 0 : call);
    }

    private static void require(boolean holds, String rule, long call) {
        if (!holds) {
            throw new AssertionError("call " + call + ": " + rule);
        }
    }
}
