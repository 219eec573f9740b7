package dev.oncebox.intake;

import java.util.Locale;

/** How a file is divided into items, told by the end of its name. */
public enum FileKind {
    /** The whole file is one item. */
    TEXT,
    /** Each line is an item, in JSON. */
    LINES,
    /** One JSON item, or an array of them. */
    JSON,
    /** A file that should have an item a line, and has items that spread over lines, or an array of them. */
    SPREAD,
    /** Each row of a table is an item; the first row names its columns. */
    TABLE,
    /** Each line is a whole request in OpenAI's batch format. No name tells it, the content does. */
    OPENAI;

    private static final String KNOWN = "Drop .txt, .md or .prompt (one request), .jsonl or .ndjson (one a line),"
            + " .json, .csv or .tsv (one a row); each of them may be packed with gzip (.gz).";

    /**
     * The kind of a file, packed or not.
     *
     * @throws RejectedFile {@code unknown_kind}
     */
    public static FileKind of(String fileName) throws RejectedFile {
        String name = Gzip.unpackedName(fileName.substring(fileName.lastIndexOf('/') + 1));
        int dot = name.lastIndexOf('.');
        String extension = dot < 0 ? "" : name.substring(dot + 1).toLowerCase(Locale.ROOT);
        return switch (extension) {
            case "txt", "md", "prompt" -> TEXT;
            case "jsonl", "ndjson" -> LINES;
            case "json" -> JSON;
            case "csv", "tsv" -> TABLE;
            case "" -> throw new RejectedFile("unknown_kind", "The name has no ending that tells the kind. " + KNOWN);
            default -> throw new RejectedFile("unknown_kind", "." + extension + " is no kind of file known. " + KNOWN);
        };
    }
}
