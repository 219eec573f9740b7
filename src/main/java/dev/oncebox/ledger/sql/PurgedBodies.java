package dev.oncebox.ledger.sql;

import dev.oncebox.ledger.CallState;
import dev.oncebox.ledger.Entry;
import dev.oncebox.ledger.EventKind;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * What a purge leaves behind and what follows when somebody asks for it again. Runs inside the transactions of its
 * callers.
 *
 * <p>A call without its request is hollow; one that was answered stays {@link CallState#DONE} under the code
 * {@link #CODE}, so that it is counted as ever. An item that asks for a hollow call brings the request back. The answer
 * cannot be brought back and is not bought again either: the call is a dead letter then, which a person may retry.
 */
final class PurgedBodies {

    /** The code of a call that was answered and whose answer is gone. */
    static final String CODE = "answer_purged";

    /** A condition on rows of {@code call}: its request is there, so that it can be sent. */
    static final String SENDABLE = "EXISTS (SELECT 1 FROM request r WHERE r.call = call.id LIMIT 1 OFFSET 0)";

    private static final String HAS_HEAD =
            " AND (file.kind <> 'TABLE'" + " OR EXISTS (SELECT 1 FROM source s WHERE s.file = file.id AND s.n = 0))";

    /**
     * A condition on rows of {@code file}: what a delivery needs is there; otherwise it has to be read anew. The offset of
     * none, here and elsewhere, keeps PostgreSQL from reading all items and requests first; SQLite does not mind.
     */
    static final String WHOLE = "NOT EXISTS (SELECT 1 FROM item i WHERE i.file = file.id AND i.call IS NOT NULL"
            + " AND NOT EXISTS (SELECT 1 FROM request r WHERE r.call = i.call) LIMIT 1 OFFSET 0)" + HAS_HEAD;

    private static final String BY_CODE = "NOT EXISTS (SELECT 1 FROM item i JOIN call c ON c.id = i.call"
            + " WHERE i.file = file.id AND (CASE WHEN c.state = 'DONE' THEN c.code = '" + CODE + "'"
            + " ELSE NOT EXISTS (SELECT 1 FROM request r WHERE r.call = c.id) END) LIMIT 1 OFFSET 0)";

    /** A condition on rows of {@code file} about one dead call: it was delivered with that, not with a purged answer. */
    static final String TOLD_OF_ITS_END = "EXISTS (SELECT 1 FROM call c WHERE c.id = ?"
            + " AND (c.code IS DISTINCT FROM '" + CODE + "' OR c.ended <= file.delivered))";

    private final RequestCodec codec;
    private final Clock clock;

    PurgedBodies(RequestCodec codec, Clock clock) {
        this.codec = codec;
        this.clock = clock;
    }

    /**
     * As {@link #WHOLE}. An answered call that lost its request is known by its code, as {@link #answerDropped} is part of
     * every purge; to look for the requests would be to read through all bodies of the file.
     */
    static boolean isWhole(Session session, long file) throws SQLException {
        return session.number("SELECT count(*) FROM file WHERE id = ? AND " + BY_CODE + HAS_HEAD, file) > 0;
    }

    /** An answered call whose answer is dropped now. */
    static void answerDropped(Session session, long call, long now) throws SQLException {
        session.update(
                "UPDATE call SET code = ?, reason = ? WHERE id = ? AND state = 'DONE'",
                CODE,
                "Its answer was purged on " + day(now) + ".",
                call);
    }

    private static LocalDate day(long millis) {
        return Instant.ofEpochMilli(millis).atOffset(ZoneOffset.UTC).toLocalDate();
    }

    private record Answered(
            byte[] key,
            long ended,
            long fence,
            int sends,
            String engine,
            @Nullable String reason) {}

    /** An item that is recorded already is read anew: what its call and its row have lost comes back. */
    void readAgain(Session session, long file, Entry.Asking asking) throws SQLException {
        Long call = session.one(
                "SELECT c.id FROM item i JOIN call c ON c.id = i.call WHERE i.file = ? AND i.n = ? AND c.key = ?"
                        + " AND NOT EXISTS (SELECT 1 FROM request r WHERE r.call = c.id)",
                row -> row.getLong(1),
                file,
                asking.n(),
                asking.key());
        if (call != null) {
            fill(session, call, asking);
        }
    }

    /** Brings the request of a hollow call back; if it was answered, it is a dead letter from now on. */
    void fill(Session session, long call, Entry.Asking asking) throws SQLException {
        session.update("INSERT INTO request (call, body) VALUES (?, ?)", call, codec.item(asking.request()));
        Answered answered = session.one(
                "SELECT key, ended, fence, sends, engine, reason FROM call WHERE id = ? AND state = 'DONE'",
                row -> new Answered(
                        row.getBytes(1),
                        row.getLong(2),
                        row.getLong(3),
                        row.getInt(4),
                        row.getString(5),
                        row.getString(6)),
                call);
        if (answered != null) {
            bury(session, call, answered);
        }
    }

    private void bury(Session session, long call, Answered answered) throws SQLException {
        String reason = "It was paid for and answered on " + day(answered.ended()) + ". " + answered.reason()
                + " It is not paid for again by itself; to pay for it once more: oncebox dead retry "
                + HexFormat.of().formatHex(answered.key());
        long now = clock.millis();
        session.update(
                "UPDATE call SET state = 'DEAD', ended = ?, reason = ? WHERE id = ? AND state = 'DONE'",
                now,
                reason,
                call);
        session.update(
                "INSERT INTO event (at, call, fence, attempt, kind, engine, detail) VALUES (?, ?, ?, ?, ?, ?, ?)",
                now,
                call,
                answered.fence(),
                answered.sends(),
                EventKind.DEAD_LETTER,
                answered.engine(),
                CODE + ": " + reason);
    }
}
