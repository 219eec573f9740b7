package dev.oncebox.ledger.sql;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * SQLite's plan for every statement that a ledger prepares: which of them read through a whole table. There are no
 * statistics, so that what is planned for a small ledger is planned for one of ten million calls.
 */
final class WatchedPlans extends PassingDialect {

    private static final Pattern PLANNED = Pattern.compile("(?s)\\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\\b.*");
    private static final Pattern SCAN = Pattern.compile("SCAN (\\S+)(?: USING (?:COVERING )?INDEX (\\S+))?.*");

    /** A row a start, a version of a job, an engine, a submission of thousands of calls, a state; or none of a file. */
    private static final Set<String> SHORT = Set.of(
            "node",
            "job",
            "pause",
            "batch",
            "call_total",
            "item_total",
            "file_total",
            "sqlite_master",
            "flyway_schema_history",
            "CONSTANT",
            "pick",
            "wanted",
            "shown",
            "lines",
            "asked",
            "twin",
            "planned");

    /** They hold what is still to be done, and nothing of what was; of the last one a single row is asked for. */
    private static final Set<String> OF_OPEN_WORK = Set.of(
            "file_settled",
            "file_archived",
            "file_sidecar",
            "call_due",
            "call_polling",
            "call_accepted",
            "call_unresolved",
            "batch_due",
            "event_unpriced");

    /** Reads the last row and no other. */
    private static final String THE_LAST = "FROM event ORDER BY seq DESC LIMIT 1)";

    private final SortedMap<String, SortedSet<String>> plans = new ConcurrentSkipListMap<>();

    WatchedPlans(Dialect dialect) {
        super(dialect);
    }

    /** The statements that read through a table or an index that grows, with the steps that do. */
    Map<String, SortedSet<String>> scans() {
        Map<String, SortedSet<String>> scans = new TreeMap<>();
        plans.forEach((sql, steps) -> {
            SortedSet<String> bad = new TreeSet<>(steps);
            bad.removeIf(step -> !readsThrough(sql, step));
            if (!bad.isEmpty()) {
                scans.put(sql, bad);
            }
        });
        return scans;
    }

    int statements() {
        return plans.size();
    }

    private static boolean readsThrough(String sql, String step) {
        Matcher scan = SCAN.matcher(step);
        if (!scan.matches()) {
            return false;
        }
        boolean open = scan.group(2) != null && OF_OPEN_WORK.contains(scan.group(2));
        boolean last = sql.contains(THE_LAST) && Set.of("e", "event").contains(scan.group(1));
        return !open && !last && !scan.group(1).startsWith("(") && !SHORT.contains(table(sql, scan.group(1)));
    }

    /** The table that a name in a plan means, which may be one that the statement gave it. */
    private static String table(String sql, String name) {
        Matcher named = Pattern.compile("(?:FROM|JOIN|,) (?:temp\\.)?(\\w+) (?:AS )?" + Pattern.quote(name) + "\\b")
                .matcher(sql);
        return named.find() ? named.group(1) : name;
    }

    @Override
    public Connection connect() throws SQLException {
        Connection connection = dialect.connect();
        return (Connection) Proxy.newProxyInstance(
                WatchedPlans.class.getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, values) -> {
                    if (method.getName().equals("prepareStatement")) {
                        plan(connection, (String) values[0]);
                    }
                    try {
                        return method.invoke(connection, values);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private void plan(Connection connection, String sql) throws SQLException {
        if (!PLANNED.matcher(sql).matches() || plans.containsKey(sql)) {
            return;
        }
        SortedSet<String> steps = new TreeSet<>();
        try (PreparedStatement explain = connection.prepareStatement("EXPLAIN QUERY PLAN " + sql);
                ResultSet rows = explain.executeQuery()) {
            while (rows.next()) {
                steps.add(rows.getString("detail"));
            }
        }
        plans.put(sql, steps);
    }
}
