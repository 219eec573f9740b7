package dev.oncebox.intake;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.oncebox.CrashPoint;
import dev.oncebox.files.DurableFile;
import dev.oncebox.files.DurableMove;
import dev.oncebox.files.FileName;
import dev.oncebox.job.Job;
import dev.oncebox.job.Jobs;
import dev.oncebox.ledger.Entry;
import dev.oncebox.ledger.Ledger;
import dev.oncebox.ledger.ReceivedFile;
import dev.oncebox.ledger.Variables;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.LongAdder;
import org.apache.camel.Exchange;
import org.apache.camel.WrappedFile;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes a dropped file in. All of it can be repeated at no cost: until the file is moved to the archive it lies in the
 * inbox, and recording an item twice changes nothing.
 */
public final class Intake {

    private static final Logger LOG = LoggerFactory.getLogger(Intake.class);
    private static final String READING = "reading";

    private final Ledger ledger;
    private final Jobs jobs;
    private final Folders folders;
    private final InboxFiles inboxFiles;
    private final FileReadings readings;
    private final FilesInProgress inProgress = new FilesInProgress();
    private final Handover handover;
    private final LongAdder taken = new LongAdder();
    private final Executor readers = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "intake-reader");
        thread.setDaemon(true);
        return thread;
    });

    /** Where dropped files are, and where they go. All on one file system. */
    public record Folders(Path inbox, Path archive, Path rejected) {}

    /**
     * @param maxItem the longest item, in bytes
     */
    public Intake(Ledger ledger, Jobs jobs, Folders folders, InboxFiles inboxFiles, long maxItem) {
        this.ledger = ledger;
        this.jobs = jobs;
        this.folders = folders;
        this.inboxFiles = inboxFiles;
        this.readings = new FileReadings(jobs, maxItem);
        this.handover = new Handover(ledger, folders.inbox(), inProgress);
    }

    /** Which files are being taken. */
    public FilesInProgress inProgress() {
        return inProgress;
    }

    /** The way in for sources other than the inbox folder. */
    public Handover handover() {
        return handover;
    }

    /**
     * Settles what an earlier process left: a file that is gone from the inbox goes its way with what is recorded.
     *
     * @param untouched how old temporaries must be to be nobody's
     */
    public void resume(Duration untouched) throws IOException {
        handover.sweep(untouched);
        new LeftInbox(ledger, folders, inProgress).settle();
    }

    /** Opens the file in the message body, and finds or makes its record; nothing, where another node is at it. */
    public void open(Exchange exchange) throws IOException, RejectedFile {
        Path path = exchange.getMessage().getBody(File.class).toPath();
        String relative = relative(path);
        if (!ledger.reserve(relative)) {
            // another node is taking it
            return;
        }
        exchange.getExchangeExtension().addOnCompletion(new Released(ledger, relative));
        if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
            // another node took it since this one saw it
            return;
        }
        Job job = job(relative);
        FileReading reading = readings.open(path, relative, job);
        exchange.setVariable(READING, reading);
        ReceivedFile file = ledger.receive(reading.dropped());
        exchange.setVariable(Variables.FILE, file);
        CrashPoint.AFTER_RECEIVED.reach();
    }

    /** How many files were taken in so far. */
    public long taken() {
        return taken.sum();
    }

    /** The items of the opened file, in chunks; none when the ledger knows them all. */
    public Iterator<List<Entry>> entries(Exchange exchange) {
        ReceivedFile file = exchange.getVariable(Variables.FILE, ReceivedFile.class);
        return file == null || file.known()
                ? Collections.emptyIterator()
                : exchange.getVariable(READING, FileReading.class).whileUnchanged(readers);
    }

    /** All items are recorded: the file goes to the archive. */
    public void archive(Exchange exchange) throws IOException {
        ReceivedFile file = exchange.getVariable(Variables.FILE, ReceivedFile.class);
        if (file == null) {
            return;
        }
        FileReading reading = exchange.getVariable(READING, FileReading.class);
        if (!file.known()) {
            if (!reading.isAsAnnounced()) {
                // asked while it is open: the system gives the number of a file that is gone to the next one
                boolean still;
                try {
                    still = reading.isStill(reading.path());
                } finally {
                    reading.close();
                    ledger.discard(file);
                }
                if (still) {
                    throw new IOException(file.file().path() + " does not read the same twice");
                }
                if (exchange.getVariable(Variables.HANDED_OVER) != null) {
                    throw new IOException(file.file().path() + " changed while it was being read");
                }
                LOG.atInfo()
                        .addKeyValue("file", file.file().path())
                        .log(
                                "{} changed while it was being read; it is read anew",
                                file.file().path());
                return;
            }
            ledger.taken(file);
        }
        CrashPoint.AFTER_INTAKE.reach();
        Path archived = move(reading);
        CrashPoint.AFTER_ARCHIVE_MOVE.reach();
        boolean still = reading.isStillWhereCompared() || reading.isStill(archived);
        reading.close();
        if (!still
                && !MessageDigest.isEqual(
                        FileReading.digest(archived), file.file().sha256())) {
            DurableMove.into(
                    archived,
                    Objects.requireNonNull(reading.path().getParent()),
                    reading.path().getFileName().toString());
            LOG.atInfo()
                    .addKeyValue("file", file.file().path())
                    .log(
                            "{} was replaced after it was read; the new one is taken next",
                            file.file().path());
        }
        inboxFiles.left(reading.path());
        forgetHalfRead(file);
        ledger.archived(file);
        taken.increment();
        CrashPoint.AFTER_ARCHIVED.reach();
    }

    /** What was half read at this place when a process ended has been replaced, or was read anew under a changed job. */
    private void forgetHalfRead(ReceivedFile file) {
        for (Ledger.UnarchivedFile left : ledger.unarchived()) {
            if (left.taking()
                    && left.id() != file.id()
                    && left.path().equals(file.file().path())) {
                ledger.discard(new ReceivedFile(left.id(), file.file(), false, file.receivedAt()));
            }
        }
    }

    /**
     * Puts a file of which nothing can be read where its sender finds it, with the reason beside it. The reason comes
     * first: a file that had left the inbox without it would never get one.
     */
    public void reject(Exchange exchange) throws IOException {
        RejectedFile reason = exchange.getProperty(Exchange.EXCEPTION_CAUGHT, RejectedFile.class);
        release(exchange);
        Path path = exchange.getMessage().getBody(File.class).toPath();
        Path target = folders.rejected().resolve(relative(path));
        Path folder = Objects.requireNonNull(target.getParent());
        Path rejected =
                DurableMove.destination(path, folder, target.getFileName().toString());
        ObjectNode error = JsonNodeFactory.instance.objectNode();
        error.put("file", relative(path));
        error.putObject("error").put("code", reason.code()).put("message", reason.getMessage());
        try {
            explain(rejected, error.toPrettyString() + "\n");
            CrashPoint.AFTER_EXPLAINED.reach();
            DurableMove.into(path, folder, target.getFileName().toString());
        } catch (IOException e) {
            postpone(path, e);
            return;
        }
        inboxFiles.left(path);
        LOG.atWarn()
                .addKeyValue("file", relative(path))
                .log("rejected {}: {} ({})", relative(path), reason.getMessage(), reason.code());
        if (exchange.getVariable(Variables.HANDED_OVER) != null) {
            Handover.refuse(exchange, error);
        }
    }

    private static void explain(Path rejected, String error) throws IOException {
        FileName name = FileName.of(rejected.getFileName() + ".error.json");
        Path folder = Objects.requireNonNull(rejected.getParent());
        try (DurableFile file = DurableFile.create(folder, rejected.getFileName() + ".error.json")) {
            file.out().write(error.getBytes(StandardCharsets.UTF_8));
            for (int n = 1; !file.publish(folder.resolve(name.numbered(n, name.extension()))); n++) {
                // the same file was rejected before for another reason
            }
        }
    }

    /** A file could not be taken, through no fault of its own: it stays in the inbox and is tried again later. */
    public void postpone(Exchange exchange) {
        Throwable reason = exchange.getProperty(Exchange.EXCEPTION_CAUGHT, Throwable.class);
        release(exchange);
        Path path = place(exchange);
        if (path != null) {
            postpone(path, reason);
        } else {
            LOG.error("What came by {} could not be taken in: {}", exchange.getFromRouteId(), reason.toString());
        }
    }

    /** Where the exchange's file is: in the middle of the split the body is a list of items. Null: it was none yet. */
    private static @Nullable Path place(Exchange exchange) {
        FileReading reading = exchange.getVariable(READING, FileReading.class);
        if (reading != null) {
            return reading.path();
        }
        boolean file = exchange.getMessage().getBody() instanceof File
                || exchange.getMessage().getBody() instanceof WrappedFile;
        return file ? exchange.getMessage().getBody(File.class).toPath() : null;
    }

    private void postpone(Path path, Throwable reason) {
        if (Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
            inboxFiles.postpone(path, reason);
        } else {
            inboxFiles.left(path);
            LOG.atWarn()
                    .addKeyValue("file", relative(path))
                    .log("{} left the inbox while it was being taken; what was read of it is answered", relative(path));
        }
    }

    private static void release(Exchange exchange) {
        FileReading reading = exchange.getVariable(READING, FileReading.class);
        if (reading != null) {
            try {
                reading.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private Path move(FileReading reading) throws IOException {
        Path target = folders.archive().resolve(relative(reading.path()));
        return DurableMove.into(
                reading.path(),
                Objects.requireNonNull(target.getParent()),
                target.getFileName().toString(),
                reading::compared);
    }

    private Job job(String relative) throws RejectedFile {
        int slash = relative.indexOf('/');
        String name = slash < 0 ? Jobs.DEFAULT : relative.substring(0, slash);
        return jobs.find(name)
                .orElseThrow(() -> new RejectedFile(
                        "unknown_job",
                        "There is no job \"" + name + "\". Make config/jobs/" + name
                                + "/ and restart, or drop the file into the folder of a job that exists."));
    }

    private String relative(Path path) {
        return folders.inbox().relativize(path).toString().replace(File.separatorChar, '/');
    }
}
