package dev.oncebox.ledger.sql;

import dev.oncebox.job.Keying;
import dev.oncebox.ledger.CallState;
import dev.oncebox.ledger.Entry;
import dev.oncebox.ledger.ReceivedFile;
import java.sql.SQLException;
import java.time.Clock;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The items of files and the calls that they ask for, recorded a chunk in a transaction of the writer's. Each new call
 * is a question to the database, which may have it from another node by now; all else of a chunk is read and written
 * together.
 */
final class SqlItems {

    static final Pattern LINE_NUMBER = Pattern.compile("[1-9][0-9]{0,17}");

    static final String KEY_CONFLICT = "key_conflict";
    static final String USED_BEFORE = "This id was used before with other content, and this job's key is the"
            + " id. Give the item a new id, or set another key in job.properties.";

    private static final String ITEM =
            "INSERT INTO item (file, n, line, \"offset\", id, call, fresh, variant, code, message)"
                    + " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";

    private final RequestCodec codec;
    private final PurgedBodies purged;
    private final Clock clock;
    private final int keyVersion;
    private final boolean retryDead;

    /**
     * @param retryDead whether dead letters that were certainly not charged are sent again when they are asked for anew
     */
    SqlItems(RequestCodec codec, Clock clock, int keyVersion, boolean retryDead) {
        this.codec = codec;
        this.purged = new PurgedBodies(codec, clock);
        this.clock = clock;
        this.keyVersion = keyVersion;
        this.retryDead = retryDead;
    }

    /**
     * Returns how many items were added.
     *
     * @param job the number of the file's job
     */
    long record(Session session, ReceivedFile file, long job, List<Entry> entries) throws SQLException {
        return new Chunk(session, file, job, entries).record(entries);
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

    private final class Chunk {
        private final Session session;
        private final ReceivedFile file;
        private final long job;
        private final KnownCalls calls;
        private final EarlierItems earlier;
        private final Rows requests;
        private final Rows items;
        private final Rows sources;

        Chunk(Session session, ReceivedFile file, long job, List<Entry> entries) throws SQLException {
            this.session = session;
            this.file = file;
            this.job = job;
            this.calls = KnownCalls.of(session, entries);
            this.earlier = EarlierItems.of(session, file.id(), entries);
            this.requests = new Rows(session, "INSERT INTO request (call, body) VALUES (?, ?)");
            this.items = new Rows(session, ITEM);
            this.sources = new Rows(session, SqlIntake.KEEP);
        }

        long record(List<Entry> entries) throws SQLException {
            Set<Long> recorded = recorded(entries);
            long added = 0;
            long invalid = 0;
            long pending = 0;
            for (Entry entry : entries) {
                if (recorded.contains(entry.n())) {
                    readAgain(entry);
                    continue;
                }
                Placed placed = place(entry);
                add(entry, placed);
                added++;
                invalid += placed.call() == null ? 1 : 0;
                pending += placed.open() ? 1 : 0;
            }
            write();
            session.count(file.id(), new Session.Counts(added, invalid, pending));
            SqlPolling.joined(session, file);
            return added;
        }

        /** Those that a reading of the file which did not come to its end has recorded. */
        private Set<Long> recorded(List<Entry> entries) throws SQLException {
            Set<Long> recorded = new HashSet<>();
            List<Long> perhaps =
                    entries.stream().map(Entry::n).filter(earlier::mayHave).toList();
            session.among(
                    "SELECT n FROM item WHERE file = ? AND n IN" + Session.AMONG,
                    row -> recorded.add(row.getLong(1)) || true,
                    perhaps,
                    file.id());
            return recorded;
        }

        private void add(Entry entry, Placed placed) {
            items.add(
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
            byte[] key = null;
            byte[] content = null;
            if (placed.call() != null && entry instanceof Entry.Asking asking) {
                keep(asking);
                key = asking.key();
                content = calls.required(key).content();
            }
            earlier.add(entry.n(), entry.id(), new EarlierItems.Earlier(entry.n(), key, content));
        }

        private void keep(Entry.Asking asking) {
            if (asking.row() != null) {
                sources.add(file.id(), asking.n(), Packed.pack(asking.row()));
            }
        }

        /** Whatever is done next looks at the items and requests. */
        private void write() throws SQLException {
            requests.write();
            items.write();
            sources.write();
        }

        private void readAgain(Entry entry) throws SQLException {
            if (entry instanceof Entry.Asking asking) {
                write();
                purged.readAgain(session, file.id(), asking);
                KnownCalls.KnownCall known = calls.get(asking.key());
                if (known != null && !known.sendable()) {
                    calls.look(session, asking.key());
                }
                keep(asking);
            }
        }

        private Placed place(Entry entry) throws SQLException {
            if (entry instanceof Entry.Invalid invalid) {
                return Placed.refused(invalid.code(), invalid.message());
            }
            Entry.Asking asking = (Entry.Asking) entry;
            EarlierItems.Earlier twin = earlier.sameId(asking);
            SameId refusal = twin == null ? null : SameId.refusal(file.file().kind(), twin.n(), twin.asksFor(asking));
            if (refusal != null) {
                return Placed.refused(refusal.code(), refusal.message());
            }
            KnownCalls.KnownCall known = calls.get(asking.key());
            if (known == null) {
                long made = make(asking);
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
            return join(asking, known, variant);
        }

        /** The new call; 0 when another node has just made it. */
        private long make(Entry.Asking asking) throws SQLException {
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
                requests.add(made, codec.item(asking.request()));
            }
            return made;
        }

        /** To a call that there is already. */
        private Placed join(Entry.Asking asking, KnownCalls.KnownCall found, boolean variant) throws SQLException {
            KnownCalls.KnownCall known = found;
            if (!known.sendable()) {
                write();
                purged.fill(session, known.id(), asking);
                known = calls.look(session, asking.key());
            }
            if (retryDead
                    && known.state() == CallState.DEAD
                    && known.uncharged()
                    && known.ended() < file.receivedAt()) {
                write();
                session.update(
                        "UPDATE call SET engine = ? WHERE id = ?",
                        file.file().job().engines().get(0),
                        known.id());
                SqlIntake.revive(session, known.id(), clock.millis());
                session.update("UPDATE item SET fresh = 0 WHERE call = ?", known.id());
                calls.put(asking.key(), KnownCalls.KnownCall.waiting(known.id(), known.content()));
                return new Placed(known.id(), true, true, variant, null, null);
            }
            calls.put(asking.key(), known.wanted());
            return new Placed(known.id(), !known.state().isEnd(), known.orphan(), variant, null, null);
        }
    }
}
