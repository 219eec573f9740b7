package dev.oncebox.files;

import static dev.oncebox.files.FileFacts.exists;
import static dev.oncebox.files.FileFacts.haveSameBytes;
import static dev.oncebox.files.FileFacts.parent;

import java.io.IOException;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** Moves whole files, durably and without overwriting others; see {@link DurableFile} for what excludes whom. */
public final class DurableMove {

    private DurableMove() {}

    /**
     * Moves a file into a folder, durably and without overwriting: when the name is taken by other content, it becomes
     * {@code name~2.ext} and so on; when the same bytes are already there, the source is deleted.
     *
     * @param name the name wanted
     * @return where the content is now
     * @throws java.nio.file.NoSuchFileException when the source is gone
     */
    public static Path into(Path from, Path toFolder, String name) throws IOException {
        return into(from, toFolder, name, () -> {});
    }

    /** Told that a source is about to be deleted, as it was just compared with a file of the same bytes. */
    @FunctionalInterface
    public interface Compared {
        void same() throws IOException;
    }

    /**
     * The same for whoever has a use for the comparison.
     *
     * @param compared told after it and before the source is deleted; not told when the source was moved
     */
    public static Path into(Path from, Path toFolder, String name, Compared compared) throws IOException {
        DurableFile.createFolders(toFolder);
        FileName wanted = FileName.of(name);
        for (int n = 1; ; n++) {
            Path to = toFolder.resolve(wanted.numbered(n, wanted.extension()));
            if (move(from, to, compared)) {
                FolderSync.sync(toFolder);
                FolderSync.sync(parent(from));
                return to;
            }
        }
    }

    /** Where {@link #into} would put a file now. */
    public static Path destination(Path from, Path toFolder, String name) throws IOException {
        FileName wanted = FileName.of(name);
        for (int n = 1; ; n++) {
            Path to = toFolder.resolve(wanted.numbered(n, wanted.extension()));
            if (!exists(to) || haveSameBytes(from, to)) {
                return to;
            }
        }
    }

    private static boolean move(Path from, Path to, Compared compared) throws IOException {
        boolean free = !exists(to);
        if (free) {
            // what is compared is deleted, and may be long
            DurableFile.force(from);
        }
        synchronized (DurableFile.NAMES) {
            if (free && !exists(to)) {
                rename(from, to);
                return true;
            }
        }
        if (from.toAbsolutePath().normalize().equals(to.toAbsolutePath().normalize())) {
            return true;
        }
        if (!haveSameBytes(from, to)) {
            return false;
        }
        DurableFile.force(to);
        FolderSync.sync(parent(to));
        compared.same();
        Files.delete(from);
        return true;
    }

    private static void rename(Path from, Path to) throws IOException {
        try {
            Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
        } catch (AtomicMoveNotSupportedException e) {
            copy(from, to);
            Files.delete(from);
        }
    }

    /** To another file system. */
    private static void copy(Path from, Path to) throws IOException {
        try (DurableFile file = DurableFile.create(parent(to), String.valueOf(to.getFileName()))) {
            Files.copy(from, file.out());
            if (!file.publish(to)) {
                throw new FileAlreadyExistsException(to.toString());
            }
        }
    }
}
