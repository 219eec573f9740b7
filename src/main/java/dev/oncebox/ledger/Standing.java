package dev.oncebox.ledger;

import org.jspecify.annotations.Nullable;

/**
 * How far a file is, as of one moment.
 *
 * @param file its number in the ledger
 * @param output where its answers were delivered, below the outbox; null when they never were
 * @param items how many are recorded
 * @param answered how many of these have an answer
 * @param open how many wait for their call's end
 * @param calls where the calls stand that are waited for
 * @param shown the item that says most of how it stands: the first whose call has not ended, else the first that
 *     failed, else the first of all
 */
public record Standing(
        long file,
        Stage stage,
        DroppedFile.Kind kind,
        @Nullable String output,
        long items,
        long answered,
        long open,
        OpenCalls calls,
        Shown shown) {

    /** What the ledger has of a file. */
    public enum Stage {
        /** Some of its items, perhaps: it is being read. */
        TAKING,
        /** All its items. */
        TAKEN,
        /** All its items, each with its end, and that they were delivered. */
        DELIVERED
    }

    /**
     * Calls without an end, by state.
     *
     * @param waiting to be sent: {@link CallState#READY} or {@link CallState#CLAIMED}
     * @param nextDue when the first of those that nobody has claimed may be, epoch milliseconds; {@link Long#MAX_VALUE}:
     *     there is none
     * @param claimed those that somebody has claimed, and counted in {@code waiting}
     * @param sent {@link CallState#SENT}
     * @param polling {@link CallState#POLLING}: an asynchronous engine has them
     * @param nextPoll when the first of these may be asked for, epoch milliseconds; {@link Long#MAX_VALUE}: there is none
     * @param doubts {@link CallState#DOUBT}
     */
    public record OpenCalls(
            long waiting, long nextDue, long claimed, long sent, long polling, long nextPoll, long doubts) {
        /** Whether nothing goes on but at asynchronous engines, and something does there. */
        public boolean isAccepted() {
            return polling > 0 && waiting == 0 && sent == 0;
        }

        /** Whether a person is waited for and nothing else. */
        public boolean isInDoubt() {
            return doubts > 0 && waiting == 0 && sent == 0 && polling == 0;
        }
    }

    /**
     * One item of the file and its call.
     *
     * @param key of the call, in hexadecimal; null: the item is invalid and has none
     * @param engine the call's
     * @param remote the call's address at an asynchronous engine
     * @param code why the item failed, or why its call waits; null: there is no reason
     */
    public record Shown(
            @Nullable String key,
            @Nullable String engine,
            @Nullable String remote,
            @Nullable String code,
            @Nullable String message) {}

    /** Whether the file is one item, whatever it says. */
    public boolean isSingle() {
        return kind.isOneItem();
    }
}
