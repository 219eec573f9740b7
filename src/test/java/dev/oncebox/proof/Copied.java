package dev.oncebox.proof;

import dev.oncebox.ShellCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The machine itself once more: an overlay over its root, in which packages are installed and removed while the machine
 * keeps nothing of it.
 */
final class Copied implements AutoCloseable {

    private final List<Volume> mounted = new ArrayList<>();
    private final Path root;

    /** @param scratch an empty folder on a real disk; aborts the proof where no overlay can be mounted */
    Copied(Path scratch) throws IOException {
        Machine.needs("mount", "umount", "chroot", "setpriv");
        root = scratch.resolve("root");
        try {
            mounted.add(Volume.overlay(
                    Files.createDirectories(scratch.resolve("changes")),
                    Files.createDirectories(scratch.resolve("work")),
                    root));
            mounted.add(Volume.kernel("proc", root.resolve("proc")));
            mounted.add(Volume.small(root.resolve("run"), 16));
            mounted.add(Volume.devices(root.resolve("dev")));
        } catch (IllegalStateException e) {
            close();
            throw Machine.missing("no overlay of the root can be mounted (" + e.getMessage() + ")");
        }
    }

    /** Lets a folder of the machine look empty in there. */
    void hide(String absolute) {
        if (Files.isDirectory(path(absolute))) {
            mounted.add(Volume.small(path(absolute), 1));
        }
    }

    /** A place on it, seen from outside. */
    Path path(String absolute) {
        return root.resolve(absolute.substring(1));
    }

    /** A command in there, as root. */
    ShellCommand command(String... words) {
        List<String> all = new ArrayList<>(List.of("chroot", root.toString()));
        all.addAll(List.of(words));
        return ShellCommand.of(all.toArray(String[]::new));
    }

    @Override
    public void close() {
        for (int i = mounted.size() - 1; i >= 0; i--) {
            mounted.get(i).close();
        }
    }
}
