package dev.oncebox.intake;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.camel.component.file.GenericFile;
import org.apache.camel.component.file.GenericFileFilter;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which files of the inbox may be taken: whole ones. A file is whole when it has not changed for the settling time, by
 * its own time stamp or, where that cannot be trusted (it may lie in the future), by watching it. Nothing waits: a file
 * that still grows is passed over, and the others are taken.
 *
 * <p>Camel's own {@code readLock=changed} would do for small files, but it waits in turn for each that still changes.
 */
public final class InboxFiles implements GenericFileFilter<File> {

    private static final Logger LOG = LoggerFactory.getLogger(InboxFiles.class);
    private static final Set<String> UNFINISHED =
            Set.of("tmp", "part", "partial", "crdownload", "filepart", "swp", "camellock");
    private static final Duration PAUSE_AFTER_FAILURE = Duration.ofSeconds(10);

    private final Path inbox;
    private final Duration settle;
    private final Map<Path, Seen> watched = new ConcurrentHashMap<>();
    private final Map<Path, Long> postponed = new ConcurrentHashMap<>();

    /** A file's look, and since when (nano time) it has looked like that. */
    private record Seen(long size, long modified, long since) {}

    public InboxFiles(Path inbox, Duration settle) {
        this.inbox = inbox;
        this.settle = settle;
    }

    @Override
    public boolean accept(GenericFile<File> file) {
        Path path = file.getFile().toPath();
        if (file.isDirectory()) {
            return !hidden(path) && Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS);
        }
        return wanted(path) && !isPostponed(path) && isSettled(path);
    }

    /** Leaves a file that could not be taken alone for a while. */
    void postpone(Path file) {
        postponed.put(file, System.nanoTime() + PAUSE_AFTER_FAILURE.toNanos());
    }

    /** Whether a file could not be taken at the last try. */
    public boolean hasPostponed() {
        postponed.keySet().removeIf(path -> !Files.exists(path));
        return !postponed.isEmpty();
    }

    /** Whether no file in the inbox is waiting to be taken or to become whole. */
    public boolean isEmpty() {
        var empty = new boolean[] {true};
        try {
            Files.walkFileTree(inbox, new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
                    return folder.equals(inbox) || !hidden(folder)
                            ? FileVisitResult.CONTINUE
                            : FileVisitResult.SKIP_SUBTREE;
                }

                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                    if (attributes.isRegularFile() && wanted(file) && !postponed.containsKey(file)) {
                        if (isUnnameable(file)) {
                            return FileVisitResult.CONTINUE;
                        }
                        empty[0] = false;
                        return FileVisitResult.TERMINATE;
                    }
                    return FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult visitFileFailed(Path file, IOException failure) {
                    return FileVisitResult.CONTINUE;
                }
            });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return empty[0];
    }

    /** Camel lists names as text, so that it never finds a file whose name is no UTF-8. */
    private boolean isUnnameable(Path file) {
        if (file.toFile().exists() || !Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
            return false;
        }
        postponed.put(file, System.nanoTime());
        LOG.error("{} stays in the inbox: its name is not UTF-8. Rename it.", file);
        return true;
    }

    private boolean isPostponed(Path path) {
        Long until = postponed.get(path);
        if (until != null && until - System.nanoTime() > 0) {
            return true;
        }
        postponed.remove(path);
        return false;
    }

    private static boolean hidden(Path path) {
        String name = path.getFileName().toString();
        return name.startsWith(".") || name.startsWith("~");
    }

    /** Whether a file's name is one that whole files have; others are being written under it. */
    public static boolean isWhole(Path path) {
        return wanted(path);
    }

    private static boolean wanted(Path path) {
        String name = path.getFileName().toString();
        String ending = name.substring(name.lastIndexOf('.') + 1).toLowerCase(Locale.ROOT);
        return !hidden(path) && !UNFINISHED.contains(ending);
    }

    private boolean isSettled(Path path) {
        BasicFileAttributes attributes;
        try {
            attributes = Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        } catch (IOException e) {
            return false;
        }
        if (!attributes.isRegularFile()) {
            return false;
        }
        long modified = attributes.lastModifiedTime().toMillis();
        long age = System.currentTimeMillis() - modified;
        if (age >= settle.toMillis()) {
            watched.remove(path);
            return true;
        }
        long now = System.nanoTime();
        Seen seen = watched.get(path);
        if (seen == null || seen.size() != attributes.size() || seen.modified() != modified) {
            watched.put(path, new Seen(attributes.size(), modified, now));
            return settle.isZero();
        }
        if (now - seen.since() < settle.toNanos()) {
            return false;
        }
        watched.remove(path);
        return true;
    }
}
