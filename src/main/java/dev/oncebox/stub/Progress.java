package dev.oncebox.stub;

import java.time.Duration;

/** How far something is that is asked for again and again: words like {@code polls=3} say when it is ready. */
final class Progress {

    private final long born = System.nanoTime();
    private final int unready;
    private final int lag;
    private Duration time;
    private final Troubles troubles;
    private int polls;

    /** @param prefix of the words that count here: none, or {@code batch-} */
    Progress(Later later, String prefix) {
        this.unready = later.number(prefix + "polls");
        this.lag = later.number(prefix + "lag");
        this.time = later.time(prefix + "ready");
        this.troubles = new Troubles(later.troubles(prefix + "poll"));
    }

    /**
     * What one poll finds.
     *
     * @param number of the poll, from 1
     * @param trouble what goes wrong with this poll; a good step if nothing does
     * @param hidden whether the thing is not to be found yet
     * @param ready whether it is finished
     */
    record Look(int number, Step trouble, boolean hidden, boolean ready) {}

    synchronized Look look() {
        polls++;
        return new Look(polls, troubles.next(), polls <= lag, ready());
    }

    /** No time has to pass any more. */
    synchronized void release() {
        time = Duration.ZERO;
    }

    synchronized int polls() {
        return polls;
    }

    /** Whether it is finished, asked without polling. */
    synchronized boolean ready() {
        return (unready == 0 || polls > unready) && System.nanoTime() - born >= time.toNanos();
    }
}
