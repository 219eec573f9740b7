package dev.oncebox.ledger.sql;

import dev.oncebox.ledger.CallState;
import dev.oncebox.ledger.Figures;
import dev.oncebox.ledger.Ledger;
import java.math.BigDecimal;
import java.sql.SQLException;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Reads the totals of a ledger. Runs inside one transaction, so that the numbers fit together. */
final class SqlFigures {

    private static final Items NONE = new Items("NONE", 0, 0);

    private final Session session;

    SqlFigures(Session session) {
        this.session = session;
    }

    /** All calls of an engine in a state. */
    private record Calls(String engine, CallState state, long calls, long sends) {}

    private record Items(String ending, long items, long fresh) {}

    Figures read(long now) throws SQLException {
        List<Calls> calls = session.list(
                "SELECT engine, state, calls, sends FROM call_total WHERE calls > 0",
                row -> new Calls(
                        row.getString(1), CallState.valueOf(row.getString(2)), row.getLong(3), row.getLong(4)));
        Map<String, Items> items = new HashMap<>();
        for (Items each : session.list(
                "SELECT ending, items, fresh FROM item_total",
                row -> new Items(row.getString(1), row.getLong(2), row.getLong(3)))) {
            items.put(each.ending(), each);
        }
        Items answered = items.getOrDefault("DONE", NONE);
        Items open = items.getOrDefault("OPEN", NONE);
        long failed = items.getOrDefault("DEAD", NONE).items()
                + items.getOrDefault("NONE", NONE).items();
        return new Figures(
                session.number("SELECT coalesce(sum(files), 0) FROM file_total"),
                session.number("SELECT files FROM file_total WHERE state = 'DELIVERED'"),
                answered.items() + open.items() + failed,
                answered.items(),
                failed,
                open.items(),
                byState(calls),
                calls.stream().mapToLong(Calls::sends).sum(),
                answered.fresh(),
                answered.items() - answered.fresh(),
                cost(),
                inState(calls, CallState.SENT),
                accepted(calls),
                waiting(calls, now),
                SqlEngines.pauses(session),
                nodes(now));
    }

    private static Map<CallState, Long> byState(List<Calls> calls) {
        Map<CallState, Long> counts = new EnumMap<>(CallState.class);
        calls.forEach(each -> counts.merge(each.state(), each.calls(), Long::sum));
        return counts;
    }

    private static SortedMap<String, Long> inState(List<Calls> calls, CallState state) {
        SortedMap<String, Long> counts = new TreeMap<>();
        calls.stream().filter(each -> each.state() == state).forEach(each -> counts.put(each.engine(), each.calls()));
        return counts;
    }

    private record Cost(long charged, long priced, long unpriced, long sum) {}

    /** Attempts in doubt are in no sum: they are told apart by the doubts. */
    private @Nullable BigDecimal cost() throws SQLException {
        Cost cost = session.one(
                "SELECT coalesce(sum(charged), 0), coalesce(sum(priced), 0), coalesce(sum(unpriced), 0),"
                        + " coalesce(sum(cost), 0) FROM call_total",
                row -> new Cost(row.getLong(1), row.getLong(2), row.getLong(3), row.getLong(4)));
        if (cost == null) {
            return BigDecimal.ZERO;
        }
        if (cost.unpriced() > 0 || session.is("EXISTS (SELECT 1 FROM event WHERE charged = 'YES' AND cost IS NULL)")) {
            return null;
        }
        if (cost.priced() > 0) {
            return SqlDeliveries.cost(cost.sum());
        }
        return cost.charged() > 0 ? null : BigDecimal.ZERO;
    }

    /** What was, or may have been, charged since a moment; what was accepted and has no end yet at no known cost. */
    static Ledger.Spent spent(Session session, long since) throws SQLException {
        long accepted = session.number("SELECT count(*) FROM call WHERE state = 'POLLING' AND sent >= ?", since);
        Ledger.Spent spent = session.one(
                "SELECT count(*), count(*) - count(cost), coalesce(sum(cost), 0), coalesce(max(cost), 0)"
                        + " FROM event WHERE charged IN ('YES', 'UNKNOWN') AND at >= ?",
                row -> new Ledger.Spent(
                        row.getLong(1) + accepted,
                        row.getLong(2) + accepted,
                        billionths(row.getLong(3)),
                        billionths(row.getLong(4))),
                since);
        return spent == null ? Ledger.Spent.NOTHING : spent;
    }

    private static BigDecimal billionths(long cost) {
        return BigDecimal.valueOf(cost, 9);
    }

    private Map<String, Figures.Accepted> accepted(List<Calls> calls) throws SQLException {
        Map<String, Figures.Accepted> accepted = new TreeMap<>();
        for (Map.Entry<String, Long> engine : inState(calls, CallState.POLLING).entrySet()) {
            long since = session.number(
                    "SELECT min(sent) FROM call WHERE state = 'POLLING' AND engine = ?", engine.getKey());
            accepted.put(engine.getKey(), new Figures.Accepted(engine.getValue(), since));
        }
        return accepted;
    }

    /** How many accepted calls wait for each engine. */
    static Map<String, Long> polling(Session session) throws SQLException {
        Map<String, Long> polling = new TreeMap<>();
        session.each("SELECT engine, calls FROM call_total WHERE state = 'POLLING' AND calls > 0", row -> {
            polling.put(row.getString(1), row.getLong(2));
            return true;
        });
        return polling;
    }

    private record Later(long calls, long next) {}

    private Map<String, Figures.Waiting> waiting(List<Calls> calls, long now) throws SQLException {
        Map<String, Figures.Waiting> waiting = new TreeMap<>();
        for (Map.Entry<String, Long> engine : inState(calls, CallState.READY).entrySet()) {
            Later later = session.one(
                    "SELECT count(*), coalesce(min(due), 0) FROM call WHERE state = 'READY' AND engine = ? AND due > ?",
                    row -> new Later(row.getLong(1), row.getLong(2)),
                    engine.getKey(),
                    now);
            long notYet = later == null ? 0 : later.calls();
            waiting.put(
                    engine.getKey(),
                    new Figures.Waiting(engine.getValue() - notYet, notYet, later == null ? 0 : later.next()));
        }
        return waiting;
    }

    /** A process of this machine that was killed is seen at once, one that shares the ledger by its lease. */
    private List<Figures.Node> nodes(long now) throws SQLException {
        List<Figures.Node> nodes = session.list(
                "SELECT id, host, pid, started, lease FROM node WHERE ended IS NULL AND lease > ? ORDER BY id",
                row -> new Figures.Node(
                        row.getLong(1), row.getString(2), row.getLong(3), row.getLong(4), row.getLong(5)),
                Nodes.now(session, now));
        return nodes.stream()
                .filter(node -> session.sharing() == Sharing.SHARED
                        || !node.host().equals(Nodes.host())
                        || Nodes.isAlive(node.pid()))
                .toList();
    }
}
