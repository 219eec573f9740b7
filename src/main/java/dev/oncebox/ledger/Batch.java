package dev.oncebox.ledger;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Calls that are submitted to a provider together.
 *
 * @param handle ours: the provider is given it with the batch, so that a lost submission is found again
 * @param calls as they are to be submitted, in the order of their ids; empty for a batch that is only asked for
 * @param sentAt when it was submitted, epoch milliseconds; 0: not yet
 * @param remote where it is asked for; null: not submitted, or nobody knows what became of that
 */
public record Batch(
        long id, String handle, String engine, List<Call> calls, long sentAt, Call.@Nullable Remote remote) {

    /** The batch without some of its calls. */
    public Batch with(List<Call> remaining) {
        return new Batch(id, handle, engine, remaining, sentAt, remote);
    }
}
