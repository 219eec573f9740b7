package dev.oncebox.ledger.sql;

/**
 * Which of a ledger's calls and files one worker works on: all of them, or those of one file. Recovery is not bound by
 * it: what an earlier process left is put in order for everybody. Every query that takes work out of the ledger has it.
 */
public final class Scope {

    private static final long NONE = -1;

    private final boolean everything;
    private volatile long file = NONE;

    private Scope(boolean everything) {
        this.everything = everything;
    }

    /** A runtime's: whatever there is to do. */
    public static Scope everything() {
        return new Scope(true);
    }

    /** One file's, which is named later; until then nothing is to be done. */
    public static Scope oneFile() {
        return new Scope(false);
    }

    /** Names the file, by its number in the ledger. */
    public void is(long wanted) {
        file = wanted;
    }

    public boolean isEverything() {
        return everything;
    }

    /** A condition on rows of {@code call}, to follow others; empty where every row is meant. */
    String calls() {
        return everything ? "" : " AND id IN (SELECT i.call FROM item i WHERE i.file = " + file + ")";
    }

    /** A condition on rows of {@code batch}, to follow others; empty where every row is meant. */
    String batches() {
        return everything
                ? ""
                : " AND id IN (SELECT c.batch FROM item i JOIN call c ON c.id = i.call WHERE i.file = " + file + ")";
    }

    /** A condition on rows of {@code file}, to follow others; empty where every row is meant. */
    String files() {
        return everything ? "" : " AND id = " + file;
    }
}
