package dev.oncebox.files;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;

/** What stands under a name now. */
final class FileFacts {

    private FileFacts() {}

    /** A link counts even when it leads nowhere. */
    static boolean exists(Path path) {
        return Files.exists(path, LinkOption.NOFOLLOW_LINKS);
    }

    static boolean isFile(Path path) {
        return Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS);
    }

    /** What may not be read is taken for other content. */
    static boolean haveSameBytes(Path one, Path other) throws IOException {
        try {
            return isFile(one) && isFile(other) && Files.mismatch(one, other) < 0;
        } catch (AccessDeniedException e) {
            return false;
        }
    }

    static Path parent(Path path) {
        Path parent = path.toAbsolutePath().getParent();
        if (parent == null) {
            throw new IllegalArgumentException(path + " has no folder");
        }
        return parent;
    }
}
