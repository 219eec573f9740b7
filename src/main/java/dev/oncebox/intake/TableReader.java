package dev.oncebox.intake;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A table: the first row names the columns, every other one is an item.
 *
 * <p>Where a row ends is found here, by quotes and delimiters alone, so that a row which is damaged, badly encoded or too
 * long is one error and the others go on; what its cells are is left to the library.
 */
final class TableReader extends ItemReader {

    private static final boolean[] IN_QUOTES = stops("\"\n\r");

    private boolean[] inCells = stops("\n\r" + TableHeader.DELIMITERS);
    private @Nullable TableHeader header;
    private @Nullable String delimiter;
    private boolean noHeader;
    private long line = 1;
    private long start = 1;
    private String lineEnd = "";

    TableReader(InputStream in, long maxItem, int chunk) throws IOException {
        super(in, maxItem, chunk);
    }

    @Override
    boolean broken() {
        return noHeader;
    }

    @Override
    @Nullable
    String head() {
        return header == null ? null : header.head(window.charset(), window.marked());
    }

    @Override
    @Nullable
    Item read() throws IOException {
        if (header == null && !noHeader) {
            Item unreadable = readHeader();
            if (unreadable != null) {
                noHeader = true;
                return unreadable;
            }
        }
        while (header != null && nextRow()) {
            TableHeader names = header;
            Item item = decode(new Place(start, start, window.itemOffset()), (text, at) -> row(names, text, at));
            finishRow();
            if (item instanceof Item.Readable row) {
                return new Item.Readable(
                        row.n(),
                        row.line(),
                        row.offset(),
                        row.id(),
                        row.text(),
                        null,
                        row.fields(),
                        null,
                        row.row() + lineEnd);
            }
            if (item != null) {
                return item;
            }
        }
        window.drain();
        return null;
    }

    /** Null: there is one, or the file has no row at all. */
    private @Nullable Item readHeader() throws IOException {
        var before = new StringBuilder();
        while (nextRow()) {
            var found = new String[1];
            Item bad = decode(new Place(start, start, window.itemOffset()), (text, at) -> {
                found[0] = text;
                return null;
            });
            finishRow();
            if (bad != null) {
                return bad;
            }
            String told = TableHeader.toldDelimiter(found[0]);
            if (told != null || Blank.isBlank(found[0])) {
                before.append(found[0]).append(lineEnd);
                inCells = told == null ? inCells : stops("\n\r" + told);
                delimiter = told == null ? delimiter : told;
                continue;
            }
            header = TableHeader.of(found[0], before.toString(), lineEnd, delimiter);
            if (header == null) {
                return new Place(start, start, 0)
                        .unreadable(null, "bad_csv", "The first row, which names the columns, cannot be read.");
            }
            int columns = header.columns();
            if (columns > TableHeader.MOST_COLUMNS) {
                header = null;
                return new Place(start, start, 0)
                        .unreadable(
                                null,
                                "too_many_columns",
                                "The first row names " + columns + " columns, and " + TableHeader.MOST_COLUMNS
                                        + " are the most. Leave some out.");
            }
            inCells = stops("\n\r" + header.delimiter());
            return null;
        }
        return null;
    }

    private static @Nullable Item row(TableHeader header, String text, Place at) {
        List<String> cells = header.cells(text);
        if (cells == null) {
            return at.unreadable(
                    null,
                    "bad_csv",
                    "This row cannot be divided into cells: a quote is missing, or something follows one. Correct it.");
        }
        if (cells.stream().allMatch(Blank::isBlank)) {
            return null;
        }
        String id = header.idOf(cells);
        if (cells.size() > header.columns()) {
            return at.unreadable(
                    id,
                    "ragged_row",
                    "This row has " + cells.size() + " cells, and the first row names " + header.columns()
                            + "; quote cells that hold the delimiter.");
        }
        ObjectNode fields = JsonNodeFactory.instance.objectNode();
        for (int i = 0; i < cells.size(); i++) {
            fields.set(header.name(i), TextNode.valueOf(cells.get(i)));
        }
        String asked = header.textOf(cells);
        if (asked != null && Blank.isBlank(asked)) {
            return at.unreadable(id, "no_text", "The text of this row is empty; fill it in.");
        }
        if (asked != null) {
            fields.put("text", asked);
        }
        return new Item.Readable(at.n(), at.line(), at.offset(), id, asked, null, fields, null, text);
    }

    /** Takes a row into the window; a line end within quotes belongs to it. */
    private boolean nextRow() throws IOException {
        window.begin();
        if (window.peek() == Window.END) {
            return false;
        }
        start = line;
        while (true) {
            if (window.peek() == '"' && !quoted()) {
                break;
            }
            int found = window.find(inCells);
            if (found == Window.END || found == '\n' || found == '\r') {
                break;
            }
            window.skip();
        }
        window.finish();
        return true;
    }

    /** Steps over a quoted cell; false: it does not end. */
    private boolean quoted() throws IOException {
        window.skip();
        while (true) {
            int found = window.find(IN_QUOTES);
            if (found == Window.END) {
                return false;
            }
            if (found != '"') {
                endLine(found);
                continue;
            }
            window.skip();
            if (window.peek() != '"') {
                return true;
            }
            window.skip();
        }
    }

    private void finishRow() throws IOException {
        int next = window.peek();
        lineEnd = next == Window.END ? "" : endLine(next);
    }

    private String endLine(int end) throws IOException {
        line++;
        window.skip();
        if (end == '\r' && window.peek() == '\n') {
            window.skip();
            return "\r\n";
        }
        return end == '\r' ? "\r" : "\n";
    }

    private static boolean[] stops(String characters) {
        boolean[] stops = new boolean[128];
        characters.chars().forEach(c -> stops[c] = true);
        return stops;
    }
}
