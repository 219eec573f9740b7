package dev.oncebox.config;

import java.time.Duration;
import java.util.Set;

/**
 * How an engine that answers later is asked for its answers.
 *
 * @param poll how often one job is asked for, at most
 * @param lostAfter how long a job that was accepted may be unknown to the engine (404) before it counts as lost
 * @param status JSON Pointer to the word that says how far a job is
 * @param running words for a job without an end yet, in small letters
 * @param failed words for a job that ended without an answer, in small letters
 * @param location JSON Pointer to the job's address in the reply, for engines that send no {@code Location}; empty: none
 * @param batch how calls are gathered, for engines that take them together
 */
public record AsyncSettings(
        Duration poll,
        Duration lostAfter,
        String status,
        Set<String> running,
        Set<String> failed,
        String location,
        BatchSettings batch) {

    static final String RUNNING =
            "queued,in_queue,pending,accepted,created,submitted,notstarted,not_started,starting,validating,running,in_progress,"
                    + "in-progress,processing,finalizing,cancelling,canceling";
    static final String FAILED = "failed,error,errored,cancelled,canceled,expired,timed_out";

    /** What holds unless an engine says otherwise. */
    public static final AsyncSettings USUAL = new AsyncSettings(
            Duration.ofSeconds(60),
            Duration.ofMinutes(10),
            "/status",
            Set.of(RUNNING.split(",")),
            Set.of(FAILED.split(",")),
            "",
            BatchSettings.USUAL);
}
