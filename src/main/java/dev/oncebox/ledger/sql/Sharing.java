package dev.oncebox.ledger.sql;

/**
 * Whether one worker has the ledger for itself, so that nothing changes between its reading and its writing, or several
 * nodes share it and hold the rows that they look at.
 */
enum Sharing {
    ALONE("", "", ""),
    SHARED(" FOR SHARE", " FOR UPDATE", " FOR UPDATE SKIP LOCKED");

    private final String forShare;
    private final String forUpdate;
    private final String skipLocked;

    Sharing(String forShare, String forUpdate, String skipLocked) {
        this.forShare = forShare;
        this.forUpdate = forUpdate;
        this.skipLocked = skipLocked;
    }

    /** Follows a select of rows that must stay as they are until the end of the transaction. */
    String forShare() {
        return forShare;
    }

    /** Follows a select of rows that are changed next. */
    String forUpdate() {
        return forUpdate;
    }

    /** Follows a select of rows to take, of which those that another node is taking are left to it. */
    String skipLocked() {
        return skipLocked;
    }
}
