package dev.oncebox.outbox;

import dev.oncebox.files.DurableFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;

/** The outbox folder, which nothing that is written for a dropped file may leave. */
final class OutboxRoot {

    private final Path root;

    OutboxRoot(Path outbox) {
        this.root = outbox.toAbsolutePath().normalize();
    }

    /** The folder for the answers, which is made. Neither {@code ..} nor a link may lead out of the outbox. */
    Path folder(String path, OutputNames names) throws IOException {
        Path target = root.resolve(path).normalize();
        Path folder = root.resolve(names.folder()).normalize();
        if (path.isEmpty() || !target.startsWith(root) || target.equals(root) || !folder.equals(target.getParent())) {
            throw outside(path);
        }
        DurableFile.createFolders(root);
        Path real = root.toRealPath();
        Path existing = folder;
        for (Path above = existing.getParent();
                above != null && !Files.exists(existing, LinkOption.NOFOLLOW_LINKS);
                above = above.getParent()) {
            existing = above;
        }
        if (!existing.toRealPath().startsWith(real)) {
            throw outside(path);
        }
        DurableFile.createFolders(folder);
        if (!folder.toRealPath().startsWith(real)) {
            throw outside(path);
        }
        return folder;
    }

    private static IllegalStateException outside(String path) {
        return new IllegalStateException("The answers of " + path + " would leave the outbox. Nothing was written.");
    }

    /** A file of ours by its name below the outbox. */
    Path named(String name) {
        return root.resolve(name);
    }
}
