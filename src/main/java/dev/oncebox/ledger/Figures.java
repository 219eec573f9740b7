package dev.oncebox.ledger;

import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How much of everything a ledger holds, as of one moment.
 *
 * @param taken files that were ever taken in
 * @param delivered files whose answers are in the outbox
 * @param items requests in all files
 * @param answered items whose call is answered
 * @param failed items that could not be sent, and items whose call failed for good
 * @param pending items whose call has no end yet
 * @param calls how many calls are in each state; a state that none is in may be missing
 * @param sends every send ever started
 * @param fresh answered items that caused their call
 * @param reused answered items that found their call known
 * @param cost of everything certainly charged; null when a part of it is unknown
 * @param inFlight calls that were sent and not yet settled, by engine
 * @param accepted calls that an engine accepted and will answer later, by engine
 * @param waiting calls that wait for their turn, by engine
 * @param pauses which engines are sent nothing, and under {@link Pause#BUDGET} whether all are
 */
public record Figures(
        long taken,
        long delivered,
        long items,
        long answered,
        long failed,
        long pending,
        Map<CallState, Long> calls,
        long sends,
        long fresh,
        long reused,
        @Nullable BigDecimal cost,
        Map<String, Long> inFlight,
        Map<String, Accepted> accepted,
        Map<String, Waiting> waiting,
        Map<String, Pause> pauses,
        List<Node> nodes) {

    /** The figures of a ledger that does not exist yet. */
    public static final Figures NONE = new Figures(
            0, 0, 0, 0, 0, 0, Map.of(), 0, 0, 0, BigDecimal.ZERO, Map.of(), Map.of(), Map.of(), Map.of(), List.of());

    /**
     * Calls that an engine answers later.
     *
     * @param since when the oldest was sent, epoch milliseconds
     */
    public record Accepted(long calls, long since) {}

    /**
     * Calls that wait for an engine.
     *
     * @param due how many could be sent now
     * @param later how many wait for their time
     * @param next when the first of these is due, epoch milliseconds; 0: none
     */
    public record Waiting(long due, long later, long next) {}

    /**
     * A process that works on the ledger.
     *
     * @param started epoch milliseconds
     * @param lease until when it has said to be alive, epoch milliseconds
     */
    public record Node(long id, String host, long pid, long started, long lease) {}

    public long calls(CallState state) {
        return calls.getOrDefault(state, 0L);
    }
}
