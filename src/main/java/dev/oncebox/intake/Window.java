package dev.oncebox.intake;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * A window onto the bytes of a file that holds one item at a time.
 *
 * <p>It is scanned in code units (bytes in UTF-8, pairs in UTF-16) for the few ASCII characters that divide items.
 * The bytes since {@link #begin} are kept; when they become more than an item may have, they are dropped and the scan
 * goes on without them, so memory is bounded by the longest item allowed and not by the file. The array is moved and
 * reused: whatever {@link #text} should return has to be asked for before the next scan.
 */
final class Window {

    /** There is no further unit. */
    static final int END = -1;

    private static final int OTHER = 0xFFFD;

    private final InputStream in;
    private final int chunk;
    private final int maxItem;
    private final Charset charset;
    private final int unit;
    private final boolean marked;
    private final Decoder decoder;

    private byte[] bytes;
    private long base;
    private int start;
    private int pos;
    private int end;
    private int limit;
    private boolean ended;
    private long itemOffset;
    private boolean dropped;

    /** Reads the byte order mark, if there is one. {@code chunk} is how many bytes are asked for at once. */
    Window(InputStream in, long maxItem, int chunk) throws IOException {
        this.in = in;
        this.chunk = chunk;
        this.maxItem = (int) Math.min(maxItem, Integer.MAX_VALUE - 64L - chunk);
        this.bytes = new byte[Math.max(chunk, 4)];
        boolean more = true;
        while (limit < 3 && more) {
            more = fill();
        }
        if (startsWith(0xEF, 0xBB, 0xBF)) {
            charset = StandardCharsets.UTF_8;
            pos = 3;
        } else if (startsWith(0xFF, 0xFE)) {
            charset = StandardCharsets.UTF_16LE;
            pos = 2;
        } else if (startsWith(0xFE, 0xFF)) {
            charset = StandardCharsets.UTF_16BE;
            pos = 2;
        } else {
            charset = StandardCharsets.UTF_8;
        }
        marked = pos > 0;
        unit = charset.equals(StandardCharsets.UTF_8) ? 1 : 2;
        decoder = new Decoder(charset);
        begin();
    }

    /** An item begins at the next unit. */
    void begin() {
        start = pos;
        end = pos;
        itemOffset = offset();
        dropped = false;
    }

    /** The item ends before the next unit. */
    void finish() {
        end = pos;
    }

    long itemOffset() {
        return itemOffset;
    }

    Charset charset() {
        return charset;
    }

    /** Whether the file began with a byte order mark. */
    boolean marked() {
        return marked;
    }

    /** The next unit's place in the file. */
    long offset() {
        return base + pos;
    }

    boolean tooLong() {
        return dropped || end - start > maxItem;
    }

    /** The item; not when it is too long. */
    String text() throws BadCharacter {
        return decoder.decode(bytes, start, end - start);
    }

    /** The next unit, which stays the next, or {@link #END}. */
    int peek() throws IOException {
        while (pos + unit > limit) {
            if (!fill()) {
                return pos < limit ? OTHER : END;
            }
        }
        return unitAt(pos);
    }

    /** Steps over the unit just peeked at or found. */
    void skip() {
        pos = Math.min(pos + unit, limit);
    }

    /** Goes to the next unit marked in {@code stops}, which has 128 places, and returns it, or {@link #END}. */
    int find(boolean[] stops) throws IOException {
        do {
            scan(stops);
            if (pos + unit <= limit) {
                return unitAt(pos);
            }
        } while (fill());
        pos = limit;
        return END;
    }

    /** Reads the rest of the stream and forgets it. */
    void drain() throws IOException {
        do {
            pos = limit;
            begin();
        } while (fill());
    }

    /** How many bytes of memory it has taken. */
    int held() {
        return bytes.length;
    }

    private void scan(boolean[] stops) {
        byte[] b = bytes;
        int i = pos;
        int last = limit - unit;
        if (unit == 1) {
            while (i <= last && (b[i] < 0 || !stops[b[i]])) {
                i++;
            }
        } else {
            while (i <= last) {
                int c = unitAt(i);
                if (c < stops.length && stops[c]) {
                    break;
                }
                i += 2;
            }
        }
        pos = i;
    }

    private int unitAt(int i) {
        if (unit == 1) {
            return bytes[i] & 0xFF;
        }
        int first = bytes[i] & 0xFF;
        int second = bytes[i + 1] & 0xFF;
        return charset.equals(StandardCharsets.UTF_16BE) ? first << 8 | second : second << 8 | first;
    }

    private boolean fill() throws IOException {
        if (ended) {
            return false;
        }
        if (dropped || pos - start > maxItem) {
            dropped = true;
            start = pos;
        }
        if (limit == bytes.length) {
            makeRoom();
        }
        int got = in.read(bytes, limit, Math.min(chunk, bytes.length - limit));
        if (got < 0) {
            ended = true;
            return false;
        }
        limit += got;
        return true;
    }

    private void makeRoom() {
        int most = Math.max(bytes.length, maxItem + chunk + 4);
        if (start <= bytes.length / 2 && bytes.length < most) {
            bytes = Arrays.copyOf(bytes, (int) Math.min(most, bytes.length * 2L));
        } else {
            System.arraycopy(bytes, start, bytes, 0, limit - start);
            base += start;
            pos -= start;
            end = Math.max(0, end - start);
            limit -= start;
            start = 0;
        }
    }

    private boolean startsWith(int... mark) {
        if (limit < mark.length) {
            return false;
        }
        for (int i = 0; i < mark.length; i++) {
            if ((bytes[i] & 0xFF) != mark[i]) {
                return false;
            }
        }
        return true;
    }
}
