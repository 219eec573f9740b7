package dev.oncebox.intake;

import java.io.IOException;
import java.io.InputStream;

/** Looks into the beginning of a file for a layout that its name does not tell. */
final class Sniffer {

    private static final int CHUNK = 1 << 13;
    /** So many lines may be broken before one shows what the file is. */
    private static final int LOOKED_AT = 100;

    private Sniffer() {}

    /** How the file is divided into items; the stream is read as far as needed and left open. */
    static FileKind kind(FileKind named, InputStream in, long maxItem) throws IOException {
        return named != FileKind.TABLE && isOfWholeRequests(named, in, maxItem) ? FileKind.OPENAI : named;
    }

    /** Another name than one for lines is believed, unless the very first line is a whole request. */
    private static boolean isOfWholeRequests(FileKind named, InputStream in, long maxItem) throws IOException {
        int most = named == FileKind.LINES ? LOOKED_AT : 1;
        var lines = new LineReader(in, maxItem, CHUNK);
        for (int n = 0; n < most; n++) {
            Item item = lines.read();
            if (item == null) {
                return false;
            }
            if (WholeRequest.isOne(item)) {
                return true;
            }
            if (item instanceof Item.Readable) {
                return false;
            }
        }
        return false;
    }
}
