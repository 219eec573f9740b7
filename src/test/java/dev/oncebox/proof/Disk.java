package dev.oncebox.proof;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A disk that can lose its power: an ext4 file system in an image file, mounted through a loop device. What a process
 * wrote and nobody flushed is in the memory of the machine, not in the image; so a copy of the image is what a power
 * cut would have left.
 */
final class Disk implements AutoCloseable {

    private static final int MEGABYTES = 64;

    private final Path folder;
    private final List<Path> images = new ArrayList<>();
    private Volume mounted;

    /** A new disk, mounted on a folder. */
    Disk(Path scratch, Path folder) {
        this.folder = folder;
        images.add(Volume.makeImage(scratch.resolve("disk-0.img"), MEGABYTES));
        mounted = Volume.image(images.get(0), folder);
    }

    /** Flushes everything: what is on the disk now has been there for long. */
    void settle() {
        Machine.done("sync", "-f", folder.toString());
    }

    /** Keeps what a power cut at this moment would leave. The disk goes on. */
    void cut() {
        Path now = images.get(images.size() - 1);
        Path left = now.resolveSibling("disk-" + images.size() + ".img");
        Machine.done("cp", "--sparse=always", now.toString(), left.toString());
        images.add(left);
    }

    /** The power is back: what the last cut left is mounted in place of the disk, and its journal is replayed. */
    void powerUp() throws IOException {
        mounted.close();
        Files.delete(images.get(images.size() - 2));
        mounted = Volume.image(images.get(images.size() - 1), folder);
    }

    @Override
    public void close() {
        mounted.close();
    }
}
