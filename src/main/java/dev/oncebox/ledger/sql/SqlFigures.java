package dev.oncebox.ledger.sql;

import dev.oncebox.ledger.CallState;
import dev.oncebox.ledger.Figures;
import dev.oncebox.ledger.Ledger;
import java.math.BigDecimal;
import java.sql.SQLException;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Counts what is in a ledger. Runs inside one transaction, so that the numbers fit together. */
final class SqlFigures {

    private final Session session;

    SqlFigures(Session session) {
        this.session = session;
    }

    private record Files(long taken, long delivered, long items, long invalid, long pending) {}

    private record Items(CallState state, boolean fresh, long count) {}

    Figures read(long now) throws SQLException {
        Files files = files();
        long dead = 0;
        long fresh = 0;
        long reused = 0;
        for (Items items : items()) {
            if (items.state() == CallState.DEAD) {
                dead += items.count();
            } else if (items.state() == CallState.DONE && items.fresh()) {
                fresh += items.count();
            } else if (items.state() == CallState.DONE) {
                reused += items.count();
            }
        }
        return new Figures(
                files.taken(),
                files.delivered(),
                files.items(),
                fresh + reused,
                files.invalid() + dead,
                files.pending(),
                calls(),
                session.number("SELECT coalesce(sum(sends), 0) FROM call"),
                fresh,
                reused,
                cost(),
                inFlight(),
                accepted(),
                waiting(now),
                SqlEngines.pauses(session),
                nodes(now));
    }

    private Files files() throws SQLException {
        Files files = session.one(
                "SELECT count(*), count(CASE state WHEN 'DELIVERED' THEN 1 END), coalesce(sum(items), 0),"
                        + " coalesce(sum(invalid), 0), coalesce(sum(pending), 0) FROM file",
                row -> new Files(row.getLong(1), row.getLong(2), row.getLong(3), row.getLong(4), row.getLong(5)));
        return files == null ? new Files(0, 0, 0, 0, 0) : files;
    }

    private List<Items> items() throws SQLException {
        return session.list(
                "SELECT c.state, i.fresh, count(*) FROM item i JOIN call c ON c.id = i.call"
                        + " WHERE c.state IN ('DONE', 'DEAD') GROUP BY c.state, i.fresh",
                row -> new Items(CallState.valueOf(row.getString(1)), row.getBoolean(2), row.getLong(3)));
    }

    private Map<CallState, Long> calls() throws SQLException {
        Map<CallState, Long> calls = new EnumMap<>(CallState.class);
        session.each("SELECT state, count(*) FROM call GROUP BY state", row -> {
            calls.put(CallState.valueOf(row.getString(1)), row.getLong(2));
            return true;
        });
        return calls;
    }

    /** Attempts in doubt are in no sum: they are told apart by the doubts. */
    private @Nullable BigDecimal cost() throws SQLException {
        boolean unpriced = session.is("EXISTS (SELECT 1 FROM call WHERE cost IS NULL AND sends > 0"
                + " AND (state = 'DONE' OR state = 'DEAD' AND attempts > doubts))"
                + " OR EXISTS (SELECT 1 FROM event WHERE charged = 'YES' AND cost IS NULL)");
        if (unpriced) {
            return null;
        }
        if (session.number("SELECT count(cost) FROM call") > 0) {
            return SqlDeliveries.cost(session.number("SELECT sum(cost) FROM call"));
        }
        boolean perhapsCharged = session.is("EXISTS (SELECT 1 FROM call WHERE attempts > 0)");
        return perhapsCharged ? null : BigDecimal.ZERO;
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

    private Map<String, Long> inFlight() throws SQLException {
        Map<String, Long> inFlight = new TreeMap<>();
        session.each("SELECT engine, count(*) FROM call WHERE state = 'SENT' GROUP BY engine", row -> {
            inFlight.put(row.getString(1), row.getLong(2));
            return true;
        });
        return inFlight;
    }

    private Map<String, Figures.Accepted> accepted() throws SQLException {
        Map<String, Figures.Accepted> accepted = new TreeMap<>();
        session.each("SELECT engine, count(*), min(sent) FROM call WHERE state = 'POLLING' GROUP BY engine", row -> {
            accepted.put(row.getString(1), new Figures.Accepted(row.getLong(2), row.getLong(3)));
            return true;
        });
        return accepted;
    }

    /** How many accepted calls wait for each engine. */
    static Map<String, Long> polling(Session session) throws SQLException {
        Map<String, Long> polling = new TreeMap<>();
        session.each("SELECT engine, count(*) FROM call WHERE state = 'POLLING' GROUP BY engine", row -> {
            polling.put(row.getString(1), row.getLong(2));
            return true;
        });
        return polling;
    }

    private Map<String, Figures.Waiting> waiting(long now) throws SQLException {
        Map<String, Figures.Waiting> waiting = new TreeMap<>();
        session.each(
                "SELECT engine, count(CASE WHEN due <= ? THEN 1 END), count(CASE WHEN due > ? THEN 1 END),"
                        + " coalesce(min(CASE WHEN due > ? THEN due END), 0) FROM call WHERE state = 'READY' GROUP BY engine",
                row -> {
                    waiting.put(row.getString(1), new Figures.Waiting(row.getLong(2), row.getLong(3), row.getLong(4)));
                    return true;
                },
                now,
                now,
                now);
        return waiting;
    }

    /** A process of this machine that was killed is seen at once, one of another by its lease. */
    private List<Figures.Node> nodes(long now) throws SQLException {
        List<Figures.Node> nodes = session.list(
                "SELECT id, host, pid, started, lease FROM node WHERE ended IS NULL AND lease > ? ORDER BY id",
                row -> new Figures.Node(
                        row.getLong(1), row.getString(2), row.getLong(3), row.getLong(4), row.getLong(5)),
                now);
        return nodes.stream()
                .filter(node -> !node.host().equals(Nodes.host()) || Nodes.isAlive(node.pid()))
                .toList();
    }
}
