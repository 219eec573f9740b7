package dev.oncebox.ledger.sql;

import dev.oncebox.config.ConfigException;
import dev.oncebox.ledger.Share;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.UUID;

/**
 * The processes that work or worked on a ledger, one row a start. A lease belongs to a node, not to its calls; where
 * nodes share a ledger it is counted by the database's clock, which is the same for all of them.
 *
 * <p>The row of a node says who has its calls: what it claims or records as sent is written under a lock on that row, so
 * that a node which is declared dead has written all of it before, or none.
 */
final class Nodes {

    private static final String ENDED = "(SELECT n.id FROM node n WHERE n.ended IS NOT NULL)";

    private final Clock clock;
    private final Duration lease;

    Nodes(Clock clock, Duration lease) {
        this.clock = clock;
        this.lease = lease;
    }

    /** The time by which leases are counted, epoch milliseconds. */
    static long now(Session session, long clock) throws SQLException {
        return session.sharing() == Sharing.ALONE
                ? clock
                : session.number("SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)");
    }

    private long now(Session session) throws SQLException {
        return now(session, clock.millis());
    }

    /**
     * Adds this process and returns its number. Where there is room for one only, all others are over by now, and it is
     * refused while another process of this machine works on the ledger.
     */
    long enter(Session session) throws SQLException {
        long now = now(session);
        if (session.sharing() == Sharing.ALONE) {
            requireAlone(session, now);
            session.update("UPDATE node SET ended = ? WHERE ended IS NULL", now);
        }
        return session.number(
                "INSERT INTO node (boot, host, pid, started, lease) VALUES (?, ?, ?, ?, ?) RETURNING id",
                UUID.randomUUID().toString(),
                host(),
                ProcessHandle.current().pid(),
                clock.millis(),
                now + lease.toMillis());
    }

    private static void requireAlone(Session session, long now) throws SQLException {
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
    }

    /** Says that a node lives; false: it was declared dead, and has nothing any more. */
    boolean beat(Session session, long node) throws SQLException {
        return session.update(
                        "UPDATE node SET lease = ? WHERE id = ? AND ended IS NULL",
                        now(session) + lease.toMillis(),
                        node)
                == 1;
    }

    /** A node and its share among those that were not declared dead. */
    static Lease.Membership membership(Session session, long node) throws SQLException {
        List<Long> all = session.list("SELECT id FROM node WHERE ended IS NULL ORDER BY id", row -> row.getLong(1));
        return new Lease.Membership(node, new Share(all.indexOf(node), Math.max(1, all.size())));
    }

    /** A node leaves by itself. */
    int leave(Session session, long node) throws SQLException {
        int left = session.update("UPDATE node SET ended = ? WHERE id = ?", now(session), node);
        if (session.sharing() == Sharing.SHARED) {
            letGo(session);
        }
        return left;
    }

    /** Whether others have left something, or show no sign of life. */
    boolean hasLost(Session session) throws SQLException {
        return session.sharing() == Sharing.SHARED
                && session.is(
                        "EXISTS (SELECT 1 FROM node WHERE ended IS NULL AND lease <= ?) OR EXISTS (SELECT 1 FROM call"
                                + " WHERE state IN ('CLAIMED', 'SENT')" + lost(session.sharing())
                                + ") OR EXISTS (SELECT 1 FROM taking WHERE node IN " + ENDED
                                + ") OR EXISTS (SELECT 1 FROM file WHERE owner IN " + ENDED + ")",
                        now(session));
    }

    /** Declares dead whoever shows no sign of life, and takes their files from them. */
    void bury(Session session) throws SQLException {
        if (session.sharing() == Sharing.SHARED) {
            long now = now(session);
            session.update("UPDATE node SET ended = ? WHERE ended IS NULL AND lease <= ?", now, now);
            letGo(session);
        }
    }

    private static void letGo(Session session) throws SQLException {
        session.update("DELETE FROM taking WHERE node IN " + ENDED);
        session.update("UPDATE file SET owner = NULL WHERE owner IN " + ENDED);
    }

    /** A condition on rows of {@code call}, to follow others: their node is over. */
    static String lost(Sharing sharing) {
        return sharing == Sharing.ALONE ? "" : " AND (owner IS NULL OR owner IN " + ENDED + ")";
    }

    /** A condition to follow others: this node was not declared dead, and is not until the end of the transaction. */
    static String alive(Session session, long node) {
        return session.sharing() == Sharing.ALONE
                ? ""
                : " AND EXISTS (SELECT 1 FROM node n WHERE n.id = " + node + " AND n.ended IS NULL FOR SHARE)";
    }

    /** Whether no other node works on the ledger. */
    boolean isOnly(Session session, long node) throws SQLException {
        return session.number(
                        "SELECT count(*) FROM node WHERE ended IS NULL AND id <> ? AND lease > ?", node, now(session))
                == 0;
    }

    /** Takes a path of the inbox for a node; false: another one has it. */
    boolean reserve(Session session, long node, String path) throws SQLException {
        return session.number(
                        "INSERT INTO taking (path, node) SELECT CAST(? AS TEXT), n.id FROM node n WHERE n.id = ?"
                                + " AND n.ended IS NULL ON CONFLICT (path) DO UPDATE SET node = excluded.node"
                                + " WHERE taking.node = excluded.node OR taking.node IN " + ENDED + " RETURNING node",
                        path,
                        node)
                > 0;
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
