package dev.oncebox.engine;

import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * Lines that a provider keeps in files: all of them are fetched, into temporary files, before the first is read. One
 * thread reads; lines are ISO-8859-1, a character a byte.
 */
final class BatchFiles implements Closeable {

    private final Deque<Path> files = new ArrayDeque<>();
    private @Nullable BufferedReader lines;

    private BatchFiles() {}

    static BatchFiles fetch(Engine engine, Wire wire, Collection<URI> addresses) throws IOException {
        var fetched = new BatchFiles();
        try {
            for (URI address : addresses) {
                Path file = Files.createTempFile("oncebox-batch-", ".jsonl");
                fetched.files.add(file);
                wire.download(engine.whole(address), engine.headers(address), file);
            }
            return fetched;
        } catch (IOException | RuntimeException e) {
            fetched.close();
            throw e;
        }
    }

    /** Null: there is none. */
    @Nullable
    String next() throws IOException {
        while (true) {
            if (lines == null) {
                Path file = files.peek();
                if (file == null) {
                    return null;
                }
                lines = Files.newBufferedReader(file, StandardCharsets.ISO_8859_1);
            }
            String line = lines.readLine();
            if (line != null) {
                return line;
            }
            lines.close();
            lines = null;
            Files.deleteIfExists(files.remove());
        }
    }

    @Override
    public void close() throws IOException {
        if (lines != null) {
            lines.close();
            lines = null;
        }
        while (!files.isEmpty()) {
            Files.deleteIfExists(files.remove());
        }
    }
}
