package dev.oncebox.stub;

/** What the stub knows until the next reset; the oldest of what there is too much of is forgotten before. */
final class Memory {

    private static final int MAX_JOBS = 50_000;
    private static final int MAX_LINES = 200_000;
    private static final long MAX_BYTES = 256L * 1024 * 1024;

    private final Tally tally;
    private final Shelf<Job> jobs = new Shelf<>(MAX_JOBS, job -> 1);
    private final Shelf<Job> responses = new Shelf<>(MAX_JOBS, job -> 1);
    private final Shelf<StoredFile> files = new Shelf<>(MAX_BYTES, file -> file.content().length + 1_000);
    private final Shelf<OpenAiBatch> batches =
            new Shelf<>(MAX_LINES, batch -> batch.batch().size() + 1);
    private final Shelf<Batch> messageBatches = new Shelf<>(MAX_LINES, batch -> batch.size() + 1);

    Memory(Stub.Options options) {
        this.tally = new Tally(options.logLimit(), options.keepBodies());
    }

    /** Whatever is asked for later is ready as soon as it was asked for often enough. */
    void release() {
        jobs.newestFirst().forEach(job -> job.progress().release());
        responses.newestFirst().forEach(job -> job.progress().release());
        batches.newestFirst().forEach(batch -> batch.batch().release());
        messageBatches.newestFirst().forEach(Batch::release);
    }

    Tally tally() {
        return tally;
    }

    Shelf<Job> jobs() {
        return jobs;
    }

    Shelf<Job> responses() {
        return responses;
    }

    Shelf<StoredFile> files() {
        return files;
    }

    Shelf<OpenAiBatch> batches() {
        return batches;
    }

    Shelf<Batch> messageBatches() {
        return messageBatches;
    }
}
