package dev.oncebox.runtime;

import dev.oncebox.config.ConfigException;
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
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * One worker a ledger: a lock of the operating system, which ends with its process however that ends. Readers and
 * other commands do not take it.
 */
final class WorkerLock implements AutoCloseable {

    /** Another process holds the lock. */
    static final class HeldException extends Exception {
        private static final long serialVersionUID = 1;

        HeldException(String message) {
            super(message);
        }
    }

    private static final int LONGEST_NAME = 300;
    private static final Pattern HOLDER = Pattern.compile("process \\d+ on \\S+ since [0-9TZ:-]+");

    private final FileChannel channel;

    private WorkerLock(FileChannel channel) {
        this.channel = channel;
    }

    static WorkerLock acquire(Path ledger) throws HeldException {
        Path file = ledger.resolveSibling(ledger.getFileName() + ".lock");
        try {
            // beside the real file: a link to a ledger is the same ledger
            Path real = Files.exists(ledger) ? ledger.toRealPath() : ledger;
            file = real.resolveSibling(real.getFileName() + ".lock");
            FileChannel channel = FileChannel.open(
                    file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
            if (lock(channel) == null) {
                channel.close();
                throw new HeldException("The ledger " + ledger + " is in use by " + holder(file)
                        + ". Only one runtime may work on it; stop that one, or use another home.");
            }
            channel.truncate(0);
            channel.write(ByteBuffer.wrap(("process " + ProcessHandle.current().pid() + " on "
                            + host() + " since "
                            + Instant.now().truncatedTo(ChronoUnit.SECONDS))
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

    private static String holder(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            String holder = new String(in.readNBytes(LONGEST_NAME), StandardCharsets.UTF_8);
            return HOLDER.matcher(holder).matches() ? holder : "another process";
        }
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            // the process ends, and its lock with it
        }
    }
}
