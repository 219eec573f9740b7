package dev.oncebox.ledger.sql;

import dev.oncebox.job.Job;
import dev.oncebox.ledger.DroppedFile;
import dev.oncebox.ledger.Entry;
import dev.oncebox.ledger.Ledger.UnarchivedFile;
import dev.oncebox.ledger.ReceivedFile;
import java.sql.SQLException;
import java.time.Clock;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Message Store: files, and with {@link SqlItems} what is in them. Runs inside the writer's transactions. */
final class SqlIntake {

    static final String KEEP = "INSERT INTO source (file, n, body) VALUES (?, ?, ?) ON CONFLICT (file, n) DO NOTHING";

    private final RequestCodec codec;
    private final SqlItems items;
    private final Clock clock;
    private final boolean retryDead;

    SqlIntake(RequestCodec codec, Clock clock, int keyVersion) {
        this(codec, clock, keyVersion, true);
    }

    /**
     * @param retryDead whether dead letters that were certainly not charged are sent again when they are asked for anew
     */
    SqlIntake(RequestCodec codec, Clock clock, int keyVersion, boolean retryDead) {
        this.retryDead = retryDead;
        this.codec = codec;
        this.clock = clock;
        this.items = new SqlItems(codec, clock, keyVersion, retryDead);
    }

    private record Known(long id, String state, boolean archived) {}

    ReceivedFile receive(Session session, DroppedFile file) throws SQLException {
        long job = jobId(session, file.job());
        long now = clock.millis();
        Known known = session.one(
                "SELECT id, state, archived FROM file WHERE path = ? AND sha256 = ? AND job = ?",
                row -> new Known(row.getLong(1), row.getString(2), row.getBoolean(3)),
                file.path(),
                file.sha256(),
                job);
        if (known == null) {
            long made = session.number(
                    "INSERT INTO file (path, job, kind, sha256, state, received) VALUES (?, ?, ?, ?, 'TAKING', ?)"
                            + " ON CONFLICT DO NOTHING RETURNING id",
                    file.path(),
                    job,
                    file.kind(),
                    file.sha256(),
                    now);
            if (made == 0) {
                // another node has made it a moment ago
                return receive(session, file);
            }
            keep(session, made, 0, file.head());
            return new ReceivedFile(made, file, false, now);
        }
        if (known.state().equals("TAKING")) {
            return new ReceivedFile(known.id(), file, false, now);
        }
        boolean whole = PurgedBodies.isWhole(session, known.id());
        session.writeCounts();
        holdOpen(session, "i.file = ?", known.id());
        session.update(
                "UPDATE file SET state = ?, archived = 0, pending = (SELECT count(*) FROM item i"
                        + " JOIN call c ON c.id = i.call WHERE i.file = file.id AND c.state NOT IN ('DONE', 'DEAD'))"
                        + " WHERE id = ?",
                whole ? "TAKEN" : "TAKING",
                known.id());
        if (!whole) {
            session.update("UPDATE file SET seal = NULL WHERE id = ?", known.id());
            keep(session, known.id(), 0, file.head());
            return new ReceivedFile(known.id(), file, false, now);
        }
        if (known.archived()) {
            reviveUncharged(session, known.id(), file.job(), now);
        }
        return new ReceivedFile(known.id(), file, true, now);
    }

    /** Keeps a part of a file as it is written. */
    private static void keep(Session session, long file, long n, @Nullable String written) throws SQLException {
        if (written != null) {
            session.update(KEEP, file, n, Packed.pack(written));
        }
    }

    private void reviveUncharged(Session session, long file, Job job, long now) throws SQLException {
        if (!retryDead) {
            return;
        }
        List<Long> dead = session.list(
                "SELECT DISTINCT c.id FROM item i JOIN call c ON c.id = i.call WHERE i.file = ?"
                        + " AND c.state = 'DEAD' AND c.attempts = 0 AND c.doubts = 0 ORDER BY c.id",
                row -> row.getLong(1),
                file);
        for (long call : dead) {
            session.update(
                    "UPDATE call SET engine = ? WHERE id = ?", job.engines().get(0), call);
            revive(session, call, now);
        }
    }

    /** Where nodes share a ledger: no call of these items comes to its end between the counting of them and the commit. */
    static void holdOpen(Session session, String items, long value) throws SQLException {
        if (session.sharing() == Sharing.SHARED) {
            session.list(
                    "SELECT c.id FROM call c WHERE c.state NOT IN ('DONE', 'DEAD') AND c.id IN (SELECT i.call FROM item i"
                            + " WHERE " + items + ") ORDER BY c.id FOR SHARE",
                    row -> row.getLong(1),
                    value);
        }
    }

    /** Sends a dead call again; every file that is not in the outbox yet waits for it. */
    static void revive(Session session, long call, long now) throws SQLException {
        session.update(
                "UPDATE call SET state = 'READY', due = ?, failures = 0, refused_since = 0, ended = 0, code = NULL,"
                        + " reason = NULL, remote = NULL, batch = NULL WHERE id = ?",
                now,
                call);
        session.update(
                "UPDATE file SET pending = pending + (SELECT count(*) FROM item i WHERE i.call = ? AND i.file = file.id)"
                        + " WHERE state <> 'DELIVERED' AND id IN (SELECT i.file FROM item i WHERE i.call = ?)",
                call,
                call);
    }

    private long jobId(Session session, Job job) throws SQLException {
        String definition = codec.definition(job);
        byte[] fingerprint = codec.fingerprint(definition);
        Long known = session.one(
                "SELECT id FROM job WHERE name = ? AND fingerprint = ?",
                row -> row.getLong(1),
                job.name(),
                fingerprint);
        if (known != null) {
            return known;
        }
        long made = session.number(
                "INSERT INTO job (name, fingerprint, definition) VALUES (?, ?, ?) ON CONFLICT DO NOTHING RETURNING id",
                job.name(),
                fingerprint,
                definition);
        return made == 0 ? jobId(session, job) : made;
    }

    long record(Session session, ReceivedFile file, List<Entry> entries) throws SQLException {
        return items.record(session, file, jobId(session, file.file().job()), entries);
    }

    /** But for those that another node is taking. */
    static List<UnarchivedFile> unarchived(Session session, long node) throws SQLException {
        return session.list(
                "SELECT id, path, state, sha256 FROM file WHERE archived = 0 AND NOT EXISTS (SELECT 1 FROM taking t"
                        + " WHERE t.path = file.path AND t.node <> ?) ORDER BY id",
                row -> new UnarchivedFile(
                        row.getLong(1), row.getString(2), row.getString(3).equals("TAKING"), row.getBytes(4)),
                node);
    }

    long taken(Session session, ReceivedFile file) throws SQLException {
        session.writeCounts();
        boolean again = session.update(
                        "UPDATE file SET state = 'TAKEN' WHERE id = ? AND state = 'TAKING' AND delivered IS NOT NULL",
                        file.id())
                == 1;
        if (again) {
            reviveUncharged(session, file.id(), file.file().job(), clock.millis());
        }
        session.update("UPDATE file SET state = 'TAKEN' WHERE id = ? AND state = 'TAKING'", file.id());
        return session.number("SELECT items FROM file WHERE id = ?", file.id());
    }
}
