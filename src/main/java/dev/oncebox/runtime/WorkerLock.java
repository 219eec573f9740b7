package dev.oncebox.runtime;

import dev.oncebox.config.ConfigException;
import dev.oncebox.config.LedgerUrl;
import dev.oncebox.ledger.sql.ServerLock;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * One worker a file: a lock of the operating system, which ends with its process however that ends. Readers and other
 * commands do not take it. On a database server it is a lock of the server's.
 */
final class WorkerLock implements AutoCloseable {

    /** What a process holds the lock for; written into the lock file. */
    enum Purpose {
        RUN,
        ASK,
        CHECK,
        PURGE,
        BACKUP;

        /** Whether it ends soon and by itself, so that a runtime waits for it. */
        boolean isShort() {
            return this == ASK || this == PURGE || this == BACKUP;
        }

        /** With its article, for people. */
        String named() {
            return (this == ASK ? "an " : "a ") + text();
        }

        private String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * Who holds the lock, as far as the lock file says so.
     *
     * @param pid 0: it says nothing that could be believed
     * @param purpose null: unknown
     * @param name for people
     */
    record Holder(long pid, @Nullable Purpose purpose, String name) {
        static final Holder UNKNOWN = new Holder(0, null, "another process");

        /** Whether the process lives: what a killed one wrote stands there until the next one has written. */
        boolean isAlive() {
            return ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false);
        }
    }

    /** Another process holds the lock. */
    static final class HeldException extends Exception {
        private static final long serialVersionUID = 1;

        private final transient Holder holder;

        HeldException(Holder holder, String message) {
            super(message);
            this.holder = holder;
        }

        Holder holder() {
            return holder;
        }
    }

    private static final int LONGEST_NAME = 300;
    private static final Pattern HOLDER =
            Pattern.compile("(process (\\d+) on \\S+ since [0-9TZ:-]+) for (run|ask|check|purge|backup)");

    private final AutoCloseable lock;

    private WorkerLock(AutoCloseable lock) {
        this.lock = lock;
    }

    static WorkerLock acquire(LedgerUrl ledger, Purpose purpose) throws HeldException {
        return ledger instanceof LedgerUrl.SqliteFile sqlite
                ? acquire(sqlite.file(), purpose)
                : acquire((LedgerUrl.PostgresDatabase) ledger);
    }

    private static WorkerLock acquire(LedgerUrl.PostgresDatabase ledger) throws HeldException {
        ServerLock lock = ServerLock.take(ledger);
        if (lock == null) {
            throw held(Holder.UNKNOWN, ledger.name());
        }
        return new WorkerLock(lock);
    }

    private static HeldException held(Holder holder, String ledger) {
        return new HeldException(
                holder,
                "The ledger " + ledger + " is in use by " + holder.name()
                        + ". Only one runtime may work on it; stop that one, or use another home.");
    }

    private static WorkerLock acquire(Path ledger, Purpose purpose) throws HeldException {
        Path file = ledger.resolveSibling(ledger.getFileName() + ".lock");
        try {
            // beside the real file: a link to a ledger is the same ledger
            Path real = Files.exists(ledger) ? ledger.toRealPath() : ledger;
            file = real.resolveSibling(real.getFileName() + ".lock");
            FileChannel channel = FileChannel.open(
                    file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
            if (lock(channel) == null) {
                channel.close();
                throw held(holder(file), ledger.toString());
            }
            channel.truncate(0);
            channel.write(ByteBuffer.wrap(("process " + ProcessHandle.current().pid() + " on "
                            + host() + " since "
                            + Instant.now().truncatedTo(ChronoUnit.SECONDS) + " for " + purpose.text())
                    .getBytes(StandardCharsets.UTF_8)));
            return new WorkerLock(channel);
        } catch (IOException e) {
            throw new ConfigException("The lock file " + file + " cannot be used: " + e);
        }
    }

    private static String host() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "localhost";
        }
    }

    private static @Nullable FileLock lock(FileChannel channel) throws IOException {
        try {
            return channel.tryLock();
        } catch (OverlappingFileLockException e) {
            return null;
        }
    }

    private static Holder holder(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            Matcher holder = HOLDER.matcher(new String(in.readNBytes(LONGEST_NAME), StandardCharsets.UTF_8));
            if (!holder.matches()) {
                return Holder.UNKNOWN;
            }
            return new Holder(
                    Long.parseLong(holder.group(2)),
                    Purpose.valueOf(holder.group(3).toUpperCase(Locale.ROOT)),
                    holder.group(1));
        }
    }

    @Override
    public void close() {
        try {
            lock.close();
        } catch (Exception e) {
            // the process ends, and its lock with it
        }
    }
}
