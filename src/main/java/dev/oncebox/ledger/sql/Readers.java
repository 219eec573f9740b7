package dev.oncebox.ledger.sql;

import dev.oncebox.ledger.LedgerException;
import java.sql.SQLException;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Connections for reading, kept open between uses; as many as there are readers at once. */
final class Readers implements AutoCloseable {

    private final Dialect dialect;
    private final ConcurrentLinkedQueue<Session> idle = new ConcurrentLinkedQueue<>();

    Readers(Dialect dialect) {
        this.dialect = dialect;
    }

    <T> T read(GroupCommit.Step<T> step) {
        Session session = null;
        boolean sound = false;
        try {
            session = idle.poll();
            if (session == null) {
                session = dialect.session();
            }
            T result = step.run(session);
            sound = true;
            return result;
        } catch (SQLException e) {
            throw dialect.explain(e);
        } finally {
            if (session != null) {
                giveBack(session, sound);
            }
        }
    }

    private void giveBack(Session session, boolean sound) throws LedgerException {
        if (sound) {
            idle.add(session);
            return;
        }
        closeQuietly(session);
    }

    private static void closeQuietly(Session session) {
        try {
            session.close();
        } catch (SQLException e) {
            // a reader has nothing to lose
        }
    }

    @Override
    public void close() {
        for (Session session = idle.poll(); session != null; session = idle.poll()) {
            closeQuietly(session);
        }
    }
}
