package dev.oncebox.intake;

import dev.oncebox.job.Job;
import dev.oncebox.job.Jobs;
import dev.oncebox.ledger.DroppedFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/** Opens files for reading: wherever they lie and whoever asks, a file has the same items. Knows no ledger. */
public final class FileReadings {

    private final long maxItem;
    private final Room room = Room.ofHeap();
    private final Map<String, EntryMaker> makers = new HashMap<>();

    /**
     * @param maxItem the longest item, in bytes
     */
    public FileReadings(Jobs jobs, long maxItem) {
        this.maxItem = maxItem;
        jobs.all().forEach(job -> makers.put(job.name(), new EntryMaker(job)));
    }

    private FileKind kind(Path file) throws IOException, RejectedFile {
        String name = file.getFileName().toString();
        FileKind named = FileKind.of(name);
        boolean packed = Gzip.isPacked(name);
        if (packed) {
            Gzip.check(file);
        }
        return Sniffer.kind(
                named, () -> packed ? Gzip.unpack(Files.newInputStream(file)) : Files.newInputStream(file), maxItem);
    }

    /**
     * Opens a file; to be closed by the caller.
     *
     * @param path below the inbox, as the ledger is to know the file
     * @param job one of those that this was made with
     * @throws RejectedFile when nothing in it can be read
     */
    public FileReading open(Path file, String path, Job job) throws IOException, RejectedFile {
        FileKind kind = kind(file);
        FileReading reading =
                FileReading.open(file, kind, Objects.requireNonNull(makers.get(job.name())), maxItem, room);
        boolean opened = false;
        try {
            // after the file's stamp was taken: another file put in its place meanwhile is noticed when it is archived
            byte[] digest = FileReading.digest(file);
            if (!reading.hasNext()) {
                throw new RejectedFile("no_items", "The file holds no item: it is empty or has only blank lines.");
            }
            reading.announce(new DroppedFile(path, job, reading.kind(kind), digest, reading.head()));
            opened = true;
            return reading;
        } finally {
            if (!opened) {
                reading.close();
            }
        }
    }
}
