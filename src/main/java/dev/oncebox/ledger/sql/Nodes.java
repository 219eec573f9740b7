package dev.oncebox.ledger.sql;

import dev.oncebox.config.ConfigException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.UUID;

/** The processes that work or worked on a ledger, one row a start. */
final class Nodes {

    private final Clock clock;
    private final Duration lease;

    Nodes(Clock clock, Duration lease) {
        this.clock = clock;
        this.lease = lease;
    }

    /** Adds this process and returns its number; refused while another process of this machine works on the ledger. */
    long enter(Session session) throws SQLException {
        long now = clock.millis();
        List<Long> others = session.list(
                "SELECT pid FROM node WHERE ended IS NULL AND lease > ? AND host = ?",
                row -> row.getLong(1),
                now,
                host());
        for (long pid : others) {
            if (isAlive(pid) && pid != ProcessHandle.current().pid()) {
                throw new ConfigException("The ledger is in use by process " + pid
                        + ", although its lock file is gone or another one. Only one runtime may work on it; stop that"
                        + " one first.");
            }
        }
        session.update("UPDATE node SET ended = ? WHERE ended IS NULL AND host = ?", now, host());
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

    static boolean isAlive(long pid) {
        return ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false);
    }

    static String host() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "localhost";
        }
    }
}
