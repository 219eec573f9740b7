package dev.oncebox.outbox;

import dev.oncebox.files.DurableFile;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The files that answer one dropped file, while they are written. Closing deletes what was not published. */
abstract sealed class Delivery implements AutoCloseable permits SingleDelivery, BatchDelivery {

    final OutputNames names;
    private final Path folder;
    private final List<Part> parts = new ArrayList<>();

    /**
     * @param ending of its name
     */
    record Part(String ending, DurableFile file) {}

    Delivery(OutputNames names, Path folder) {
        this.names = names;
        this.folder = folder;
    }

    /** The next item, in the order of the dropped file. */
    abstract void take(ItemResult result) throws IOException;

    /** No item follows. */
    abstract void finish() throws IOException;

    /** What to publish, in this order; the last one is what people wait for. */
    abstract List<Part> publication();

    /** Brings what was written to the disk, before it has its names: nobody need wait for that. */
    final void flush() throws IOException {
        for (Part part : parts) {
            part.file().flush();
        }
    }

    final Part begin(String ending) throws IOException {
        var part = new Part(ending, DurableFile.create(folder, names.inGroup(1, ending)));
        parts.add(part);
        return part;
    }

    final OutputStream out(Part part) {
        return part.file().out();
    }

    @Override
    public void close() throws IOException {
        IOException failure = null;
        for (Part part : parts) {
            try {
                part.file().close();
            } catch (IOException e) {
                failure = e;
            }
        }
        if (failure != null) {
            throw failure;
        }
    }
}
