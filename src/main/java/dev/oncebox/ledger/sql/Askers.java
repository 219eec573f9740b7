package dev.oncebox.ledger.sql;

import dev.oncebox.ledger.Asker;
import java.sql.SQLException;
import java.util.Optional;

/** Who asks for a call. */
final class Askers {

    private Askers() {}

    /** The first item that does; nothing: none. */
    static Optional<Asker> first(Session session, long call) throws SQLException {
        return Optional.ofNullable(session.one(
                "SELECT f.path, i.line, i.id, (SELECT count(*) FROM item o WHERE o.call = i.call) FROM item i"
                        + " JOIN file f ON f.id = i.file WHERE i.call = ? ORDER BY i.file, i.n LIMIT 1",
                row -> new Asker(row.getString(1), row.getLong(2), row.getString(3), row.getLong(4) - 1),
                call));
    }
}
