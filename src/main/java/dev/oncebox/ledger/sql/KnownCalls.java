package dev.oncebox.ledger.sql;

import dev.oncebox.ledger.CallState;
import dev.oncebox.ledger.Entry;
import java.nio.ByteBuffer;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The calls that a chunk of items asks for and that the ledger has, looked up together: a file that is dropped again is
 * answered by little else. True as long as the transaction lasts in which they were found, since their rows are held
 * where others could change them, and {@link #put} is told of every change.
 */
final class KnownCalls {

    private static final String FIND = "SELECT key, id, state, content, attempts = 0 AND doubts = 0, ended,"
            + " NOT EXISTS (SELECT 1 FROM item i WHERE i.call = call.id LIMIT 1 OFFSET 0), " + PurgedBodies.SENDABLE
            + " FROM call WHERE key IN" + Session.AMONG;

    /**
     * A call that the ledger has.
     *
     * @param content of the item that caused it
     * @param uncharged whether no attempt at it was, or may have been, charged
     * @param orphan whether no item asks for it any more
     * @param sendable whether its request is there
     */
    record KnownCall(
            long id, CallState state, byte[] content, boolean uncharged, long ended, boolean orphan, boolean sendable) {

        static KnownCall waiting(long id, byte[] content) {
            return new KnownCall(id, CallState.READY, content, true, 0, false, true);
        }

        KnownCall wanted() {
            return orphan ? new KnownCall(id, state, content, uncharged, ended, false, sendable) : this;
        }
    }

    private final Map<ByteBuffer, KnownCall> calls = new HashMap<>();

    private KnownCalls() {}

    static KnownCalls of(Session session, List<Entry> entries) throws SQLException {
        Set<ByteBuffer> keys = new LinkedHashSet<>();
        for (Entry entry : entries) {
            if (entry instanceof Entry.Asking asking) {
                keys.add(ByteBuffer.wrap(asking.key()));
            }
        }
        var known = new KnownCalls();
        known.look(session, keys.stream().map(ByteBuffer::array).toList());
        return known;
    }

    private void look(Session session, List<byte[]> keys) throws SQLException {
        session.among(session.sharing() == Sharing.ALONE ? FIND : FIND + " FOR SHARE OF call", this::take, keys);
    }

    /** Looks again for a call that was not there before. */
    KnownCall look(Session session, byte[] key) throws SQLException {
        look(session, List.of(key));
        KnownCall found = get(key);
        if (found == null) {
            throw new IllegalStateException("a call vanished while its item was recorded");
        }
        return found;
    }

    private boolean take(ResultSet row) throws SQLException {
        put(
                row.getBytes(1),
                new KnownCall(
                        row.getLong(2),
                        CallState.valueOf(row.getString(3)),
                        row.getBytes(4),
                        row.getBoolean(5),
                        row.getLong(6),
                        row.getBoolean(7),
                        row.getBoolean(8)));
        return true;
    }

    /** Null: the ledger does not have it. */
    @Nullable
    KnownCall get(byte[] key) {
        return calls.get(ByteBuffer.wrap(key));
    }

    KnownCall required(byte[] key) {
        return Objects.requireNonNull(get(key));
    }

    void put(byte[] key, KnownCall call) {
        calls.put(ByteBuffer.wrap(key), call);
    }
}
