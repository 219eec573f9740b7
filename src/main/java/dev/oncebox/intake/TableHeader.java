package dev.oncebox.intake;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.TextNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.Charset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVParser;
import org.apache.commons.csv.CSVRecord;
import org.jspecify.annotations.Nullable;

/** What the first row of a table says of the others. */
final class TableHeader {

    /** What may stand between cells; the one that the first row has most of does. */
    static final String DELIMITERS = ",;\t|";

    /** As many as spreadsheets have. */
    static final int MOST_COLUMNS = 16_384;

    private static final String TOLD = "sep=";

    private final char delimiter;
    private final CSVFormat format;
    private final List<String> names;
    private final String written;
    private final int text;
    private final int id;

    private TableHeader(char delimiter, CSVFormat format, List<String> cells, String written) {
        this.delimiter = delimiter;
        this.format = format;
        this.names = unique(cells);
        this.written = written;
        this.text = names.size() == 1 ? 0 : column(cells, "text");
        this.id = names.size() == 1 ? -1 : column(cells, "id");
    }

    /** The delimiter that a row of a spreadsheet's own tells before the first; null: it is no such row. */
    static @Nullable String toldDelimiter(String row) {
        boolean told = row.length() == TOLD.length() + 1
                && row.toLowerCase(Locale.ROOT).startsWith(TOLD)
                && row.charAt(TOLD.length()) < 128
                && row.charAt(TOLD.length()) > 0;
        return told ? row.substring(TOLD.length()) : null;
    }

    /**
     * The header that a row is.
     *
     * @param before what stands before it in the file
     * @param told the delimiter; null: to be found out
     * @return null when the row cannot be divided into cells
     */
    static @Nullable TableHeader of(String row, String before, String lineEnd, @Nullable String told) {
        char delimiter = told == null ? delimiter(row) : told.charAt(0);
        CSVFormat format = CSVFormat.RFC4180.builder().setDelimiter(delimiter).get();
        List<String> cells = cells(format, row);
        return cells == null
                ? null
                : new TableHeader(delimiter, format, cells, before + row + (lineEnd.isEmpty() ? "\n" : lineEnd));
    }

    private static char delimiter(String row) {
        int[] counts = new int[DELIMITERS.length()];
        boolean quoted = false;
        for (int i = 0; i < row.length(); i++) {
            char c = row.charAt(i);
            quoted ^= c == '"';
            int which = quoted ? -1 : DELIMITERS.indexOf(c);
            if (which >= 0) {
                counts[which]++;
            }
        }
        int most = 0;
        for (int i = 1; i < counts.length; i++) {
            most = counts[i] > counts[most] ? i : most;
        }
        return DELIMITERS.charAt(most);
    }

    private static List<String> unique(List<String> cells) {
        List<String> names = new ArrayList<>();
        Set<String> taken = new HashSet<>();
        Map<String, Integer> next = new HashMap<>();
        for (int i = 0; i < cells.size(); i++) {
            String wanted = Blank.isBlank(cells.get(i))
                    ? "column_" + (i + 1)
                    : cells.get(i).strip();
            String name = wanted;
            while (!taken.add(name)) {
                name = wanted + "_" + next.merge(wanted, 2, (n, first) -> n + 1);
            }
            names.add(name);
        }
        return names;
    }

    private static int column(List<String> cells, String name) {
        for (int i = 0; i < cells.size(); i++) {
            if (cells.get(i).strip().equalsIgnoreCase(name)) {
                return i;
            }
        }
        return -1;
    }

    char delimiter() {
        return delimiter;
    }

    int columns() {
        return names.size();
    }

    String name(int column) {
        return names.get(column);
    }

    /** What is asked; null when no column holds it. */
    @Nullable
    String textOf(List<String> cells) {
        return text < 0 ? null : text < cells.size() ? cells.get(text) : "";
    }

    /** As JSON text; null when there is none. */
    @Nullable
    String idOf(List<String> cells) {
        return id < 0 || id >= cells.size() || Blank.isBlank(cells.get(id))
                ? null
                : TextNode.valueOf(cells.get(id)).toString();
    }

    /** The cells of a row; null when it is not well formed. */
    @Nullable
    List<String> cells(String row) {
        return cells(format, row);
    }

    private static @Nullable List<String> cells(CSVFormat format, String row) {
        if (row.isEmpty()) {
            return List.of("");
        }
        try (CSVParser parser = CSVParser.parse(row, format)) {
            List<CSVRecord> records = parser.getRecords();
            return records.size() == 1 ? records.get(0).toList() : null;
        } catch (UncheckedIOException e) {
            return null;
        } catch (IOException e) {
            return null;
        }
    }

    /** What the outbox needs for the answers, in JSON. */
    String head(Charset charset, boolean marked) {
        return JsonNodeFactory.instance
                .objectNode()
                .put("header", written)
                .put("delimiter", String.valueOf(delimiter))
                .put("columns", columns())
                .put("charset", charset.name())
                .put("marked", marked)
                .toString();
    }
}
