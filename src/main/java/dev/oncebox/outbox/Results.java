package dev.oncebox.outbox;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.oncebox.ledger.SettledFile;
import java.io.BufferedOutputStream;
import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Iterator;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;

/**
 * The results of one file, one at a time, for a destination that may take hours over them. They were read out of the
 * ledger in one go, so that it need not wait, and lie in a nameless temporary file, so that they need no memory.
 */
public final class Results implements Iterator<Results.Result>, Closeable {

    /** Numbers come back as they were written. */
    private static final ObjectMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .build();

    private final String file;
    private final BufferedReader lines;
    private @Nullable String next;

    /**
     * What became of one item.
     *
     * @param id the item's own, else its place in the file
     * @param json the line that the outbox has for it, an answer's or an error's, and {@code "file"}, its path
     */
    public record Result(String id, String json) {}

    private Results(String file, FileChannel channel) throws IOException {
        this.file = "{\"file\":\"" + new String(JsonStringEncoder.getInstance().quoteAsString(file)) + "\",";
        channel.position(0);
        this.lines =
                new BufferedReader(new InputStreamReader(Channels.newInputStream(channel), StandardCharsets.UTF_8));
        this.next = lines.readLine();
    }

    static Spool spool(SettledFile file) throws IOException {
        return new Spool(file);
    }

    @Override
    public boolean hasNext() {
        return next != null;
    }

    @Override
    public Result next() {
        String line = next;
        if (line == null) {
            throw new NoSuchElementException();
        }
        try {
            next = lines.readLine();
            JsonNode id = JSON.readTree(line).path("id");
            return new Result(id.isTextual() ? id.textValue() : id.toString(), file + line.substring(1));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() throws IOException {
        lines.close();
    }

    /** Takes the results before they can be read. */
    static final class Spool implements Closeable {

        private final SettledFile file;
        private final FileChannel channel;
        private final JsonValues values;

        private Spool(SettledFile file) throws IOException {
            this.file = file;
            Path temporary = Files.createTempFile("oncebox-results", null);
            try {
                channel = FileChannel.open(temporary, StandardOpenOption.READ, StandardOpenOption.WRITE);
            } finally {
                // it lives for as long as it is open, and leaves nothing behind when the process is killed
                Files.delete(temporary);
            }
            values = JsonValues.lines(new BufferedOutputStream(Channels.newOutputStream(channel)) {
                @Override
                public void close() throws IOException {
                    flush();
                }
            });
        }

        void write(ItemResult result) throws IOException {
            values.write(result);
        }

        Results results() throws IOException {
            values.finish();
            return new Results(file.path(), channel);
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }
}
