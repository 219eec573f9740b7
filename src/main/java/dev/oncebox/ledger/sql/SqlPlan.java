package dev.oncebox.ledger.sql;

import dev.oncebox.config.ConfigException;
import dev.oncebox.config.LedgerUrl;
import dev.oncebox.job.Job;
import dev.oncebox.job.Keying;
import dev.oncebox.ledger.CallState;
import dev.oncebox.ledger.DroppedFile;
import dev.oncebox.ledger.Entry;
import dev.oncebox.ledger.Foreseen;
import dev.oncebox.ledger.Foreseen.Kind;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.sqlite.SQLiteErrorCode;

/**
 * Says what {@link SqlIntake} would make of items, beside a worker or without one, and changes nothing. A ledger that
 * does not exist yet is an empty one. Belongs to one thread.
 *
 * <p>What was seen of the files is kept in tables of SQLite's, wherever the ledger is, in a file that has no name: some
 * 200 bytes an item, and no more memory for a million items than for ten. A transaction lasts for one chunk of items, so
 * that the write-ahead log of a worker can be folded back meanwhile.
 */
public final class SqlPlan implements AutoCloseable {

    /** So many of the last calls are looked at for how long a job's answers are. */
    private static final int RECENT = 100_000;

    private static final String A_FILE_WITHOUT_A_NAME = "jdbc:sqlite:";

    private final RequestCodec codec = new RequestCodec();
    private final Dialect dialect;
    private final @Nullable Session ledger;
    private final Session seen;
    private long file;
    private DroppedFile.Kind fileKind = DroppedFile.Kind.LINES;
    private boolean retriesDead;
    private long halfRead;

    private SqlPlan(Dialect dialect, @Nullable Session ledger, Session seen) {
        this.dialect = dialect;
        this.ledger = ledger;
        this.seen = seen;
    }

    /**
     * Opens a ledger for looking at it. One that does not exist is not made.
     *
     * @throws ConfigException when it is there and cannot be read
     */
    public static SqlPlan open(LedgerUrl ledger) {
        Dialect dialect = Dialect.reading(ledger);
        return open(dialect, SqlReports.session(dialect));
    }

    static SqlPlan open(Dialect dialect, @Nullable Session reading) {
        try {
            var seen = new Session(DriverManager.getConnection(A_FILE_WITHOUT_A_NAME));
            seen.one("PRAGMA journal_mode = OFF", row -> row.getString(1));
            seen.run("PRAGMA cache_size = -32000");
            // own: whether the item has the id itself, rather than by its place
            seen.run("CREATE TABLE twin (id TEXT NOT NULL, own INTEGER NOT NULL, n INTEGER NOT NULL, key BLOB,"
                    + " content BLOB, PRIMARY KEY (id, own)) WITHOUT ROWID");
            seen.run("CREATE TABLE planned (key BLOB PRIMARY KEY, content BLOB NOT NULL, file INTEGER NOT NULL)"
                    + " WITHOUT ROWID");
            return new SqlPlan(dialect, reading, seen);
        } catch (SQLException e) {
            throw dialect.unreadable(e);
        }
    }

    private record KnownFile(long id, boolean whole, boolean archived) {}

    /**
     * Goes on to the next file.
     *
     * @return whether the ledger has it: it is delivered again, and its receipt is that of the first time
     */
    public boolean begin(DroppedFile dropped) {
        Job job = dropped.job();
        return asked(() -> {
            file++;
            fileKind = dropped.kind();
            seen.run("DELETE FROM twin");
            KnownFile known = ledger == null
                    ? null
                    : ledger.one(
                            "SELECT f.id, f.state <> 'TAKING', f.archived FROM file f JOIN job j ON j.id = f.job"
                                    + " WHERE f.path = ? AND f.sha256 = ? AND j.name = ? AND j.fingerprint = ?",
                            row -> new KnownFile(row.getLong(1), row.getBoolean(2), row.getBoolean(3)),
                            dropped.path(),
                            dropped.sha256(),
                            job.name(),
                            codec.fingerprint(codec.definition(job)));
            boolean whole = known != null && known.whole();
            retriesDead = known == null || !whole || known.archived();
            halfRead = known == null || whole ? 0 : known.id();
            return known != null && whole && PurgedBodies.isWhole(Objects.requireNonNull(ledger), known.id());
        });
    }

    /** What becomes of the file's next items, in their order. */
    public List<Foreseen> foresee(List<Entry> entries) {
        return asked(() -> {
            seen.run("BEGIN");
            try {
                return foreseeAsOfNow(entries);
            } finally {
                seen.run("COMMIT");
            }
        });
    }

    private List<Foreseen> foreseeAsOfNow(List<Entry> entries) throws SQLException {
        if (ledger != null) {
            ledger.run(dialect.beginReading());
        }
        try {
            List<Foreseen> foreseen = new ArrayList<>(entries.size());
            for (Entry entry : entries) {
                foreseen.add(foresee(entry));
            }
            return foreseen;
        } finally {
            if (ledger != null) {
                ledger.run("COMMIT");
            }
        }
    }

    private Foreseen foresee(Entry entry) throws SQLException {
        Foreseen foreseen =
                entry instanceof Entry.Asking asking ? ofAsking(asking) : Foreseen.invalid((Entry.Invalid) entry);
        boolean valid = foreseen.kind() != Kind.INVALID;
        seen.update(
                "INSERT INTO twin (id, own, n, key, content) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
                id(entry),
                entry.id() != null,
                entry.n(),
                valid ? ((Entry.Asking) entry).key() : null,
                valid ? ((Entry.Asking) entry).content() : null);
        return foreseen;
    }

