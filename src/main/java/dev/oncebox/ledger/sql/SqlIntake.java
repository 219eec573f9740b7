package dev.oncebox.ledger.sql;

import dev.oncebox.job.Job;
import dev.oncebox.job.Keying;
import dev.oncebox.ledger.CallState;
import dev.oncebox.ledger.DroppedFile;
import dev.oncebox.ledger.Entry;
import dev.oncebox.ledger.Ledger.UnarchivedFile;
import dev.oncebox.ledger.ReceivedFile;
import java.sql.SQLException;
import java.time.Clock;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Message Store: files, their items, and the calls that the items ask for. Runs inside the writer's transactions. */
final class SqlIntake {

    /** Stays within the index of ids; asked for more of the item, SQLite would read through the whole file instead. */
    static final String WITH_ID = "SELECT n FROM item WHERE file = ? AND id = ? AND id IS NOT NULL LIMIT 1";

    static final String WITHOUT_ID = "SELECT n FROM item WHERE file = ? AND n = ? AND id IS NULL";
    private static final String TWIN =
            "SELECT i.n, c.key, c.content FROM item i LEFT JOIN call c ON c.id = i.call WHERE i.file = ? AND i.n = ?";
    static final Pattern LINE_NUMBER = Pattern.compile("[1-9][0-9]{0,17}");

    static final String KEY_CONFLICT = "key_conflict";
    static final String USED_BEFORE = "This id was used before with other content, and this job's key is the"
            + " id. Give the item a new id, or set another key in job.properties.";

