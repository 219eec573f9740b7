package dev.oncebox.intake;

import dev.oncebox.ledger.DroppedFile;
import dev.oncebox.ledger.Entry;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * A dropped file while it is read: its items in chunks, and proof at the end that what was read is what was announced.
 */
public final class FileReading implements Iterator<List<Entry>>, AutoCloseable {

    private static final int CHUNK_ITEMS = 2000;
    private static final long CHUNK_BYTES = 2 << 20;

    /** One that is recorded, one that comes next, one that is being read. */
    private static final int CHUNKS_AT_ONCE = 3;

    private final Path path;
    private final Stamp stamp;
    private final FileChannel channel;
    private final DigestInputStream stream;
    private final ItemReader items;
    private final EntryMaker entries;
    private final Room.Part memory;
    private @Nullable ReadAhead<List<Entry>> ahead;
    private @Nullable DroppedFile dropped;
    private boolean changed;
    private boolean stillWhereCompared;

    private FileReading(
            Path path, Opened file, DigestInputStream stream, ItemReader items, EntryMaker entries, Room.Part memory) {
        this.memory = memory;
        this.path = path;
        this.stamp = file.stamp();
        this.channel = file.channel();
        this.stream = stream;
        this.items = items;
        this.entries = entries;
    }

    /** Which file stands at a path, so that another one put in its place is noticed. */
    record Stamp(@Nullable Object key, long size, FileTime modified) {
        static Stamp of(Path path) throws IOException {
            BasicFileAttributes attributes =
                    Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            return new Stamp(attributes.fileKey(), attributes.size(), attributes.lastModifiedTime());
        }
    }

    /** Waits while the files being read take all the memory that there is for reading. */
    static FileReading open(Path path, FileKind kind, EntryMaker entries, long maxItem, Room room)
            throws IOException, RejectedFile {
        boolean packed = Gzip.isPacked(path.getFileName().toString());
        long most = maxItem + CHUNKS_AT_ONCE * CHUNK_BYTES;
        Room.Part memory = room.take(packed ? most : Math.min(Files.size(path), most));
        boolean opened = false;
        try {
            Opened file = open(path);
            var stream = new DigestInputStream(Channels.newInputStream(file.channel()), sha256());
            try {
                ItemReader items = ItemReader.open(kind, packed ? Gzip.unpack(stream) : stream, maxItem);
                var reading = new FileReading(path, file, stream, items, entries, memory);
                opened = true;
                return reading;
            } finally {
                if (!opened) {
                    stream.close();
                }
            }
        } finally {
            if (!opened) {
                memory.close();
            }
        }
    }

    private record Opened(Stamp stamp, FileChannel channel) {}

    /** A channel and the stamp of the very file that it reads: another one may be put in its place at any moment. */
    private static Opened open(Path path) throws IOException {
        while (true) {
            Stamp stamp = Stamp.of(path);
            FileChannel channel = FileChannel.open(path);
            boolean same = false;
            try {
                same = stamp.equals(Stamp.of(path));
            } finally {
                if (!same) {
                    channel.close();
                }
            }
            if (same) {
                return new Opened(stamp, channel);
            }
        }
    }

    /** The SHA-256 of a file as it is now, 32 bytes. */
    public static byte[] digest(Path path) throws IOException {
        MessageDigest digest = sha256();
        byte[] buffer = new byte[64 * 1024];
        try (InputStream in = Files.newInputStream(path)) {
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                digest.update(buffer, 0, read);
            }
        }
        return digest.digest();
    }

    static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    void announce(DroppedFile file) {
        dropped = file;
    }

    /** What the ledger is told of the file. */
    public DroppedFile dropped() {
        return Objects.requireNonNull(dropped);
    }

    /** Whether what was read, all of it, is what was announced; the file may have changed meanwhile. To be asked once. */
    public boolean isAsAnnounced() {
        return !changed
                && MessageDigest.isEqual(
                        stream.getMessageDigest().digest(), dropped().sha256());
    }

    /** How many bytes of the file were read so far; what is returned may be less. To be asked while it is open. */
    public long position() throws IOException {
        return channel.position();
    }

    Path path() {
        return path;
    }

    /** The file at its path was just compared, byte by byte, with another one, and is the same. */
    void compared() throws IOException {
        stillWhereCompared = isStill(path);
    }

    /** Whether it was compared while it was still the one that was opened: the other one holds what was read, then. */
    boolean isStillWhereCompared() {
        return stillWhereCompared;
    }

    /** Whether the file now at a path, the archive's perhaps, is still the one that was opened. */
    boolean isStill(Path now) throws IOException {
        return stamp.equals(Stamp.of(now));
    }

    /**
     * The same chunks, but none any more once the file is no longer as it was opened: what is written to it changes its
     * stamp first, so that no item is made of two contents. A file that is gone cannot change.
     *
     * @param readers threads that read ahead
     */
    Iterator<List<Entry>> whileUnchanged(Executor readers) {
        ahead = new ReadAhead<>(this::unchanged, chunk -> chunk.size() == CHUNK_ITEMS, readers);
        return ahead;
    }

    private @Nullable List<Entry> unchanged() {
        if (changed || !hasNext()) {
            return null;
        }
        List<Entry> chunk = next();
        changed = isChanged();
        return changed ? null : chunk;
    }

    private boolean isChanged() {
        try {
            return !isStill(path);
        } catch (NoSuchFileException e) {
            return false;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    DroppedFile.Kind kind(FileKind kind) {
        return switch (kind) {
            case TEXT -> DroppedFile.Kind.TEXT;
            case LINES, SPREAD -> DroppedFile.Kind.LINES;
            case OPENAI -> DroppedFile.Kind.OPENAI;
            case TABLE -> DroppedFile.Kind.TABLE;
            case JSON -> items.isArray() ? DroppedFile.Kind.ARRAY : DroppedFile.Kind.OBJECT;
        };
    }

    /** What the answers are to begin with; null for all but tables. */
    @Nullable
    String head() {
        return items.head();
    }

    @Override
    public boolean hasNext() {
        return items.hasNext();
    }

    @Override
    public List<Entry> next() {
        if (!hasNext()) {
            throw new NoSuchElementException();
        }
        List<Entry> chunk = new ArrayList<>();
        Item item = items.next();
        long start = item.offset();
        chunk.add(entries.entry(item));
        while (items.hasNext() && chunk.size() < CHUNK_ITEMS && item.offset() - start < CHUNK_BYTES) {
            item = items.next();
            chunk.add(entries.entry(item));
        }
        return chunk;
    }

    @Override
    public void close() throws IOException {
        if (ahead != null) {
            ahead.close();
        }
        memory.close();
        items.close();
        stream.close();
    }
}
