package dev.oncebox.outbox;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.oncebox.ledger.SettledFile;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.Charset;
import java.util.Objects;

/**
 * The rows of a table with two more columns, {@code answer} and {@code charged}. What stood in the file is written as it
 * stood there, to the byte. A cell of ours that a spreadsheet would take for a formula begins with an apostrophe.
 */
final class TableRows implements ItemLines {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String FORMULAS = "=+-@\t\r";

    private final Writer out;
    private final String delimiter;
    private final int columns;
    private long written;

    TableRows(SettledFile file, OutputStream out) throws IOException {
        JsonNode head = JSON.readTree(Objects.requireNonNull(file.head()));
        this.out =
                new OutputStreamWriter(out, Charset.forName(head.path("charset").asText()));
        this.delimiter = head.path("delimiter").asText();
        this.columns = head.path("columns").asInt();
        if (head.path("marked").asBoolean()) {
            this.out.write('\uFEFF');
        }
        write(head.path("header").asText(), 0, "answer", "charged");
    }

    @Override
    public void write(ItemResult result) throws IOException {
        if (result instanceof ItemResult.Answered answered) {
            String row = Objects.requireNonNull(answered.outcome().row());
            int missing = Math.max(0, columns - cells(row));
            write(row, missing, guarded(answered.value()), answered.charged());
            written++;
        }
    }

    private void write(String row, int missing, String answer, String charged) throws IOException {
        int end = row.length();
        while (end > 0 && (row.charAt(end - 1) == '\n' || row.charAt(end - 1) == '\r')) {
            end--;
        }
        out.append(row, 0, end).append(delimiter.repeat(missing));
        out.append(delimiter).append(quoted(answer)).append(delimiter).append(charged);
        out.append(row, end, row.length());
    }

    /** How many cells a well-formed row has. */
    private int cells(String row) {
        int cells = 1;
        boolean quoted = false;
        boolean begins = true;
        for (int i = 0; i < row.length(); i++) {
            char c = row.charAt(i);
            if (c == '"' && (quoted || begins)) {
                quoted = !quoted;
            } else if (!quoted && c == delimiter.charAt(0)) {
                cells++;
            }
            // the second of two quotes within a quoted cell opens it again
            begins = !quoted && (c == delimiter.charAt(0) || c == '"');
        }
        return cells;
    }

    static String guarded(String answer) {
        return !answer.isEmpty() && FORMULAS.indexOf(answer.charAt(0)) >= 0 ? "'" + answer : answer;
    }

    private String quoted(String cell) {
        boolean needed = cell.contains(delimiter)
                || cell.indexOf('"') >= 0
                || cell.indexOf('\n') >= 0
                || cell.indexOf('\r') >= 0
                || !cell.equals(cell.strip());
        return needed ? '"' + cell.replace("\"", "\"\"") + '"' : cell;
    }

    @Override
    public long written() {
        return written;
    }

    @Override
    public void finish() throws IOException {
        out.close();
    }
}