    private static String id(Entry entry) {
        return entry.id() == null ? String.valueOf(entry.n()) : entry.id();
    }

    private record Twin(long n, byte @Nullable [] key, byte @Nullable [] content) {}

    private record KnownCall(
            byte[] content, long file, @Nullable Kind kind) {}

    private Foreseen ofAsking(Entry.Asking asking) throws SQLException {
        Twin twin = sameId(asking);
        SameId refusal = twin == null ? null : SameId.refusal(fileKind, twin.n(), isSameRequest(twin, asking));
        if (refusal != null) {
            return Foreseen.refused(asking, refusal.code(), refusal.message());
        }
        KnownCall known = seen.one(
                "SELECT content, file FROM planned WHERE key = ?",
                row -> new KnownCall(row.getBytes(1), row.getLong(2), null),
                (Object) asking.key());
        boolean first = known == null;
        if (first) {
            known = recorded(asking.key());
        }
        boolean variant = known != null && !Arrays.equals(known.content(), asking.content());
        if (variant && asking.keying() == Keying.ID) {
            return Foreseen.refused(asking, SqlItems.KEY_CONFLICT, SqlItems.USED_BEFORE);
        }
        if (first) {
            seen.update(
                    "INSERT INTO planned (key, content, file) VALUES (?, ?, ?)",
                    asking.key(),
                    known == null ? asking.content() : known.content(),
                    file);
        }
        return new Foreseen(asking, kind(known), variant);
    }

    private Kind kind(@Nullable KnownCall known) {
        if (known == null) {
            return Kind.NEW;
        }
        if (known.kind() != null) {
            return known.kind();
        }
        return known.file() == file ? Kind.REPEATED : Kind.SHARED;
    }

    private @Nullable KnownCall recorded(byte[] key) throws SQLException {
        return ledger == null
                ? null
                : ledger.one(
                        "SELECT content, CASE code WHEN '" + PurgedBodies.CODE + "' THEN 'DEAD' ELSE state END,"
                                + " attempts = 0 AND doubts = 0, EXISTS (SELECT 1 FROM item i"
                                + " WHERE i.call = call.id AND i.file = ? AND i.fresh = 1) FROM call WHERE key = ?",
                        row -> new KnownCall(
                                row.getBytes(1),
                                0,
                                kind(CallState.valueOf(row.getString(2)), row.getBoolean(3), row.getBoolean(4))),
                        halfRead,
                        key);
    }

    /**
     * @param own whether the call waits for this very file, which a process that died had begun to read
     */
    private Kind kind(CallState state, boolean uncharged, boolean own) {
        return switch (state) {
            case READY, CLAIMED -> own ? Kind.NEW : Kind.WAITING;
            case SENT, POLLING -> Kind.IN_FLIGHT;
            case DOUBT -> Kind.IN_DOUBT;
            case DONE -> Kind.ANSWERED;
            case DEAD -> uncharged && retriesDead ? Kind.RETRIED : Kind.DEAD;
        };
    }

    private static boolean isSameRequest(Twin twin, Entry.Asking asking) {
        return Arrays.equals(twin.key(), asking.key())
                && (asking.keying() != Keying.ID || Arrays.equals(twin.content(), asking.content()));
    }

    private @Nullable Twin sameId(Entry.Asking asking) throws SQLException {
        Twin twin = twin(id(asking), true);
        boolean mayBePlace =
                asking.id() != null && SqlItems.LINE_NUMBER.matcher(asking.id()).matches();
        return twin == null && mayBePlace ? twin(asking.id(), false) : twin;
    }

    private @Nullable Twin twin(@Nullable String id, boolean own) throws SQLException {
        return seen.one(
                "SELECT n, key, content FROM twin WHERE id = ? AND own = ?",
                row -> new Twin(row.getLong(1), row.getBytes(2), row.getBytes(3)),
                id,
                own);
    }

    /**
     * How long the answers of a job were.
     *
     * @param calls how many of its recent ones were counted, each sent once
     * @param tokens of one, on average
     */
    public record Lengths(long calls, double tokens) {}

    /** How long a job's recent answers were; null when none is known. */
    public @Nullable Lengths lengths(String job) {
        if (ledger == null) {
            return null;
        }
        Lengths lengths = asked(() -> ledger.one(
                "SELECT count(*), coalesce(avg(c.output_tokens), 0) FROM (SELECT job, output_tokens FROM call"
                        + " WHERE id > (SELECT max(id) FROM call) - " + RECENT + " AND state = 'DONE' AND attempts = 1"
                        + " AND output_tokens IS NOT NULL) c JOIN job j ON j.id = c.job WHERE j.name = ?",
                row -> new Lengths(row.getLong(1), row.getDouble(2)),
                job));
        return lengths == null || lengths.calls() == 0 ? null : lengths;
    }

    @FunctionalInterface
    private interface Question<T> {
        @Nullable
        T of() throws SQLException;
    }

    @SuppressWarnings("NullAway") // a question that never returns null has an answer that is never null
    private <T> T asked(Question<T> question) {
        try {
            return question.of();
        } catch (SQLException e) {
            if ((e.getErrorCode() & 0xff) == SQLiteErrorCode.SQLITE_FULL.code) {
                throw new ConfigException(
                        "The temporary folder is full: a plan needs some 200 bytes there for each item."
                                + " Make room, or name another folder in the variable SQLITE_TMPDIR.");
            }
            throw dialect.unreadable(e);
        }
    }

    @Override
    public void close() {
        try (seen) {
            if (ledger != null) {
                ledger.close();
            }
        } catch (SQLException e) {
            // a reader has nothing to lose
        } finally {
            dialect.close();
        }
    }
}