    private final RequestCodec codec;
    private final PurgedBodies purged;
    private final Clock clock;
    private final int keyVersion;
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
        this.purged = new PurgedBodies(codec, clock);
        this.clock = clock;
        this.keyVersion = keyVersion;
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
        session.settlePending();
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
            session.update(
                    "INSERT INTO source (file, n, body) VALUES (?, ?, ?) ON CONFLICT (file, n) DO NOTHING",
                    file,
                    n,
                    Packed.pack(written));
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
        long job = jobId(session, file.file().job());
        long items = 0;
        long invalid = 0;
        long pending = 0;
        long last = session.number("SELECT coalesce(max(n), 0) FROM item WHERE file = ?", file.id());
        KnownCalls known = KnownCalls.of(session, entries);
        for (Entry entry : entries) {
            if (entry.n() <= last && isRecorded(session, file, entry)) {
                readAgain(session, file.id(), entry, known);
                continue;
            }
            items++;
            Placed placed = place(session, file, job, entry, known);
            if (placed.call() == null) {
                invalid++;
            } else if (placed.open()) {
                pending++;
            }
            session.update(
                    "INSERT INTO item (file, n, line, \"offset\", id, call, fresh, variant, code, message)"
                            + " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    file.id(),
                    entry.n(),
                    entry.line(),
                    entry.offset(),
                    entry.id(),
                    placed.call(),
                    placed.fresh(),
                    placed.variant(),
                    placed.code(),
                    placed.message());
            if (placed.call() != null && entry instanceof Entry.Asking asking) {
                keep(session, file.id(), entry.n(), asking.row());
            }
        }
        session.update(
                "UPDATE file SET items = items + ?, invalid = invalid + ?, pending = pending + ? WHERE id = ?",
                items,
                invalid,
                pending,
                file.id());
        SqlPolling.joined(session, file.id());
        return items;
    }

    private void readAgain(Session session, long file, Entry entry, KnownCalls calls) throws SQLException {
        if (entry instanceof Entry.Asking asking) {
            purged.readAgain(session, file, asking);
            KnownCalls.KnownCall known = calls.get(asking.key());
            if (known != null && !known.sendable()) {
                calls.look(session, asking.key());
            }
            keep(session, file, entry.n(), asking.row());
        }
    }

    private static boolean isRecorded(Session session, ReceivedFile file, Entry entry) throws SQLException {
        return session.number("SELECT count(*) FROM item WHERE file = ? AND n = ?", file.id(), entry.n()) > 0;
    }

    /** Where an item belongs: to a call, or nowhere with a reason. */
    private record Placed(
            @Nullable Long call,
            boolean open,
            boolean fresh,
            boolean variant,
            @Nullable String code,
            @Nullable String message) {

        static Placed refused(String code, String message) {
            return new Placed(null, false, false, false, code, message);
        }
    }

    private record Twin(long n, byte @Nullable [] key, byte @Nullable [] content) {}

    private Placed place(Session session, ReceivedFile file, long job, Entry entry, KnownCalls calls)
            throws SQLException {
        if (entry instanceof Entry.Invalid invalid) {
            return Placed.refused(invalid.code(), invalid.message());
        }
        Entry.Asking asking = (Entry.Asking) entry;
        Twin twin = sameId(session, file, asking);
        SameId refusal =
                twin == null ? null : SameId.refusal(file.file().kind(), twin.n(), isSameRequest(twin, asking));
        if (refusal != null) {
            return Placed.refused(refusal.code(), refusal.message());
        }
        KnownCalls.KnownCall known = calls.get(asking.key());
        if (known == null) {
            long made = make(session, file, job, asking);
            if (made > 0) {
                calls.put(asking.key(), KnownCalls.KnownCall.waiting(made, asking.content()));
                return new Placed(made, true, true, false, null, null);
            }
            known = calls.look(session, asking.key());
        }
        boolean variant = !Arrays.equals(known.content(), asking.content());
        if (variant && asking.keying() == Keying.ID) {
            return Placed.refused(KEY_CONFLICT, USED_BEFORE);
        }
        if (!known.sendable()) {
            purged.fill(session, known.id(), asking);
            known = calls.look(session, asking.key());
        }
        if (retryDead && known.state() == CallState.DEAD && known.uncharged() && known.ended() < file.receivedAt()) {
            session.update(
                    "UPDATE call SET engine = ? WHERE id = ?",
                    file.file().job().engines().get(0),
                    known.id());
            revive(session, known.id(), clock.millis());
            session.update("UPDATE item SET fresh = 0 WHERE call = ?", known.id());
            calls.put(asking.key(), KnownCalls.KnownCall.waiting(known.id(), known.content()));
            return new Placed(known.id(), true, true, variant, null, null);
        }
        calls.put(asking.key(), known.wanted());
        return new Placed(known.id(), !known.state().isEnd(), known.orphan(), variant, null, null);
    }

    /** The new call; 0 when another node has just made it. */
    private long make(Session session, ReceivedFile file, long job, Entry.Asking asking) throws SQLException {
        long now = clock.millis();
        long made = session.number(
                "INSERT INTO call (key, key_version, content, job, engine, state, due, created)"
                        + " VALUES (?, ?, ?, ?, ?, 'READY', ?, ?) ON CONFLICT (key) DO NOTHING RETURNING id",
                asking.key(),
                keyVersion,
                asking.content(),
                job,
                file.file().job().engines().get(0),
                now,
                now);
        if (made > 0) {
            session.update("INSERT INTO request (call, body) VALUES (?, ?)", made, codec.item(asking.request()));
        }
        return made;
    }

    static String duplicateOf(long n) {
        return "Item " + n + " of this file has the same id and other content."
                + " Give each item an id of its own, or leave the ids out.";
    }

    private static boolean isSameRequest(Twin twin, Entry.Asking asking) {
        if (!Arrays.equals(twin.key(), asking.key())) {
            return false;
        }
        return asking.keying() != Keying.ID || Arrays.equals(twin.content(), asking.content());
    }

    /** An earlier item with the same id; where an item has none, its place in the file serves as one. */
    private @Nullable Twin sameId(Session session, ReceivedFile file, Entry.Asking asking) throws SQLException {
        String id = asking.id() == null ? String.valueOf(asking.n()) : asking.id();
        long n = session.number(WITH_ID, file.id(), id);
        if (n == 0 && asking.id() != null && LINE_NUMBER.matcher(id).matches()) {
            n = session.number(WITHOUT_ID, file.id(), Long.parseLong(id));
        }
        return n == 0
                ? null
                : session.one(TWIN, row -> new Twin(row.getLong(1), row.getBytes(2), row.getBytes(3)), file.id(), n);
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
