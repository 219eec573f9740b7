package dev.oncebox.intake;

import dev.oncebox.ledger.LedgerException;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Clock;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.apache.camel.component.file.GenericFile;
import org.apache.camel.component.file.GenericFileFilter;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which files of the inbox may be taken: whole ones. A file is whole when it has not changed for the settling time, by
 * its own time stamp. Where that lies in the future, or the clock was set back, it is watched; when the clock was set
 * forth, nothing is old for a moment. Nothing waits: a file that still grows is passed over, and the others are taken.
 *
 * <p>The system's own stamp (ctime) would say more, but there are file systems that hold in it when a file was made, or
 * nothing: files that grow would look old.
 *
 * <p>Camel's own {@code readLock=changed} would do for small files, but it waits in turn for each that still changes.
 */
public final class InboxFiles implements GenericFileFilter<File> {

    private static final Logger LOG = LoggerFactory.getLogger(InboxFiles.class);
    private static final Set<String> UNFINISHED =
            Set.of("tmp", "part", "partial", "crdownload", "filepart", "swp", "camellock");
    private static final Duration PAUSE_AFTER_FAILURE = Duration.ofSeconds(10);
    private static final Duration PAUSE_WITHOUT_LEDGER = Duration.ofSeconds(1);

    private static final int MOST_WATCHED = 100_000;

    private final Path inbox;
    private final Duration settle;
    private final Clock clock;
    private final LongSupplier nanoTime;
    private final boolean hasServer;
    private final ClockStep step;
    private final Map<Path, Seen> watched = new ConcurrentHashMap<>();
    private final Map<Path, Postponed> postponed = new ConcurrentHashMap<>();
    private long swept;
    private volatile boolean isAway;
    private volatile long awayUntil;

    /** A file's look, and since when (nano time) it has looked like that. */
    private record Seen(long size, long modified, long since) {}

    /** Until when (nano time) a file is left alone, and what kept it from being taken. */
    private record Postponed(long until, Class<?> reason) {}

    /**
     * @param clock the one that stamps the files, whatever is done to it
     * @param nanoTime nanoseconds that nobody sets
     * @param hasServer whether the ledger is a server's, which may be away for all files, and says so elsewhere
     */
    public InboxFiles(Path inbox, Duration settle, Clock clock, LongSupplier nanoTime, boolean hasServer) {
        this.inbox = inbox;
        this.hasServer = hasServer;
        this.settle = settle;
        this.clock = clock;
        this.nanoTime = nanoTime;
        this.step = new ClockStep(clock, nanoTime);
        this.swept = nanoTime.getAsLong();
    }

    @Override
    public boolean accept(GenericFile<File> file) {
        Path path = file.getFile().toPath();
        if (file.isDirectory()) {
            return !hidden(path) && Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS) && isOpen(path);
        }
        return wanted(path) && !isLedgerAway() && !isPostponed(path) && isSettled(path);
    }

    private boolean isLedgerAway() {
        isAway = isAway && awayUntil - nanoTime.getAsLong() > 0;
        return isAway;
    }

    /** Leaves a file that could not be taken alone for a while, and says so, for one reason once. */
    void postpone(Path file, Throwable reason) {
        if (hasServer && reason instanceof LedgerException ledger && ledger.isPassing()) {
            awayUntil = nanoTime.getAsLong() + PAUSE_WITHOUT_LEDGER.toNanos();
            isAway = true;
            return;
        }
        var now = new Postponed(nanoTime.getAsLong() + PAUSE_AFTER_FAILURE.toNanos(), reason.getClass());
        Postponed before = postponed.put(file, now);
        if (before == null || before.reason() != now.reason()) {
            LOG.atError()
                    .addKeyValue("file", inbox.relativize(file))
                    .log(
                            "{} stays in the inbox and is tried again every {} s: {}",
                            inbox.relativize(file),
                            PAUSE_AFTER_FAILURE.toSeconds(),
                            reason.toString());
        }
    }

    /** A file has left the inbox; another one that comes to its place is none that was postponed. */
    void left(Path file) {
        postponed.remove(file);
    }

    /** What is in a folder that may not be read cannot even be seen: Camel would pass over it in silence. */
    private boolean isOpen(Path folder) {
        if (Files.isReadable(folder) && Files.isExecutable(folder)) {
            postponed.remove(folder);
            return true;
        }
        if (!isPostponed(folder)) {
            postpone(folder, new AccessDeniedException(folder.toString()));
        }
        return false;
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
        postponed.put(file, new Postponed(nanoTime.getAsLong(), FileSystemException.class));
        LOG.atError().addKeyValue("file", file).log("{} stays in the inbox: its name is not UTF-8. Rename it.", file);
        return true;
    }

    private boolean isPostponed(Path path) {
        Postponed found = postponed.get(path);
        return found != null && found.until() - nanoTime.getAsLong() > 0;
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
        boolean steady = !step.isWithin(settle);
        long modified = attributes.lastModifiedTime().toMillis();
        long age = clock.millis() - modified;
        if (age < 0) {
            return isUnchanged(path, attributes.size(), modified);
        }
        watched.remove(path);
        return steady && age >= settle.toMillis();
    }

    private boolean isUnchanged(Path path, long size, long modified) {
        long now = nanoTime.getAsLong();
        Seen seen = watched.get(path);
        if (seen == null && !hasRoom(now)) {
            return false;
        }
        if (seen == null || seen.size() != size || seen.modified() != modified) {
            seen = new Seen(size, modified, now);
            watched.put(path, seen);
        }
        if (now - seen.since() < settle.toNanos()) {
            return false;
        }
        watched.remove(path);
        return true;
    }

    /** Memory is for some at a time; the others have their turn when these are taken, or gone. */
    private boolean hasRoom(long now) {
        if (watched.size() >= MOST_WATCHED && now - swept >= PAUSE_AFTER_FAILURE.toNanos()) {
            swept = now;
            watched.keySet().removeIf(path -> !Files.exists(path));
        }
        return watched.size() < MOST_WATCHED;
    }
}
