package dev.oncebox.ledger;

import java.time.Duration;
import java.util.Collection;
import java.util.Map;

/**
 * How many calls may be sent now. Asked before calls are claimed, so that none waits claimed for a place, and told what
 * became of each, so that a failing engine is left in peace. Every place that is taken ends in exactly one of
 * {@link #giveBack} and {@link #settled}.
 */
public interface Capacity {

    /** The engines that can be asked. */
    Collection<String> engines();

    /** Takes up to {@code wanted} places of an engine and returns how many it took. */
    int take(String engine, int wanted);

    /** Gives places back that were not used: nothing was sent. */
    void giveBack(String engine, int places);

    /** A call that had a place has come to this. */
    void settled(Call call, Verdict verdict);

    /** The engines that accept a call and answer later, with how often each of their jobs may be asked for. */
    Map<String, Duration> polled();

    /** A call that was accepted before has come to this. */
    void asked(Call call, Verdict verdict);

    /** Which engines, by their names, are sent nothing at the moment, and under {@link Pause#BUDGET} whether all are. */
    Map<String, Pause> pauses();
}
