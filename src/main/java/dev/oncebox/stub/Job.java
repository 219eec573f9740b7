package dev.oncebox.stub;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** A call that was taken on and is asked for later. */
final class Job {

    private final String id;
    private final Step step;
    private final ObjectNode result;
    private final Progress progress;
    private boolean cancelled;

    /** @param result what a poll gets once it is ready */
    Job(String id, Step step, ObjectNode result) {
        this.id = id;
        this.step = step;
        this.result = result;
        this.progress = new Progress(step.later(), "");
    }

    String id() {
        return id;
    }

    Step step() {
        return step;
    }

    Later later() {
        return step.later();
    }

    ObjectNode result() {
        return result;
    }

    Progress progress() {
        return progress;
    }

    /** Cancels what is not ready; what is ready stays. */
    synchronized boolean cancel() {
        cancelled |= !progress.ready();
        return cancelled;
    }

    synchronized boolean cancelled() {
        return cancelled;
    }
}
