package dev.oncebox.runtime;

import dev.oncebox.config.ConfigException;
import dev.oncebox.config.LedgerUrl;
import dev.oncebox.files.DurableFile;
import dev.oncebox.ledger.sql.SqlBackup;
import dev.oncebox.ledger.sql.SqlRetention;
import dev.oncebox.progress.Progress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Clock;
import java.util.List;
import java.util.Objects;

/** A copy of a ledger in a file that appears whole or not at all, for its owner's eyes. Stops nobody. */
public final class Backup {

    /** What SQLite and Oncebox themselves keep beside a ledger. */
    private static final List<String> OWN = List.of("", "-wal", "-shm", "-journal", ".lock", ".new");

    private final Path ledger;
    private final Clock clock;
    private final Progress progress;

    /**
     * @param progress shown how many bytes of the copy are written
     * @throws ConfigException when the ledger is no file
     */
    public Backup(LedgerUrl ledger, Clock clock, Progress progress) {
        if (!(ledger instanceof LedgerUrl.SqliteFile sqlite)) {
            throw new ConfigException("The ledger " + ledger.name() + " is a server's, which has a tool of its own for"
                    + " that: pg_dump --format=custom --file=FILE DATABASE, beside running nodes too. What was sent after"
                    + " a backup it does not know: before a restored one is used, see the README, Scaling.");
        }
        this.ledger = sqlite.file();
        this.clock = clock;
        this.progress = progress;
    }

    /**
     * @param bytes the size of the copy
     */
    public record Made(Path file, long bytes, SqlBackup.Counts counts) {}

    /**
     * Makes the copy.
     *
     * @param file its name, which must be free
     * @throws ConfigException when it cannot have that name, or there is no ledger
     * @throws dev.oncebox.ledger.LedgerException when the copy is not what it should be
     */
    public Made make(Path file) {
        Path target = file.toAbsolutePath().normalize();
        Path folder = folder(target);
        if (isLedgersOwn(target)) {
            throw new ConfigException(file + " belongs to the ledger itself. Name another file.");
        }
        if (Files.exists(target, LinkOption.NOFOLLOW_LINKS)) {
            throw taken(file);
        }
        lookOver();
        try (DurableFile copy = DurableFile.create(folder, target.getFileName().toString())) {
            Files.setPosixFilePermissions(copy.place(), PosixFilePermissions.fromString("rw-------"));
            SqlBackup.Counts counts = counted(copy.place());
            long bytes = Files.size(copy.place());
            if (!copy.publish(target)) {
                throw taken(file);
            }
            return new Made(target, bytes, counts);
        } catch (IOException e) {
            throw new ConfigException("The backup " + file + " cannot be written: " + e + ".");
        }
    }

    private SqlBackup.Counts counted(Path copy) throws IOException {
        try (var watched = new GrowingFile(copy, Files.size(ledger), progress)) {
            return SqlBackup.copy(ledger, copy, clock.millis());
        }
    }

    /** Where nobody works on it, nobody has seen whether it is whole: a torn log is read over in silence. */
    private void lookOver() {
        Purge.requireLedger(ledger);
        try (WorkerLock lock = WorkerLock.acquire(new LedgerUrl.SqliteFile(ledger), WorkerLock.Purpose.BACKUP)) {
            SqlRetention.requireHealth(ledger);
        } catch (WorkerLock.HeldException e) {
            // whoever works on it has looked it over
        }
    }

    private static Path folder(Path target) {
        Path folder = target.getParent();
        if (folder == null || !Files.isDirectory(folder)) {
            throw new ConfigException("There is no folder " + folder + ". Make it first.");
        }
        return folder;
    }

    /** Also by way of a link. */
    private boolean isLedgersOwn(Path target) {
        try {
            Path real = Objects.requireNonNull(target.getParent())
                    .toRealPath()
                    .resolve(Objects.requireNonNull(target.getFileName()));
            Path own = Files.exists(ledger) ? ledger.toRealPath() : ledger.toAbsolutePath();
            return OWN.stream()
                    .anyMatch(ending -> real.equals(own.resolveSibling(own.getFileName() + ending))
                            || target.equals(ledger.resolveSibling(ledger.getFileName() + ending)));
        } catch (IOException e) {
            throw new ConfigException(target + " cannot be used: " + e + ".");
        }
    }

    private static ConfigException taken(Path file) {
        return new ConfigException(file + " is there already, and is never overwritten. Name another file, such as one"
                + " with the date in its name.");
    }
}
