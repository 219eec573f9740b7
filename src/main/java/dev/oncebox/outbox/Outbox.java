package dev.oncebox.outbox;

import dev.oncebox.files.FolderSync;
import dev.oncebox.job.Job;
import dev.oncebox.job.Jobs;
import dev.oncebox.ledger.DroppedFile;
import dev.oncebox.ledger.Ledger;
import dev.oncebox.ledger.Output;
import dev.oncebox.ledger.QueuedFile;
import dev.oncebox.ledger.SettledFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The Aggregator at the end: puts the answers of a dropped file into the outbox, under the name and in the layout of
 * the file that asked.
 *
 * <p>Delivering is idempotent. The same outcomes give the same bytes, and a file that has them already is left as it
 * is; what was deleted comes back; what was changed by somebody stays, and the answers take another number. So a crash
 * before the ledger knows of a delivery costs nothing but doing it again. Where answers and files are as the last delivery
 * left them, by its {@link Seal}, there is nothing to do.
 */
public final class Outbox {

    private static final Logger LOG = LoggerFactory.getLogger(Outbox.class);

    private final Ledger ledger;
    private final Jobs jobs;
    private final OutboxRoot root;
    private final AddressFiles addresses;

    /**
     * Held from the choice of a number until every file has its name, and not while the disk is waited for: others have
     * names to give as well, and one flush of the folder is for all of them.
     */
    private final Object numbers = new Object();

    /**
     * @param outbox made when missing
     */
    public Outbox(Ledger ledger, Jobs jobs, Path outbox) {
        this.ledger = ledger;
        this.jobs = jobs;
        this.root = new OutboxRoot(outbox);
        this.addresses = new AddressFiles(ledger, root);
    }

    /**
     * Puts the answers of a file into the outbox, durably. The ledger is not told.
     *
     * @return where; null when an item has lost its end meanwhile, and nothing was written
     * @throws IllegalStateException when the file's path leads out of the outbox, or its outcomes contradict its kind
     * @throws IOException when a file could not be written; none that exists was changed
     */
    public @Nullable Output deliver(SettledFile file) throws IOException {
        OutputNames names = OutputNames.of(file.path());
        Path folder = root.folder(file.path(), names);
        Output last = file.output();
        if (last != null && Seal.holds(last.seal(), folder)) {
            removeAddress(file);
            return last;
        }
        try (Delivery delivery = delivery(file, names, folder)) {
            if (!take(file, delivery::take)) {
                return null;
            }
            delivery.finish();
            delivery.flush();
            List<String> published;
            synchronized (numbers) {
                published = publish(file, delivery.publication(), names, folder);
            }
            FolderSync.sync(folder);
            removeAddress(file);
            return new Output(names.folder() + published.get(published.size() - 1), Seal.of(folder, published));
        }
    }

    private void removeAddress(SettledFile file) throws IOException {
        if (file.sidecar() != null) {
            synchronized (numbers) {
                addresses.remove(file.sidecar());
            }
        }
    }

    private static Delivery delivery(SettledFile file, OutputNames names, Path folder) throws IOException {
        return switch (file.kind()) {
            case TEXT -> new SingleDelivery(names, folder, true);
            case OBJECT -> new SingleDelivery(names, folder, false);
            case LINES, ARRAY, OPENAI, TABLE -> BatchDelivery.begin(file, names, folder);
        };
    }

    /**
     * The results of a file for a destination other than the outbox folder, in the order of its items. To be closed.
     *
     * @return null when an item has lost its end meanwhile
     */
    public @Nullable Results results(SettledFile file) throws IOException {
        Results.Spool spool = Results.spool(file);
        boolean whole = false;
        try {
            whole = take(file, spool::write);
            return whole ? spool.results() : null;
        } finally {
            if (!whole) {
                spool.close();
            }
        }
    }

    /** What is done with each result. */
    @FunctionalInterface
    private interface Each {
        void take(ItemResult result) throws IOException;
    }

    private boolean take(SettledFile file, Each each) throws IOException {
        boolean json = file.kind() != DroppedFile.Kind.OPENAI
                && jobs.find(file.job())
                        .map(job -> job.answer() == Job.Format.JSON)
                        .orElse(false);
        try {
            return ledger.outcomes(file, outcome -> {
                try {
                    each.take(ItemResult.of(outcome, json));
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    private static List<String> publish(SettledFile file, List<Delivery.Part> parts, OutputNames names, Path folder)
            throws IOException {
        int n = number(file, parts, names, folder);
        List<String> published = new ArrayList<>();
        for (Delivery.Part part : parts) {
            String name = names.inGroup(n, part.ending());
            if (!part.file().become(folder.resolve(name))) {
                throw new FileAlreadyExistsException(
                        folder.resolve(name).toString(), null, "appeared while the answers were delivered");
            }
            published.add(name);
        }
        return published;
    }

    /** The number the file had the last time, else the first one under which nothing else stands. */
    private static int number(SettledFile file, List<Delivery.Part> parts, OutputNames names, Path folder)
            throws IOException {
        int last = names.groupOf(file.output() == null ? null : file.output().name());
        if (last > 1 && fits(last, parts, names, folder)) {
            return last;
        }
        int n = 1;
        while (!fits(n, parts, names, folder)) {
            n++;
        }
        return n;
    }

    private static boolean fits(int n, List<Delivery.Part> parts, OutputNames names, Path folder) throws IOException {
        Stream<String> all = parts.stream().map(part -> names.inGroup(n, part.ending()));
        if (all.distinct().count() < parts.size()) {
            return false; // shortened to the same
        }
        for (Delivery.Part part : parts) {
            if (!part.file().canBecome(folder.resolve(names.inGroup(n, part.ending())))) {
                return false;
            }
        }
        return true;
    }

    /** Shows where the answer of a file is asked for, in the place where the answer will be. Repeatable. */
    public void address(QueuedFile file) throws IOException {
        synchronized (numbers) {
            addresses.write(file);
        }
    }

    /** Says that an address could not be written; it will be tried again. */
    public void failed(QueuedFile file, Throwable reason) {
        LOG.atError()
                .addKeyValue("file", file.path())
                .log(
                        "The address of the answer to {} cannot be written and is tried again: {}",
                        file.path(),
                        reason.toString());
    }

    /** Says that a delivery failed; it will be tried again. */
    public void failed(SettledFile file, Throwable reason) {
        LOG.atError()
                .addKeyValue("file", file.path())
                .log("The answers of {} cannot be delivered and are tried again: {}", file.path(), reason.toString());
    }
}
