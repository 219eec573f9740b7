package dev.oncebox.runtime;

import dev.oncebox.config.ConfigException;
import dev.oncebox.config.LedgerUrl;
import dev.oncebox.ledger.LedgerException;
import dev.oncebox.ledger.sql.LedgerMove;
import dev.oncebox.ledger.sql.SqlRetention;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * Moves a ledger from a file into a database. In the end the file gets another name: what is sent by the copy it does
 * not know, so that nobody may go on with it.
 */
public final class Migration {

    private static final String MOVED = ".moved";

    private final LedgerUrl.SqliteFile from;
    private final LedgerUrl.PostgresDatabase to;

    /** @throws ConfigException when it goes another way than from a file into a database */
    public Migration(LedgerUrl from, LedgerUrl to) {
        if (!(from instanceof LedgerUrl.SqliteFile file) || !(to instanceof LedgerUrl.PostgresDatabase database)) {
            throw new ConfigException(
                    "A ledger is moved from jdbc:sqlite:FILE to jdbc:postgresql://HOST/DATABASE, not from "
                            + from.name() + " to " + to.name() + ".");
        }
        this.from = file;
        this.to = database;
    }

    /**
     * What came of it.
     *
     * @param left where the file is now
     */
    public record End(Map<String, LedgerMove.Counted> tables, Path left) {}

    /**
     * Copies, compares, and puts the file aside. May be ended at any moment and repeated.
     *
     * @throws LedgerException when it is to be repeated, or the copy is not what it should be
     */
    public End run(LedgerMove.Progress progress) {
        Purge.requireLedger(from.file());
        try (WorkerLock lock = WorkerLock.acquire(from, WorkerLock.Purpose.MIGRATE)) {
            SqlRetention.requireHealth(from.file());
            Map<String, LedgerMove.Counted> tables;
            try (LedgerMove move = new LedgerMove(from, to)) {
                tables = move.run(progress);
            }
            return new End(tables, putAside());
        } catch (WorkerLock.HeldException held) {
            throw new ConfigException(String.valueOf(held.getMessage()));
        }
    }

    private Path putAside() {
        Path file = from.file();
        Path left = file.resolveSibling(file.getFileName() + MOVED);
        try {
            for (String part : List.of("-wal", "-shm", "")) {
                Path each = file.resolveSibling(file.getFileName() + part);
                if (Files.exists(each)) {
                    Files.move(each, left.resolveSibling(left.getFileName() + part));
                }
            }
            return left;
        } catch (IOException e) {
            throw new ConfigException("The copy is whole, but " + file + " could not be put aside: " + e
                    + ". Rename it yourself: nobody may go on with it.");
        }
    }
}
