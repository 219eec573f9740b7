package dev.oncebox.ledger;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The memory of everything that was asked, sent, answered and delivered. Stages meet here and nowhere else.
 *
 * <p>Every method that changes something returns only when the change is durable. {@link LedgerException} means that
 * it is not known to be, and that nothing may be sent.
 */
public interface Ledger extends AutoCloseable {

    /** Finds or makes the record of a dropped file. A known one is delivered anew, and its uncharged failures retried. */
    ReceivedFile receive(DroppedFile file);

    /** Records items of a file. Recording an item again changes nothing. */
    void record(ReceivedFile file, List<Entry> entries);

    /** All items of the file are recorded; returns how many there are. */
    long taken(ReceivedFile file);

    /** Takes a path of the inbox for this node, which may have it already. False: another node is taking it. */
    boolean reserve(String path);

    /** The node leaves a path of the inbox to others. */
    void release(String path);

    /** The dropped file was moved to the archive. */
    void archived(ReceivedFile file);

    /** Forgets a file that turned out not to be what was read, and the calls that only it asked for and nobody sent. */
    void discard(ReceivedFile file);

    /** Files that are being read, or are not yet archived, though no other node is at them. */
    List<UnarchivedFile> unarchived();

    /** Whether a file of this content was ever taken from this place. */
    boolean isKnown(String path, byte[] sha256);

    /** An unarchived file is in the inbox no more; what was recorded of it goes its way. */
    void abandoned(UnarchivedFile file);

    /** Claims calls of an engine that are due; never more than {@code limit}. */
    List<Call> claim(String engine, int limit);

    /** In how many milliseconds the next call of these engines falls due; {@link Long#MAX_VALUE}: none is known to. */
    long untilDue(Collection<String> engines);

    /** Gives back every claim of this process that was not sent, when it is not known which claims there are. */
    void releaseClaims();

    /** Records that the call is about to be sent. False: the claim is stale, and nothing may be sent. */
    boolean sent(Call call);

    /**
     * Records what an attempt came to, with the bytes that came back.
     *
     * @param step what the routes want done after a failure; of no account for a valid answer
     * @return what became of the call; null when the claim was stale, in which case only the bytes are kept
     */
    @Nullable
    Transition settle(Call call, Verdict verdict, NextStep step, @Nullable Reply reply);

    /** Hands up to {@code limit} calls that are due at one engine on to another; returns how many. */
    int fallBack(Move move, int limit);

    /** Remembers which engines are sent nothing, so that other processes and the next start can see it. */
    void pauses(Map<String, Pause> pauses);

    /** What was last remembered of it. */
    Map<String, Pause> pauses();

    /** This node's part of limits that hold for all nodes together. */
    Share share();

    /** What was, or may have been, charged since a moment, epoch milliseconds. */
    Spent spent(long since);

    /** Whether the last send of this claim is still waiting for its outcome. */
    boolean isOpen(Call call);

    /**
     * Calls that an asynchronous engine accepted and that are due to be asked for, as they were before they were sent.
     * Each is due again after the interval, whatever becomes of the question.
     */
    List<Call> polling(String engine, Duration interval, int limit);

    /** How many accepted calls wait for each engine. */
    Map<String, Long> accepted();

    /** In how many milliseconds the next accepted call of these engines is to be asked for. */
    long untilPolling(Collection<String> engines);

    /** The calls that are submitted together. */
    Batches batches();

    /** Files of one item that an asynchronous engine accepted and whose address is not written yet. */
    List<QueuedFile> queued(int limit);

    /**
     * The name, below the outbox, under which the address of a file's job is about to be written. False: the call has
     * its end by now, or another address, and nothing may be written.
     */
    boolean placed(QueuedFile file, String sidecar);

    /** The address of a file's job stands in the outbox. */
    void addressed(QueuedFile file);

    /** Files of which every item has its end and which are not in the outbox, oldest first. */
    List<SettledFile> settled(int limit);

    /** Gives every item of a file, in order, one at a time. False: an item has lost its end, try again later. */
    boolean outcomes(SettledFile file, Consumer<Outcome> each);

    /** The answers of a file are where they belong. Not recorded when they may be others by now: it is delivered again. */
    void delivered(SettledFile file, Output output);

    /** The first item that asks for a call; nothing: none does. */
    Optional<Asker> asker(long call);

    /** The call of a claim as its worker had it, if it was sent and its end is not known. */
    Optional<Call> inFlight(byte[] key, long fence);

    /**
     * Puts every call that a process, or another node, left behind where it can go on.
     *
     * @return how many had been sent and are in doubt
     */
    int recover();

    /**
     * Holds the calls that wait, when the ledger is a copy that was put in place: they may have been sent since. Once,
     * after {@link #recover}.
     *
     * @return nothing: it is no copy
     */
    Optional<Restored> restored();

    /**
     * Lets calls that wait for an engine that is configured no more be asked of the engine that their job names now.
     *
     * @return how many
     */
    int reassign(Collection<String> engines, Map<String, String> engineOfJob);

    /** Whether a call is in flight, or due within the horizon and within reach, or a file can be delivered. Cheap. */
    boolean isBusy(Duration horizon, Reach reach);

    /** What is left to do, counted. Calls beyond reach are parked. */
    Work work(Duration horizon, Reach reach);

    /**
     * From now on looks for what other nodes leave behind, and puts it where it can go on, as {@link #recover} does.
     *
     * @param before called when there is something; may still record what the other node had received
     * @param after called after every look, so that it may end what this node could not while the ledger was away
     */
    void onTakeover(Runnable before, Runnable after);

    /** Calls {@code changed} whenever a call may have become due or a file settled. */
    void onChange(Runnable changed);

    @Override
    void close();

    /**
     * @param path below the inbox
     * @param taking whether not all its items are known to be recorded
     */
    @SuppressWarnings("ArrayRecordComponent") // handed out for reading, never compared
    record UnarchivedFile(long id, String path, boolean taking, byte[] sha256) {}

    /**
     * A way for calls from an engine that is sent nothing to another.
     *
     * @param jobs the names of the jobs whose calls may go it
     * @param evenUnresolved whether a call may go it that {@code from} may have charged and would recognise
     * @param reason why nothing is sent to {@code from}
     */
    record Move(String from, String to, List<String> jobs, boolean evenUnresolved, String reason) {}

    /**
     * Which waiting calls can be sent.
     *
     * @param engines whose calls can
     * @param moves by which calls of other engines can as well
     * @param polled the engines whose accepted calls can be asked for
     */
    record Reach(Collection<String> engines, List<Move> moves, Collection<String> polled) {

        public Reach(Collection<String> engines) {
            this(engines, List.of(), engines);
        }
    }

    /**
     * What attempts cost.
     *
     * @param calls how many were, or may have been, charged
     * @param unpriced how many of these the engine named no cost of
     * @param cost of the others
     * @param dearest the highest cost of one
     */
    record Spent(long calls, long unpriced, BigDecimal cost, BigDecimal dearest) {
        public static final Spent NOTHING = new Spent(0, 0, BigDecimal.ZERO, BigDecimal.ZERO);
    }

    /**
     * What is left to do.
     *
     * @param unfinished calls in flight, or due before the horizon
     * @param parked calls that wait and are not due before the horizon
     * @param undelivered files that can be delivered now
     * @param doubts calls that wait for a person
     * @param dead calls that failed for good
     */
    record Work(long unfinished, long parked, long undelivered, long doubts, long dead) {}
}
