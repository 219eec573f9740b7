package dev.oncebox.intake;

import java.io.IOException;
import java.io.InputStream;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A file in OpenAI's batch format. Its lines are for one endpoint, that of the first that can be read. */
final class WholeRequestReader extends LineReader {

    /** What OpenAI has one code for. */
    private static final Set<String> NO_JSON_OBJECT =
            Set.of(ItemParser.BAD_JSON, "bad_item", "invalid_encoding", "no_text");

    private @Nullable String url;

    WholeRequestReader(InputStream in, long maxItem, int chunk) throws IOException {
        super(in, maxItem, chunk, ItemParser.ofWholeRequests());
    }

    @Override
    @Nullable
    Item read() throws IOException {
        Item item = super.read();
        if (item instanceof Item.Unreadable bad) {
            String where = bad.code().equals("invalid_encoding") ? " They begin at byte " + bad.offset() + "." : "";
            return NO_JSON_OBJECT.contains(bad.code()) ? refused(bad, "invalid_json_line", bad.message() + where) : bad;
        }
        if (!(item instanceof Item.Readable readable)) {
            return null;
        }
        if (readable.passed() == null) {
            return refused(item, "invalid_json_line", "This line is no object; each line is a whole request.");
        }
        if (url == null) {
            url = readable.passed().url();
        }
        if (!url.equals(readable.passed().url())) {
            return refused(
                    item,
                    "url_mismatch",
                    "The url " + readable.passed().url() + " is not the one of this file's first request, " + url
                            + "; put this request into another file.");
        }
        return item;
    }

    private static Item refused(Item item, String code, String message) {
        return new Place(item.n(), item.line(), item.offset()).unreadable(item.id(), code, message);
    }
}
