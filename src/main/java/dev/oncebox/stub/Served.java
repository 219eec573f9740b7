package dev.oncebox.stub;

/** A reply and the step that says how it goes out. */
record Served(Reply reply, Step how) {

    static Served whole(Reply reply) {
        return new Served(reply, Step.GOOD);
    }
}
