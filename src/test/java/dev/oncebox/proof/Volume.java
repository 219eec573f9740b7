package dev.oncebox.proof;

import dev.oncebox.ShellCommand;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Something mounted on a folder for the time of a test, and taken away again however the test ends. */
final class Volume implements AutoCloseable {

    private static final Map<Path, Boolean> MOUNTED = new ConcurrentHashMap<>();

    static {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> MOUNTED.keySet().forEach(Volume::takeAway)));
    }

    private final Path folder;

    private Volume(Path folder) {
        this.folder = folder;
    }

    private static Volume mount(Path folder, String... words) {
        try {
            Files.createDirectories(folder);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Machine.done(words);
        MOUNTED.put(folder, true);
        return new Volume(folder);
    }

    /** A file system in memory that is soon full. */
    static Volume small(Path folder, int megabytes) {
        return mount(folder, "mount", "-t", "tmpfs", "-o", "size=" + megabytes + "m", "oncebox", folder.toString());
    }

    /** An ext4 file system in a file. It writes nothing by itself for a long while, only what it is asked to. */
    static Volume image(Path image, Path folder) {
        return mount(folder, "mount", "-o", "loop,commit=300", image.toString(), folder.toString());
    }

    /** The folder itself again, read-only. */
    static Volume readOnly(Path folder) {
        Volume volume = mount(folder, "mount", "--bind", folder.toString(), folder.toString());
        Machine.done("mount", "-o", "remount,bind,ro", folder.toString());
        return volume;
    }

    /** The whole machine, seen in a folder; what is changed there goes into another one. */
    static Volume overlay(Path changes, Path work, Path folder) {
        String layers = "lowerdir=/,upperdir=" + changes + ",workdir=" + work;
        return mount(folder, "mount", "-t", "overlay", "-o", layers, "oncebox", folder.toString());
    }

    /** The device files of the machine. */
    static Volume devices(Path folder) {
        return mount(folder, "mount", "--bind", "/dev", folder.toString());
    }

    /** What the kernel itself shows, such as {@code proc}. */
    static Volume kernel(String type, Path folder) {
        return mount(folder, "mount", "-t", type, type, folder.toString());
    }

    /** Whether images can be mounted here, which some containers forbid. */
    static void needImages(Path scratch) {
        Machine.needs("mkfs.ext4", "losetup", "mount", "umount");
        Path image = makeImage(scratch.resolve("trial.img"), 8);
        Path folder = scratch.resolve("trial");
        try (Volume trial = image(image, folder)) {
            Files.delete(image);
        } catch (IllegalStateException | IOException e) {
            throw Machine.missing("no loop device can be mounted (" + e.getMessage() + ")");
        }
    }

    static Path makeImage(Path image, int megabytes) {
        Machine.done("truncate", "-s", megabytes + "M", image.toString());
        Machine.done("mkfs.ext4", "-q", "-F", "-E", "lazy_itable_init=0", image.toString());
        return image;
    }

    /** Takes all space that is left; deleting the file gives it back. */
    static Path fill(Path folder) throws IOException {
        Path filler = folder.resolve("filler");
        byte[] block = new byte[4096];
        try (OutputStream out = Files.newOutputStream(filler)) {
            while (true) {
                out.write(block);
            }
        } catch (IOException full) {
            if (!String.valueOf(full.getMessage()).contains("No space")) {
                throw full;
            }
            return filler;
        }
    }

    /** Mounted again with another option, such as {@code rw}. */
    void remount(String options) {
        Machine.done("mount", "-o", "remount," + options, folder.toString());
    }

    private static void takeAway(Path folder) {
        for (String how : new String[] {"", "-l"}) {
            ShellCommand command = how.isEmpty()
                    ? ShellCommand.of("umount", folder.toString())
                    : ShellCommand.of("umount", how, folder.toString());
            if (command.run().exit() == 0) {
                break;
            }
        }
        MOUNTED.remove(folder);
    }

    @Override
    public void close() {
        if (MOUNTED.containsKey(folder)) {
            takeAway(folder);
        }
    }
}
