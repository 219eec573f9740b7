package dev.oncebox.outbox;

import java.io.IOException;

/** A file of the outbox that has a place for each of many items. */
interface ItemLines {

    /** The next item, in the order of the dropped file. */
    void write(ItemResult result) throws IOException;

    /** How many were written. */
    long written();

    /** No item follows; the file is closed. */
    void finish() throws IOException;
}
