package dev.oncebox.intake;

import java.io.BufferedInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.apache.commons.compress.compressors.gzip.GzipCompressorInputStream;
import org.jspecify.annotations.Nullable;

/**
 * Files packed with gzip, of one member or several. A packed file is unpacked once before anything of it is taken: what
 * is cut short, damaged, or a bomb is known before the first of its items could be sent.
 */
final class Gzip {

    static final String ENDING = ".gz";

    /** As much as a hundred thousand items of a hundred kilobytes. */
    private static final long MOST = 16L << 30;

    private static final int BUFFER = 1 << 16;

    private Gzip() {}

    static boolean isPacked(String fileName) {
        return fileName.toLowerCase(Locale.ROOT).endsWith(ENDING);
    }

    /** The name of what is in it; of another file its own. */
    static String unpackedName(String fileName) {
        return isPacked(fileName) ? fileName.substring(0, fileName.length() - ENDING.length()) : fileName;
    }

    /** The bytes in it; all members must follow each other without a gap. */
    static InputStream unpack(InputStream packed) throws IOException {
        return new GzipCompressorInputStream(new BufferedInputStream(packed, BUFFER), true);
    }

    /**
     * Unpacks all of a file and forgets it.
     *
     * @throws RejectedFile {@code bad_gzip} or {@code too_large}
     */
    static void check(Path file) throws IOException, RejectedFile {
        check(file, MOST);
    }

    static void check(Path file, long most) throws IOException, RejectedFile {
        try (var packed = new Watched(Files.newInputStream(file))) {
            long size = 0;
            try (InputStream in = unpack(packed)) {
                byte[] buffer = new byte[BUFFER];
                for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                    size += read;
                    if (size > most) {
                        throw new RejectedFile(
                                "too_large",
                                "Unpacked, it is larger than " + most + " bytes; divide it into several files.");
                    }
                }
            } catch (IOException e) {
                if (packed.failure != null) {
                    throw packed.failure;
                }
                throw new RejectedFile(
                        "bad_gzip",
                        "It is no gzip, or cut short or damaged, and nothing of it is taken; pack it again and drop it"
                                + " again.");
            }
        }
    }

    /** Tells a disk that fails from bytes that are wrong. */
    private static final class Watched extends FilterInputStream {
        private @Nullable IOException failure;

        Watched(InputStream in) {
            super(in);
        }

        @Override
        public int read(byte[] bytes, int from, int length) throws IOException {
            try {
                return super.read(bytes, from, length);
            } catch (IOException e) {
                failure = e;
                throw e;
            }
        }
    }
}
