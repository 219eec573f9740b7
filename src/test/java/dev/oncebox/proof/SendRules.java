package dev.oncebox.proof;

import dev.oncebox.Evidence;
import dev.oncebox.stub.Stub;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Reads the journal event by event: was each send allowed by what went before it, and did the endpoint see the same? */
final class SendRules {

    private static final String EVENTS = "SELECT c.key, e.kind, e.engine, coalesce(e.detail, '')"
            + " FROM event e JOIN call c ON c.id = e.call ORDER BY e.seq";

    /** What a call's events add up to. */
    private static final class Told {
        private int sent;
        private int lost;
        private int neverLeft;
        private boolean maySend = true;
        private boolean complete;
        private final StringBuilder story = new StringBuilder();
    }

    private final Set<String> resending;
    private final Map<String, Told> calls = new TreeMap<>();
    private final List<String> broken = new ArrayList<>();

    private SendRules(Set<String> resending) {
        this.resending = resending;
    }

    /**
     * @param resending the engines under which a doubt is resent without asking
     */
    static SendRules of(Path ledger, Set<String> resending) {
        return of(Balance.address(ledger), resending);
    }

    static SendRules of(String ledger, Set<String> resending) {
        var rules = new SendRules(resending);
        try (Connection connection = Balance.open(ledger);
                ResultSet event = connection.createStatement().executeQuery(EVENTS)) {
            while (event.next()) {
                rules.take(
                        HexFormat.of().formatHex(event.getBytes(1)),
                        event.getString(2),
                        event.getString(3),
                        event.getString(4));
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        return rules;
    }

    private void take(String key, String kind, String engine, String detail) {
        Told told = calls.computeIfAbsent(key, each -> new Told());
        if (detail.startsWith("stale")) {
            // a node that was taken for dead came back with its reply; it is kept, and nothing follows
            return;
        }
        switch (kind) {
            case "SENT" -> {
                if (!told.maySend) {
                    broken.add(key + " was sent again after" + told.story);
                }
                told.maySend = false;
                told.sent++;
            }
            case "REFUSED" -> {
                // one that could not even be recorded was no send
                told.neverLeft += !told.maySend && detail.contains("Nothing was sent") ? 1 : 0;
                told.maySend = true;
            }
            case "INCOMPLETE" -> told.maySend = !told.complete;
            case "IN_DOUBT", "TIMEOUT" -> {
                told.maySend = resending.contains(engine) || detail.startsWith("A person chose");
                told.lost += detail.startsWith("process_ended") ? 1 : 0;
            }
            case "COMPLETE" -> {
                if (told.complete) {
                    broken.add(key + " was completed twice");
                }
                told.complete = true;
                told.maySend = false;
            }
            case "DEAD_LETTER" -> told.maySend = false;
            default -> {
                // a claim sends nothing, and another engine is no permission
            }
        }
        told.story
                .append("\n  ")
                .append(kind)
                .append(" at ")
                .append(engine)
                .append(" ")
                .append(detail);
    }

    /** Sends that nothing allowed, answers that came twice, and journals that do not end as their call did. */
    List<String> broken(Path ledger) {
        return broken(Balance.address(ledger));
    }

    List<String> broken(String ledger) {
        List<String> all = new ArrayList<>(broken);
        String wrong = "SELECT count(*) FROM call c WHERE state = '%s' AND coalesce(code, '') <> 'unwanted'"
                + " AND (SELECT kind FROM event WHERE call = c.id AND coalesce(detail, '') NOT LIKE 'stale%%'"
                + " ORDER BY seq DESC LIMIT 1) NOT IN (%s)";
        Map.of(
                        "DONE", "'COMPLETE'",
                        "SENT", "'SENT'",
                        "DEAD", "'DEAD_LETTER'",
                        "DOUBT", "'IN_DOUBT', 'TIMEOUT'",
                        "READY", "'ATTEMPT', 'REFUSED', 'INCOMPLETE', 'IN_DOUBT', 'TIMEOUT', 'FALLBACK'")
                .forEach((state, kinds) -> {
                    long count = Balance.number(ledger, wrong.formatted(state, kinds));
                    if (count > 0) {
                        all.add(count + " calls are " + state + " and their journal ends otherwise");
                    }
                });
        return all;
    }

    /** Calls of which the endpoints counted something else than the journal tells. */
    List<String> contradictions(Stub... endpoints) {
        Map<String, Integer> counted = new TreeMap<>();
        for (Stub endpoint : endpoints) {
            Evidence.accepted(endpoint).forEach((key, times) -> counted.merge(key, times, Integer::sum));
        }
        List<String> wrong = new ArrayList<>();
        counted.keySet().stream()
                .filter(key -> !calls.containsKey(key))
                .forEach(key -> wrong.add("nobody knows of " + key));
        calls.forEach((key, told) -> {
            int most = told.sent - told.neverLeft;
            int times = counted.getOrDefault(key, 0);
            if (times > most || times < most - told.lost) {
                wrong.add(key + " was counted " + times + " times and told " + told.sent + " times, " + told.lost
                        + " of them lost to kills:" + told.story);
            }
        });
        return wrong;
    }

    int sends() {
        return calls.values().stream().mapToInt(told -> told.sent).sum();
    }

    /** Sends that were under way when a process was killed. */
    int lost() {
        return calls.values().stream().mapToInt(told -> told.lost).sum();
    }
}
