package dev.oncebox.engine;

import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.net.URI;
import java.nio.channels.Channels;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * Lines that a provider keeps in files: all of them are fetched, into temporary files, before the first is read. These
 * have no name while they are used, where the system allows that, so that a death leaves nothing behind. One thread
 * reads; lines are ISO-8859-1, a character a byte.
 */
final class BatchFiles implements Closeable {

    private final Deque<SeekableByteChannel> files = new ArrayDeque<>();
    private @Nullable BufferedReader lines;

    private BatchFiles() {}

    static BatchFiles fetch(Engine engine, Wire wire, Collection<URI> addresses) throws IOException {
        var fetched = new BatchFiles();
        try {
            for (URI address : addresses) {
                SeekableByteChannel file = Files.newByteChannel(
                        Files.createTempFile("oncebox-batch-", ".jsonl"),
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE,
                        StandardOpenOption.DELETE_ON_CLOSE);
                fetched.files.add(file);
                wire.download(engine.whole(address), engine.headers(address), Channels.newOutputStream(file));
                file.position(0);
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
                SeekableByteChannel file = files.peek();
                if (file == null) {
                    return null;
                }
                lines = new BufferedReader(Channels.newReader(file, StandardCharsets.ISO_8859_1));
            }
            String line = lines.readLine();
            if (line != null) {
                return line;
            }
            lines = null;
            files.remove().close();
        }
    }

    @Override
    public void close() throws IOException {
        lines = null;
        while (!files.isEmpty()) {
            files.remove().close();
        }
    }
}
