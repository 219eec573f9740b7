package dev.oncebox.intake;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * The items of one file, in their order, one at a time: a Splitter that holds no more than one item in memory.
 *
 * <p>When {@link #hasNext} is false, the stream has been read to its very end. Failures of the stream itself are
 * {@link UncheckedIOException}s.
 */
public abstract class ItemReader implements Iterator<Item>, Closeable {

    private static final int CHUNK = 1 << 16;

    /** Where the file is read. */
    final Window window;

    private final InputStream in;
    private final long maxItem;
    private @Nullable Item ahead;
    private boolean finished;

    ItemReader(InputStream in, long maxItem, int chunk) throws IOException {
        this.in = in;
        this.maxItem = maxItem;
        this.window = new Window(in, maxItem, chunk);
    }

    /**
     * Starts to read a file.
     *
     * @param in the file's bytes, unbuffered; closed by {@link #close}, but left to the caller when this method throws
     * @param maxItem how many bytes an item may have
     * @throws RejectedFile when nothing of the file can be read; the stream is then not at its end
     */
    public static ItemReader open(FileKind kind, InputStream in, long maxItem) throws IOException, RejectedFile {
        return open(kind, in, maxItem, CHUNK);
    }

    static ItemReader open(FileKind kind, InputStream in, long maxItem, int chunk) throws IOException, RejectedFile {
        ItemReader reader =
                switch (kind) {
                    case TEXT -> new TextReader(in, maxItem, chunk);
                    case LINES -> new LineReader(in, maxItem, chunk);
                    case SPREAD -> new JsonReader(in, maxItem, chunk, true);
                    case TABLE -> new TableReader(in, maxItem, chunk);
                    case OPENAI -> new WholeRequestReader(in, maxItem, chunk);
                    case JSON -> new JsonReader(in, maxItem, chunk);
                };
        reader.advance();
        if (reader.ahead instanceof Item.Unreadable first && reader.broken()) {
            throw new RejectedFile(first.code(), first.message());
        }
        return reader;
    }

    /** Whether the file is a JSON array, so that its answers should be one. */
    public boolean isArray() {
        return false;
    }

    /** What is the same for all items, for the layout of the answers; null for all but tables. */
    @Nullable
    String head() {
        return null;
    }

    /** Whether what follows the item last read cannot be divided into items. */
    boolean broken() {
        return false;
    }

    /** The next item; null when there is none, and then the stream is at its end. */
    abstract @Nullable Item read() throws IOException;

    /** Makes an item of what is in the window. */
    final @Nullable Item decode(Place at, BiFunction<String, Place, @Nullable Item> parse) {
        if (window.tooLong()) {
            return at.unreadable(
                    null,
                    "too_long",
                    "This item is longer than " + maxItem + " bytes; shorten it, or raise inbox.max-item.");
        }
        try {
            return parse.apply(window.text(), at);
        } catch (BadCharacter e) {
            return at.withOffset(window.itemOffset() + e.offset()).unreadable(null, e.code(), e.advice());
        }
    }

    @Override
    public final boolean hasNext() {
        if (ahead == null && !finished) {
            try {
                advance();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return ahead != null;
    }

    @Override
    public final Item next() {
        Item item = hasNext() ? ahead : null;
        if (item == null) {
            throw new NoSuchElementException();
        }
        ahead = null;
        return item;
    }

    private void advance() throws IOException {
        ahead = read();
        finished = ahead == null;
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
