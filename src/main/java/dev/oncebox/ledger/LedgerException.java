package dev.oncebox.ledger;

/** The ledger could not be read or written. Nothing may be sent while this lasts. */
public final class LedgerException extends RuntimeException {

    private final boolean passing;

    /**
     * @param passing whether the cause may go away by itself: a full disk, another process's lock
     */
    public LedgerException(String message, boolean passing, Throwable cause) {
        super(message, cause);
        this.passing = passing;
    }

    public boolean isPassing() {
        return passing;
    }
}
