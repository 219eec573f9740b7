package dev.oncebox.runtime;

import dev.oncebox.config.ConfigException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;

/** Waits until a file has not changed for a while, as the inbox does: half a file would be a wrong question, paid for. */
final class Settling {

    private final AskedFile file;
    private final Duration settle;

    Settling(AskedFile file, Duration settle) {
        this.file = file;
        this.settle = settle;
    }

    private record Look(long size, long modified) {}

    /** False: the waiting was over before. */
    boolean await(AskClock clock) {
        Look seen = look();
        long since = System.nanoTime();
        while (true) {
            // a time stamp in the future says nothing; then the file is watched
            boolean old = clock.now() - seen.modified() >= settle.toMillis();
            if (old || System.nanoTime() - since >= settle.toNanos()) {
                return true;
            }
            if (clock.isOver()) {
                return false;
            }
            clock.pauseShortly(false);
            Look now = look();
            if (!now.equals(seen)) {
                seen = now;
                since = System.nanoTime();
            }
        }
    }

    private Look look() {
        try {
            BasicFileAttributes attributes = Files.readAttributes(file.place(), BasicFileAttributes.class);
            return new Look(attributes.size(), attributes.lastModifiedTime().toMillis());
        } catch (IOException e) {
            throw new ConfigException(
                    "There is no file " + file.file() + " any more, or it cannot be read: " + e + ".");
        }
    }
}
