package dev.oncebox.files;

import static dev.oncebox.files.FileFacts.exists;
import static dev.oncebox.files.FileFacts.isFile;
import static dev.oncebox.files.FileFacts.parent;

import dev.oncebox.CrashPoint;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A file that appears whole or not at all, and stays after a power cut: a temporary in the same folder, fsync of the
 * temporary, atomic rename, fsync of the folder, which is shared ({@link FolderSync}).
 *
 * <p>Nothing is overwritten: a name that is taken by other content is refused, also when another process takes it at the
 * same moment. The JDK has no rename that fails when the target exists, so the file is given a second name instead, which
 * does. Where that cannot be, and when files are moved, whether a name is free and the rename are two steps, which
 * exclude each other within this process only.
 *
 * <p>A temporary is locked while it is written, so that {@link #sweep} of another process lets it be. A crash leaves at
 * most the temporary; it never leaves a part of a file under the final name.
 */
public final class DurableFile implements AutoCloseable {

    private static final String MARK = ".oncebox.tmp";
    private static final int BUFFER = 1 << 16;

    /** Held from the look at a name to the rename into it. */
    static final Object NAMES = new Object();

    /** Temporaries of this process; a lock does not tell them from others', and touching them would release it. */
    private static final Set<Path> OPEN = ConcurrentHashMap.newKeySet();

    private final Path temporary;
    private final FileChannel channel;
    private final OutputStream out;
    private boolean durable;
    private boolean ended;

    private DurableFile(Path temporary, FileChannel channel) {
        this.temporary = temporary;
        this.channel = channel;
        this.out = new BufferedOutputStream(Channels.newOutputStream(channel), BUFFER) {
            @Override
            public void close() throws IOException {
                flush();
            }
        };
    }

    /**
     * Begins a file in a folder, which is made when missing.
     *
     * @param name what the file will be called; only the name of the temporary depends on it
     */
    public static DurableFile create(Path folder, String name) throws IOException {
        createFolders(folder);
        Path real = folder.toRealPath();
        for (int n = 1; ; n++) {
            Path temporary = real.resolve(FileName.fitted(".", name, (n == 1 ? "" : "." + n) + MARK));
            if (!OPEN.add(temporary)) {
                continue;
            }
            try {
                return new DurableFile(temporary, locked(temporary));
            } catch (FileAlreadyExistsException e) {
                OPEN.remove(temporary);
            } catch (IOException | RuntimeException e) {
                OPEN.remove(temporary);
                throw e;
            }
        }
    }

    private static FileChannel locked(Path temporary) throws IOException {
        FileChannel channel = FileChannel.open(
                temporary, StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE);
        try {
            channel.tryLock();
        } catch (IOException e) {
            // a file system without locks: a sweep by another process makes the rename fail, nothing worse
        }
        return channel;
    }

    /** The name of the temporary, for a writer that wants one instead of {@link #out}. */
    public Path place() {
        return temporary;
    }

    /** Where the content goes. Closing it only flushes. */
    public OutputStream out() {
        return out;
    }

    /** The content goes to the disk, and no more can follow. A name brings that about, but is perhaps given under a lock. */
    public void flush() throws IOException {
        if (!durable) {
            out.flush();
            channel.force(true);
            durable = true;
            CrashPoint.AFTER_TEMP_FILE.reach();
        }
    }

    /** Whether the file can have this name: it is free, or has the same bytes already. */
    public boolean canBecome(Path target) throws IOException {
        flush();
        return !exists(target) || hasSameBytes(target);
    }

    /**
     * Gives the file its name, durably; no content can follow. When the same bytes are already there, that is enough.
     *
     * @param target in the folder of the temporary
     * @return false when other content has the name; the file then waits for another one
     */
    public boolean publish(Path target) throws IOException {
        if (!become(target)) {
            return false;
        }
        FolderSync.sync(parent(target));
        return true;
    }

    /** The same, but the name is durable only after a {@link FolderSync} of the folder, which several files may share. */
    public boolean become(Path target) throws IOException {
        flush();
        synchronized (NAMES) {
            if (isNamed(target)) {
                ended = true;
                CrashPoint.AFTER_RENAME.reach();
            } else if (!hasSameBytes(target)) {
                return false;
            }
        }
        if (!ended) {
            // whoever wrote it may have died before it was durable
            force(target);
        }
        close();
        return true;
    }

    /** A second name, and then the first is taken away: unlike a rename, that overwrites nobody's file. */
    private boolean isNamed(Path target) throws IOException {
        try {
            Files.createLink(target, temporary);
        } catch (FileAlreadyExistsException e) {
            return false;
        } catch (UnsupportedOperationException | FileSystemException e) {
            // a file system without links
            if (exists(target)) {
                return false;
            }
            Files.move(temporary, target, StandardCopyOption.ATOMIC_MOVE);
            return true;
        }
        Files.delete(temporary);
        return true;
    }

    /** Deletes the temporary, unless the file was published. */
    @Override
    public void close() throws IOException {
        try (channel) {
            if (!ended) {
                ended = true;
                Files.deleteIfExists(temporary);
            }
        } finally {
            OPEN.remove(temporary);
        }
    }

    private boolean hasSameBytes(Path target) throws IOException {
        if (!isFile(target) || Files.size(target) != channel.size()) {
            return false;
        }
        // through the one channel: closing a second one would release the lock
        InputStream own = Channels.newInputStream(channel.position(0));
        try (InputStream other = Files.newInputStream(target)) {
            byte[] expected;
            do {
                expected = own.readNBytes(BUFFER);
                if (!Arrays.equals(expected, other.readNBytes(BUFFER))) {
                    return false;
                }
            } while (expected.length > 0);
            return true;
        } catch (AccessDeniedException e) {
            return false;
        }
    }

    /** Deletes a file, durably; nothing when there is none. */
    public static void delete(Path file) throws IOException {
        if (Files.deleteIfExists(file)) {
            FolderSync.sync(parent(file));
        }
    }

    /** Makes a folder and those above it, durably. */
    public static void createFolders(Path folder) throws IOException {
        if (Files.isDirectory(folder)) {
            return;
        }
        Path parent = parent(folder);
        createFolders(parent);
        try {
            Files.createDirectory(folder);
        } catch (FileAlreadyExistsException e) {
            if (!Files.isDirectory(folder)) {
                throw new FileSystemException(
                        folder.toString(), null, "a file has the name that a folder needs. Move it away or rename it");
            }
        }
        FolderSync.sync(parent);
    }

    /**
     * Deletes the temporaries that a crash left below a folder; those being written, here or in another process, stay.
     *
     * @return how many were deleted
     */
    public static int sweep(Path root) throws IOException {
        return sweep(root, Duration.ZERO);
    }

    /**
     * The same where other machines may write as well, whose locks a shared folder does not always know of.
     *
     * @param untouched how long nobody may have written to what is deleted
     */
    public static int sweep(Path root, Duration untouched) throws IOException {
        if (!Files.isDirectory(root)) {
            return 0;
        }
        Instant latest = Instant.now().minus(untouched);
        var sweeper = new Sweeper(name -> name.startsWith(".") && name.endsWith(MARK), OPEN::contains, latest);
        Files.walkFileTree(root.toRealPath(), sweeper);
        return sweeper.deleted();
    }

    /** What a user dropped may not be on the disk yet; what nobody may read is moved all the same. */
    static void force(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            channel.force(true);
        } catch (AccessDeniedException e) {
            // cannot be helped
        }
    }
}
