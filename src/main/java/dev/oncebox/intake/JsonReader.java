package dev.oncebox.intake;

import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/**
 * A JSON file: one item, or an array of them; where it is allowed, one item after the other.
 *
 * <p>The {@link ValueScanner} finds where each element ends without understanding it; only then it is parsed. So an
 * element that is invalid, badly encoded or too long is one error and the others go on. Where even the brackets do not
 * match, guessing could make an item of what is none: one last error says so and the rest is not looked at.
 */
final class JsonReader extends ItemReader {

    private static final String REST = " From here on the file cannot be read.";
    private static final String MORE =
            "something follows the end; a .json file holds one value, a .jsonl file one a line";

    private final ValueScanner scanner = new ValueScanner(window);
    private final ItemParser parser = new ItemParser(false);
    private final boolean array;
    private final boolean sequence;
    private long n;
    private boolean ended;
    private boolean broken;

    JsonReader(InputStream in, long maxItem, int chunk) throws IOException {
        this(in, maxItem, chunk, false);
    }

    /** {@code sequence}: where the file is no array, items may follow each other, with white space between them. */
    JsonReader(InputStream in, long maxItem, int chunk, boolean sequence) throws IOException {
        super(in, maxItem, chunk);
        this.sequence = sequence;
        array = scanner.next() == '[';
        if (array) {
            window.skip();
        }
    }

    @Override
    public boolean isArray() {
        return array;
    }

    @Override
    boolean broken() {
        return broken;
    }

    @Override
    @Nullable
    Item read() throws IOException {
        if (broken) {
            window.drain();
            return null;
        }
        int next = scanner.next();
        if (array && !ended) {
            if (next == ']') {
                window.skip();
                next = scanner.next();
                ended = true;
            } else if (n > 0) {
                if (next != ',') {
                    return stop(next == Window.END ? "the array is not closed" : "a comma or a bracket is missing");
                }
                window.skip();
                next = scanner.next();
            }
        }
        if (ended) {
            return next == Window.END ? null : stop(MORE);
        }
        if (next == Window.END) {
            return array ? stop("the array is not closed") : null;
        }
        return value(next);
    }

    private @Nullable Item value(int first) throws IOException {
        n++;
        ended = !array && !sequence;
        Place at = new Place(n, scanner.line(), window.offset());
        boolean whole = scanner.value();
        if (!whole && window.tooLong()) {
            return stop(at, ItemParser.BAD_JSON, "The item that starts here does not end.");
        }
        Item item = decode(at, parser::parse);
        if (item instanceof Item.Unreadable bad) {
            boolean nonsense = bad.code().equals(ItemParser.BAD_JSON) && first != '{' && first != '[' && first != '"';
            if (!whole || nonsense) {
                return stop(at.withOffset(bad.offset()), bad.code(), bad.message());
            }
            if (ended && bad.code().equals("bad_item")) {
                return stop(at, ItemParser.BAD_JSON, bad.message());
            }
        }
        // known before the first is asked: such a file has no shape in which its answers could be given back
        return !ended || scanner.next() == Window.END
                ? item
                : stop(at, ItemParser.BAD_JSON, "Not valid JSON at line " + scanner.line() + ": " + MORE + ".");
    }

    private Item stop(String reason) {
        n++;
        Place at = new Place(n, scanner.line(), window.offset());
        return stop(at, ItemParser.BAD_JSON, "Not valid JSON at line " + at.line() + ": " + reason + ".");
    }

    private Item stop(Place at, String code, String message) {
        broken = true;
        return at.unreadable(null, code, message + REST);
    }
}
