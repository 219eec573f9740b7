package dev.oncebox.plan;

import dev.oncebox.intake.RejectedFile;
import dev.oncebox.ledger.Entry;
import java.io.IOException;

/** Is told a plan while it is made: each file's beginning, its invalid items in their order, its end; then the total. */
interface PlanReport {

    /**
     * A file and its job.
     *
     * @param file absolute, with {@code path} below the inbox
     */
    record Heading(String file, String path, JobPrices job) {}

    /** A file of which nothing can be read. */
    void rejected(Heading heading, RejectedFile reason) throws IOException;

    /**
     * A file whose items follow.
     *
     * @param takenBefore whether the ledger has it, so that its receipt will be the one of the first time
     */
    void begins(Heading heading, boolean takenBefore) throws IOException;

    void invalid(Entry.Invalid item) throws IOException;

    /**
     * The file's end.
     *
     * @param changed whether it was written to meanwhile, so that none of it counts
     */
    void ends(Heading heading, Tally tally, Estimate estimate, boolean changed) throws IOException;

    /** Of all files, of which there are so many. */
    void total(int files, Tally tally, Estimate estimate) throws IOException;
}
