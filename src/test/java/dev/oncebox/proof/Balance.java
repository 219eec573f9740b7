package dev.oncebox.proof;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oncebox.Evidence;
import dev.oncebox.TestHome;
import dev.oncebox.stub.Stub;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What the ledger's own tables say, read from outside, and the rules that they must meet at any moment. */
final class Balance {

    private static final Map<String, String> RULES = Map.of(
            "done, but no answer",
            "SELECT count(*) FROM call c WHERE state = 'DONE' AND NOT EXISTS (SELECT 1 FROM answer WHERE call = c.id)",
            "answered, but not done",
            "SELECT count(*) FROM answer a JOIN call c ON c.id = a.call WHERE c.state <> 'DONE'",
            "done, but not COMPLETE exactly once",
            "SELECT count(*) FROM call c WHERE state = 'DONE' AND 1 <>"
                    + " (SELECT count(*) FROM event WHERE call = c.id AND kind = 'COMPLETE'"
                    + " AND coalesce(detail, '') NOT LIKE 'stale%')",
            "sends that are not the SENT events",
            "SELECT count(*) FROM call c WHERE sends <> (SELECT count(*) FROM event WHERE call = c.id AND kind = 'SENT')",
            "files that count their open items wrong",
            "SELECT count(*) FROM file f WHERE state <> 'DELIVERED' AND pending <> (SELECT count(*) FROM item i"
                    + " JOIN call c ON c.id = i.call WHERE i.file = f.id AND c.state NOT IN ('DONE', 'DEAD'))",
            "delivered, but open",
            "SELECT count(*) FROM file f WHERE state = 'DELIVERED' AND EXISTS (SELECT 1 FROM item i JOIN call c"
                    + " ON c.id = i.call WHERE i.file = f.id AND c.state NOT IN ('DONE', 'DEAD'))");

    private Balance() {}

    static Connection open(Path ledger) throws SQLException {
        return open(address(ledger));
    }

    static Connection open(String ledger) throws SQLException {
        return DriverManager.getConnection(ledger);
    }

    /** The JDBC address of a file. */
    static String address(Path ledger) {
        return "jdbc:sqlite:" + ledger;
    }

    static long number(Path ledger, String query) {
        return number(address(ledger), query);
    }

    static long number(String ledger, String query) {
        try (Connection connection = open(ledger);
                ResultSet row = connection.createStatement().executeQuery(query)) {
            row.next();
            return row.getLong(1);
        } catch (SQLException e) {
            throw new IllegalStateException(query, e);
        }
    }

    /** How many events of a kind each key has. */
    static Map<String, Integer> events(Connection ledger, String kind) throws SQLException {
        Map<String, Integer> counts = new TreeMap<>();
        try (ResultSet rows = ledger.createStatement()
                .executeQuery("SELECT c.key, count(*) FROM event e JOIN call c ON c.id = e.call WHERE e.kind = '" + kind
                        + "' GROUP BY 1")) {
            while (rows.next()) {
                counts.put(HexFormat.of().formatHex(rows.getBytes(1)), rows.getInt(2));
            }
        }
        return counts;
    }

    /** The rules that a ledger breaks; none when all is well. */
    static List<String> broken(Path ledger) {
        List<String> broken = new ArrayList<>(broken(address(ledger)));
        try (Connection connection = open(ledger)) {
            try (ResultSet check = connection.createStatement().executeQuery("PRAGMA integrity_check")) {
                if (!"ok".equals(check.getString(1))) {
                    broken.add("integrity_check: " + check.getString(1));
                }
            }
        } catch (SQLException e) {
            broken.add("the ledger cannot be read: " + e.getMessage());
        }
        return broken;
    }

    static List<String> broken(String ledger) {
        List<String> broken = new ArrayList<>();
        try (Connection connection = open(ledger)) {
            for (Map.Entry<String, String> rule : RULES.entrySet()) {
                try (ResultSet count = connection.createStatement().executeQuery(rule.getValue())) {
                    count.next();
                    if (count.getLong(1) > 0) {
                        broken.add(count.getLong(1) + " " + rule.getKey());
                    }
                }
            }
        } catch (SQLException e) {
            broken.add("the ledger cannot be read: " + e.getMessage());
        }
        return broken;
    }

    /** The sends that the endpoint counted and the ledger knows nothing of. */
    static List<String> unknownSends(Path ledger, Stub stub) {
        return unknownSends(address(ledger), stub);
    }

    static List<String> unknownSends(String ledger, Stub stub) {
        List<String> unknown = new ArrayList<>();
        try (Connection connection = open(ledger)) {
            Map<String, Integer> sent = events(connection, "SENT");
            Evidence.accepted(stub).forEach((key, times) -> {
                if (sent.getOrDefault(key, 0) < times) {
                    unknown.add("the endpoint counted " + key + " " + times + " times, SENT " + sent.get(key));
                }
            });
        } catch (SQLException e) {
            unknown.add("the ledger cannot be read: " + e.getMessage());
        }
        return unknown;
    }

    /**
     * Everything came to its end: all answered, nothing left over, and no send beyond the first but those that follow
     * a doubt of the same call, or a refusal.
     */
    static void assertEnd(TestHome home, Path ledger, Stub stub) {
        assertThat(broken(ledger)).isEmpty();
        assertEnd(home, address(ledger), stub);
    }

    static void assertEnd(TestHome home, String ledger, Stub stub) {
        assertThat(broken(ledger)).isEmpty();
        assertThat(unknownSends(ledger, stub)).isEmpty();
        try (Connection connection = open(ledger)) {
            Map<String, Integer> doubts = events(connection, "IN_DOUBT");
            events(connection, "REFUSED").forEach((key, times) -> doubts.merge(key, times, Integer::sum));
            Evidence.accepted(stub).forEach((key, times) -> assertThat(doubts.getOrDefault(key, 0))
                    .as("doubts and refusals before the last of %d sends of %s", times, key)
                    .isGreaterThanOrEqualTo(times - 1));
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        assertThat(number(ledger, "SELECT count(*) FROM call WHERE state <> 'DONE'"))
                .as("calls without an answer")
                .isZero();
        assertThat(number(ledger, "SELECT count(*) FROM file WHERE state <> 'DELIVERED' OR archived = 0"))
                .as("files not delivered and archived")
                .isZero();
        for (String folder : List.of("inbox", "outbox", "archive", "rejected")) {
            assertThat(home.files(folder)).as(folder).noneMatch(Balance::isTemporary);
        }
        assertThat(home.files("inbox")).isEmpty();
    }

    static boolean isTemporary(String path) {
        return path.substring(path.lastIndexOf('/') + 1).startsWith(".") || path.endsWith(".tmp");
    }
}
