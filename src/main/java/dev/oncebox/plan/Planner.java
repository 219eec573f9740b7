package dev.oncebox.plan;

import dev.oncebox.config.ConfigException;
import dev.oncebox.config.Settings;
import dev.oncebox.intake.FileReading;
import dev.oncebox.intake.FileReadings;
import dev.oncebox.intake.RejectedFile;
import dev.oncebox.job.Job;
import dev.oncebox.ledger.Entry;
import dev.oncebox.ledger.Foreseen;
import dev.oncebox.ledger.sql.SqlPlan;
import dev.oncebox.progress.Progress;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Reads files as the intake would and says what a run would send and what that may cost. Sends nothing and changes
 * nothing; memory does not grow with the files.
 */
public final class Planner implements AutoCloseable {

    private final Settings settings;
    private final SqlPlan ledger;
    private final FileReadings readings;
    private final Map<String, JobPrices> prices = new HashMap<>();
    private final Progress progress;
    private boolean steady = true;
    private long planned;
    private long total;

    /**
     * A file to be planned.
     *
     * @param place where it is read
     * @param shown where its owner says that it is
     * @param path below the inbox: where it lies, or where it would be dropped
     */
    public record Source(Path place, Path shown, String path, Job job) {}

    /**
     * @param progress shown how many bytes were read
     * @throws ConfigException when there is a ledger and it cannot be read
     */
    public Planner(Settings settings, Progress progress) {
        this.progress = progress;
        this.settings = settings;
        this.readings = new FileReadings(settings.jobs(), settings.maxItem());
        this.ledger = SqlPlan.open(settings.ledger());
    }

    /**
     * Plans files and writes one JSON object.
     *
     * @return see {@link #text}
     */
    public boolean json(List<Source> files, OutputStream out) throws IOException {
        try (PlanJson report = new PlanJson(out)) {
            return plan(files, report);
        }
    }

    /**
     * Plans files and writes a page for people.
     *
     * @return false: one of the files was written to meanwhile, and its part of the plan is worth nothing
     * @throws ConfigException when a file or the ledger cannot be read
     */
    public boolean text(List<Source> files, PrintWriter out) throws IOException {
        return plan(files, new PlanText(out));
    }

    /**
     * Plans files as if they were dropped one after the other.
     *
     * @throws IOException when the report cannot be written
     */
    private boolean plan(List<Source> files, PlanReport report) throws IOException {
        var tally = new Tally();
        Estimate estimate = Estimate.NOTHING;
        total = files.stream().mapToLong(file -> file.place().toFile().length()).sum();
        for (Source file : files) {
            JobPrices job = prices(file.job());
            var heading = new PlanReport.Heading(file.shown().toString(), file.path(), job);
            try (FileReading reading = open(file)) {
                var ofFile = new OfFile(heading, report);
                ofFile.read(reading, tally);
                planned += reading.position();
                tally.add(ofFile.tally);
                estimate = estimate.plus(ofFile.estimate());
            } catch (RejectedFile e) {
                report.rejected(heading, e);
            }
        }
        report.total(files.size(), tally, estimate);
        return steady;
    }

    private FileReading open(Source file) throws RejectedFile {
        try {
            return readings.open(file.place(), file.path(), file.job());
        } catch (IOException e) {
            throw unreadable(file.shown().toString(), e);
        }
    }

    private static ConfigException unreadable(String file, IOException failure) {
        return new ConfigException(file + " cannot be read: " + failure + ".");
    }

    private JobPrices prices(Job job) {
        return prices.computeIfAbsent(
                job.name(),
                name -> new JobPrices(
                        job,
                        Objects.requireNonNull(
                                settings.engines().get(job.engines().get(0))),
                        ledger.lengths(name)));
    }

    private final class OfFile {

        private final PlanReport.Heading heading;
        private final PlanReport report;
        private final Tally tally = new Tally();
        private @Nullable Long input = 0L;

        OfFile(PlanReport.Heading heading, PlanReport report) {
            this.heading = heading;
            this.report = report;
        }

        void read(FileReading reading, Tally before) throws IOException {
            report.begins(heading, ledger.begin(reading.dropped()));
            for (List<Entry> entries = next(reading); !entries.isEmpty(); entries = next(reading)) {
                for (Foreseen item : ledger.foresee(entries)) {
                    take(item);
                }
                if (progress.isDue()) {
                    progress.show(planned + reading.position(), total, counted(before));
                }
            }
            boolean changed = !reading.isAsAnnounced();
            steady &= !changed;
            report.ends(heading, tally, estimate(), changed);
        }

        private String counted(Tally before) {
            return (before.items() + tally.items()) + " items, " + (before.sent() + tally.sent()) + " to be sent";
        }

        private List<Entry> next(FileReading reading) {
            try {
                return reading.hasNext() ? reading.next() : List.of();
            } catch (UncheckedIOException e) {
                throw unreadable(heading.file(), Objects.requireNonNull(e.getCause()));
            }
        }

        private void take(Foreseen item) throws IOException {
            tally.add(item);
            if (item.entry() instanceof Entry.Invalid invalid) {
                report.invalid(invalid);
            } else if (item.kind().isSent()) {
                input = Estimate.sum(input, heading.job().input(((Entry.Asking) item.entry()).request()));
            }
        }

        Estimate estimate() {
            return heading.job().estimate(tally.sent(), input);
        }
    }

    @Override
    public void close() {
        ledger.close();
    }
}
