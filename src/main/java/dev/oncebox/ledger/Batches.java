package dev.oncebox.ledger;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The part of the ledger for calls that are submitted to a provider together. What holds of {@link Ledger} holds here. */
public interface Batches {

    /**
     * Claims calls of an engine that are due as one batch, which is recorded.
     *
     * @return null: there are not enough yet
     */
    @Nullable
    Batch gather(String engine, Gathering gathering);

    /** Gives calls back that a gathered batch has no room for. */
    void leave(Batch batch, List<Call> rest);

    /** Records that the batch is about to be submitted. False: nothing may be sent, and there is no batch any more. */
    boolean sent(Batch batch);

    /** Records what a submission, or a question about a batch, came to, for all of its calls without an end. */
    void settle(Batch batch, Verdict verdict, NextStep step, @Nullable Reply reply);

    /** Batches that are due to be asked or looked for. Each is due again after the interval. */
    List<Batch> due(String engine, Duration interval, int limit);

    /** The call of a batch that has this key and no end, as it was before it was sent. */
    @Nullable
    Call open(Batch batch, byte[] key);

    /** The calls of a batch that have no end, as they were before they were sent, in the order of their ids. */
    List<Call> open(Batch batch, long after, int limit);

    /** The keys of the calls of a batch that have no end. */
    Set<String> keys(Batch batch);

    /** The addresses of all batches that an engine is known to have accepted from us. */
    List<String> addresses(String engine);

    /** Whether the submission of a batch is recorded and its outcome is not. */
    boolean isOpen(Batch batch);
}
