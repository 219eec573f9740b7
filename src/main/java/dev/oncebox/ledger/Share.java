package dev.oncebox.ledger;

/**
 * A node's part of what all nodes may use of something together. The parts of all nodes make up the whole, also while
 * nodes come and go: one that comes has none until every other one knows of it.
 *
 * @param place of the node among those that live, from 0; -1: it has no part yet
 * @param nodes how many live
 */
public record Share(int place, int nodes) {

    /** Everything is this node's. */
    public static final Share ALL = new Share(0, 1);

    /** How much of a whole is this node's. */
    public long of(long whole) {
        return place < 0 ? 0 : whole / nodes + (place < whole % nodes ? 1 : 0);
    }
}
