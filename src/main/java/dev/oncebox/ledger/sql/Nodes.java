package dev.oncebox.ledger.sql;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.util.UUID;

/** The processes that work or worked on a ledger, one row a start. */
final class Nodes {

    private final Clock clock;
    private final Duration lease;

    Nodes(Clock clock, Duration lease) {
        this.clock = clock;
        this.lease = lease;
    }

    /** Adds this process and returns its number. */
    long enter(Session session) throws SQLException {
        long now = clock.millis();
        Long id = session.one(
                "INSERT INTO node (boot, host, pid, started, lease) VALUES (?, ?, ?, ?, ?) RETURNING id",
                row -> row.getLong(1),
                UUID.randomUUID().toString(),
                host(),
                ProcessHandle.current().pid(),
                now,
                now + lease.toMillis());
        return id == null ? 0 : id;
    }

    private static String host() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "localhost";
        }
    }
}
