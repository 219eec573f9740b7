package dev.oncebox.ledger.sql;

import dev.oncebox.config.ConfigException;
import dev.oncebox.config.LedgerUrl;
import dev.oncebox.job.Job;
import dev.oncebox.ledger.DroppedFile;
import dev.oncebox.ledger.Entry;
import dev.oncebox.ledger.LedgerException;
import dev.oncebox.ledger.Pause;
import dev.oncebox.ledger.ReceivedFile;
import dev.oncebox.ledger.Standing;
import java.sql.SQLException;
import java.time.Clock;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Looks after one file in a ledger, beside a worker or without one: how far it is, and its record if there is none yet.
 * Never makes or migrates a ledger, and is no worker: it claims and sends nothing. Belongs to one thread.
 */
public final class SqlAsk implements AutoCloseable {

    private final Dialect dialect;
    private final Session session;
    private final SqlIntake intake;

    SqlAsk(Dialect dialect, Session session, int keyVersion, Clock clock) {
        this.dialect = dialect;
        this.session = session;
        this.intake = new SqlIntake(new RequestCodec(), clock, keyVersion, false);
    }

    /**
     * Opens a ledger for looking at it.
     *
     * @return null when there is none that could be looked at: not yet, or not before a worker has brought it up to date
     * @throws LedgerException when it cannot be read
     */
    public static @Nullable SqlAsk reading(LedgerUrl ledger) {
        return open(Dialect.reading(ledger), 0, Clock.systemUTC());
    }

    /**
     * The same for {@link #record}. To be called when a worker has looked the ledger over: before that, any change might
     * spoil what is left of a damaged one.
     *
     * @param keyVersion the version of the keys that entries have
     */
    public static @Nullable SqlAsk writing(LedgerUrl ledger, int keyVersion, Clock clock) {
        return open(Dialect.beside(ledger), keyVersion, clock);
    }

    private static @Nullable SqlAsk open(Dialect dialect, int keyVersion, Clock clock) {
        try {
            Session session = SqlReports.found(dialect);
            return session == null ? null : new SqlAsk(dialect, session, keyVersion, clock);
        } catch (ConfigException e) {
            // a worker will say so, or bring it up to date
            return null;
        } catch (SQLException e) {
            throw refusal(dialect, e);
        }
    }

    private static RuntimeException refusal(Dialect dialect, SQLException failure) {
        return dialect.isWrong(failure) ? dialect.unreadable(failure) : dialect.explain(failure);
    }

    /** How far a file is, and null when the ledger does not have it: the same bytes, path and job are the same file. */
    public @Nullable Standing look(String path, byte[] sha256, Job job) {
        return inTransaction(dialect.beginReading(), () -> new SqlStanding(session).of(path, sha256, job));
    }

    /** Why nothing is sent at the moment, as the last worker said, by engine or {@link Pause#BUDGET}. */
    public Map<String, Pause> pauses() {
        return inTransaction(dialect.beginReading(), () -> SqlEngines.pauses(session));
    }

    /** Whether the process works on the ledger, so that the ledger has been looked over and is of this version. */
    public boolean isWorkedOnBy(long pid) {
        return inTransaction(
                dialect.beginReading(),
                () -> session.number("SELECT count(*) FROM node WHERE ended IS NULL AND pid = ?", pid) > 0);
    }

    /**
     * A file's record, if need be made as a whole or not at all.
     *
     * @param isNew whether it was made now, or made whole
     */
    public record Recorded(long file, boolean isNew) {}

    /**
     * How a file is recorded.
     *
     * @param inInbox whether it lies where a runtime takes and archives it
     * @param alone whether no other process is reading it into the ledger, so that what one left half read is completed
     */
    public record Manner(boolean inInbox, boolean alone) {}

    /**
     * Records a file with all its items in one step, unless the ledger has it; one that was delivered is delivered once
     * more. No dead letter of it is tried again.
     *
     * @param asRead told when all entries were taken: whether they are the file's
     * @return null when it is not recorded: another process is reading it, or {@code asRead} said no
     */
    public @Nullable Recorded record(
            DroppedFile file, Manner manner, Iterator<List<Entry>> entries, BooleanSupplier asRead) {
        return inTransaction(dialect.begin(), () -> {
            Standing known = new SqlStanding(session).of(file.path(), file.sha256(), file.job());
            boolean purged = known != null
                    && known.stage() == Standing.Stage.DELIVERED
                    && !PurgedBodies.isWhole(session, known.file());
            if (known != null && known.stage() != Standing.Stage.TAKING && !purged) {
                if (known.stage() == Standing.Stage.DELIVERED) {
                    deliverAgain(known.file());
                }
                return new Recorded(known.file(), false);
            }
            if (known != null && !purged && !manner.alone()) {
                return null;
            }
            ReceivedFile received = intake.receive(session, file);
            while (entries.hasNext()) {
                intake.record(session, received, entries.next());
            }
            if (!asRead.getAsBoolean()) {
                return null;
            }
            intake.taken(session, received);
            if (purged || known == null && !manner.inInbox()) {
                session.update("UPDATE file SET archived = 1 WHERE id = ?", received.id());
            }
            return new Recorded(received.id(), true);
        });
    }

    private void deliverAgain(long file) throws SQLException {
        SqlIntake.holdOpen(session, "i.file = ?", file);
        session.update(
                "UPDATE file SET state = 'TAKEN', pending = (SELECT count(*) FROM item i JOIN call c ON c.id = i.call"
                        + " WHERE i.file = file.id AND c.state NOT IN ('DONE', 'DEAD')) WHERE id = ?",
                file);
    }

    @FunctionalInterface
    private interface Step<T> {
        @Nullable
        T run() throws SQLException;
    }

    /** A step that returns null leaves nothing behind. */
    @SuppressWarnings("NullAway") // a step that never returns null is one that is never null
    private <T> T inTransaction(String begin, Step<T> step) {
        try {
            session.run(begin);
            boolean kept = false;
            try {
                T result = step.run();
                if (result != null) {
                    session.commit();
                    kept = true;
                }
                return result;
            } finally {
                if (!kept) {
                    session.rollBack();
                }
            }
        } catch (SQLException e) {
            throw refusal(dialect, e);
        }
    }

    @Override
    public void close() {
        try {
            session.close();
        } catch (SQLException e) {
            // what was recorded is durable
        } finally {
            dialect.close();
        }
    }
}
