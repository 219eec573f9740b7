package dev.oncebox.runtime;

import dev.oncebox.config.ConfigException;
import dev.oncebox.config.LedgerUrl;
import dev.oncebox.ledger.LedgerException;
import dev.oncebox.ledger.sql.SqlRetention;
import dev.oncebox.ledger.sql.SqlRetention.Dropped;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a ledger small: drops the bodies of what was delivered long ago, and gives the room back to the disk when
 * nobody works on the ledger. Beside a worker it takes turns with it.
 */
public final class Purge {

    private static final long LEAST_PAUSE_MILLIS = 5;

    private final LedgerUrl ledger;
    private final Clock clock;

    public Purge(LedgerUrl ledger, Clock clock) {
        this.ledger = ledger;
        this.clock = clock;
    }

    /**
     * What it came to.
     *
     * @param before what had its end, and was delivered, before that moment, epoch milliseconds
     * @param sizeBefore of the ledger and its log, bytes
     * @param sizeAfter the same afterwards
     * @param free how much of it is free for what comes
     * @param remark why it was not compacted; null: it was, or nothing is free, or it was only counted
     */
    public record End(
            long before,
            Dropped dropped,
            long sizeBefore,
            long sizeAfter,
            long free,
            @Nullable String remark) {}

    /** Says what {@link #run} would drop, and changes nothing. */
    public End count(long before) {
        try (SqlRetention retention = SqlRetention.open(ledger, true, clock)) {
            Dropped dropped = retention.count(before);
            long size = retention.size();
            return new End(before, dropped, size, size, retention.free(), null);
        }
    }

    /**
     * Drops what had its end, and was delivered, before a moment. What was dropped stays so, whatever ends it.
     *
     * @param before epoch milliseconds
     * @throws LedgerException when the ledger cannot be written
     */
    public End run(long before) {
        try (WorkerLock lock = lock()) {
            return run(before, null);
        } catch (WorkerLock.HeldException held) {
            return run(before, held.holder().name());
        }
    }

    /** A file that nobody works on has been looked over by nobody. */
    private WorkerLock lock() throws WorkerLock.HeldException {
        if (ledger instanceof LedgerUrl.SqliteFile sqlite) {
            requireLedger(sqlite.file());
            WorkerLock lock = WorkerLock.acquire(ledger, WorkerLock.Purpose.PURGE);
            boolean sound = false;
            try {
                SqlRetention.requireHealth(sqlite.file());
                sound = true;
                return lock;
            } finally {
                if (!sound) {
                    lock.close();
                }
            }
        }
        return WorkerLock.acquire(ledger, WorkerLock.Purpose.PURGE);
    }

    private End run(long before, @Nullable String worker) {
        Dropped dropped = Dropped.NOTHING;
        try (SqlRetention retention = SqlRetention.open(ledger, false, clock)) {
            long size = retention.size();
            long begun = System.nanoTime();
            for (Dropped some = retention.drop(before); some != null; some = retention.drop(before)) {
                dropped = dropped.plus(some);
                begun = letOthersWrite(begun);
            }
            String remark = retention.free() == 0 ? null : worker == null ? compact(retention) : inUse(worker);
            return new End(before, dropped, size, retention.size(), retention.free(), remark);
        }
    }

    static void requireLedger(Path ledger) {
        if (!Files.exists(ledger)) {
            throw new ConfigException("There is no ledger " + ledger + ". Check --home.");
        }
    }

    private static String inUse(String worker) {
        return "It is not made smaller while " + worker
                + " works on it; what is free is used again. Stop that and purge"
                + " once more to give it back to the disk.";
    }

    /** Whoever waits for the ledger looks at it now and then only: back to back, nobody else would ever have it. */
    private static long letOthersWrite(long begun) {
        try {
            Thread.sleep(Math.max(LEAST_PAUSE_MILLIS, (System.nanoTime() - begun) / 1_000_000));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return System.nanoTime();
    }

    private @Nullable String compact(SqlRetention retention) {
        long needed = 2 * retention.used();
        if (ledger instanceof LedgerUrl.SqliteFile sqlite && room(sqlite.file()) < needed) {
            return "It is not made smaller: that takes " + needed + " bytes of the disk for a while, and there are "
                    + room(sqlite.file()) + ". Make room and purge once more; what is free is used again meanwhile.";
        }
        try {
            retention.compact();
            return null;
        } catch (LedgerException e) {
            return "It is not made smaller: " + e.getMessage() + ". It is as it was; purge once more when there is room"
                    + " in its folder and in the temporary one (SQLITE_TMPDIR, else /var/tmp).";
        }
    }

    private static long room(Path file) {
        try {
            Path folder = Objects.requireNonNull(file.toAbsolutePath().getParent());
            return Files.getFileStore(folder).getUsableSpace();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
