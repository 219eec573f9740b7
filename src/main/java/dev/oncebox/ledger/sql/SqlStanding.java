package dev.oncebox.ledger.sql;

import dev.oncebox.job.Job;
import dev.oncebox.ledger.DroppedFile;
import dev.oncebox.ledger.Standing;
import dev.oncebox.ledger.Standing.OpenCalls;
import dev.oncebox.ledger.Standing.Stage;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HexFormat;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Finds a file by what makes it the same, and says how far it is. Changes nothing. */
final class SqlStanding {

    private static final String FIND = "SELECT f.id, f.state, f.kind, f.output, f.items FROM file f"
            + " JOIN job j ON j.id = f.job WHERE f.path = ? AND f.sha256 = ? AND j.name = ? AND j.fingerprint = ?";

    /** Also those whose answer was purged: it was delivered. */
    private static final String ANSWERED =
            "SELECT count(*) FROM item i JOIN call c ON c.id = i.call WHERE i.file = ? AND c.state = 'DONE'";

    private static final String OPEN = "SELECT count(*), count(CASE WHEN state IN ('READY', 'CLAIMED') THEN 1 END),"
            + " min(CASE state WHEN 'READY' THEN due END), count(CASE state WHEN 'CLAIMED' THEN 1 END),"
            + " count(CASE state WHEN 'SENT' THEN 1 END), count(CASE state WHEN 'POLLING' THEN 1 END),"
            + " min(CASE state WHEN 'POLLING' THEN " + SqlPolling.DUE
            + " END), count(CASE state WHEN 'DOUBT' THEN 1 END)"
            + " FROM item i JOIN call ON call.id = i.call WHERE i.file = ? AND call.state NOT IN ('DONE', 'DEAD')";

    private static final String SHOWN = "SELECT c.key, c.engine, c.remote, coalesce(i.code, c.code),"
            + " coalesce(i.message, c.reason) FROM item i LEFT JOIN call c ON c.id = i.call WHERE i.file = ? ORDER BY"
            + " CASE WHEN c.state IS NULL OR c.state = 'DEAD' THEN 2 WHEN c.state = 'DONE' THEN 3 ELSE 1 END, i.n LIMIT 1";

    private final RequestCodec codec = new RequestCodec();
    private final Session session;

    SqlStanding(Session session) {
        this.session = session;
    }

    private record Found(
            long id,
            Stage stage,
            DroppedFile.Kind kind,
            @Nullable String output,
            long items) {}

    /** Null: the ledger has no such file. */
    @Nullable
    Standing of(String path, byte[] sha256, Job job) throws SQLException {
        Found found = session.one(
                FIND,
                row -> new Found(
                        row.getLong(1),
                        Stage.valueOf(row.getString(2)),
                        DroppedFile.Kind.valueOf(row.getString(3)),
                        row.getString(4),
                        row.getLong(5)),
                path,
                sha256,
                job.name(),
                codec.fingerprint(codec.definition(job)));
        if (found == null) {
            return null;
        }
        Standing.Shown shown = session.one(SHOWN, SqlStanding::shown, found.id());
        return Objects.requireNonNull(session.one(
                OPEN,
                row -> new Standing(
                        found.id(),
                        found.stage(),
                        found.kind(),
                        found.output(),
                        found.items(),
                        session.number(ANSWERED, found.id()),
                        row.getLong(1),
                        new OpenCalls(
                                row.getLong(2),
                                moment(row, 3),
                                row.getLong(4),
                                row.getLong(5),
                                row.getLong(6),
                                moment(row, 7),
                                row.getLong(8)),
                        shown == null ? new Standing.Shown(null, null, null, null, null) : shown),
                found.id()));
    }

    private static long moment(ResultSet row, int column) throws SQLException {
        long moment = row.getLong(column);
        return row.wasNull() ? Long.MAX_VALUE : moment;
    }

    private static Standing.Shown shown(ResultSet row) throws SQLException {
        byte[] key = row.getBytes(1);
        return new Standing.Shown(
                key == null ? null : HexFormat.of().formatHex(key),
                row.getString(2),
                row.getString(3),
                row.getString(4),
                row.getString(5));
    }
}
