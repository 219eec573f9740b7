package dev.oncebox.files;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Instant;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Deletes files of a name that nobody holds a lock on. Links are not followed. */
final class Sweeper extends SimpleFileVisitor<Path> {

    private final Predicate<String> name;
    private final Predicate<Path> inUse;
    private final Instant latest;
    private int deleted;

    /**
     * @param latest what was written to after that is left alone
     */
    Sweeper(Predicate<String> name, Predicate<Path> inUse, Instant latest) {
        this.name = name;
        this.inUse = inUse;
        this.latest = latest;
    }

    int deleted() {
        return deleted;
    }

    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
        boolean old = !attributes.lastModifiedTime().toInstant().isAfter(latest);
        if (old && attributes.isRegularFile() && name.test(String.valueOf(file.getFileName())) && !inUse.test(file)) {
            deleteUnlocked(file);
        }
        return FileVisitResult.CONTINUE;
    }

    private void deleteUnlocked(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE);
                FileLock lock = channel.tryLock()) {
            if (lock != null && Files.deleteIfExists(file)) {
                deleted++;
            }
        } catch (NoSuchFileException e) {
            // it was published or swept meanwhile
        }
    }

    /** What cannot be looked at is left alone. */
    @Override
    public FileVisitResult visitFileFailed(Path file, IOException e) {
        return FileVisitResult.CONTINUE;
    }

    /** A folder that changed while it was read has been swept well enough. */
    @Override
    public FileVisitResult postVisitDirectory(Path folder, @Nullable IOException e) {
        return FileVisitResult.CONTINUE;
    }
}
