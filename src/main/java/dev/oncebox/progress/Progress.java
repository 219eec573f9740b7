package dev.oncebox.progress;

/** Shows how far a piece of long work is. To be used by one thread at a time. */
public interface Progress extends AutoCloseable {

    /** Whether anything that is said now would be shown: finding it out may cost something. */
    boolean isDue();

    /**
     * Shows how far it is; on a terminal at once, elsewhere when that is due.
     *
     * @param done in units, from the beginning of this work
     * @param total all of it, as far as it is known now; less than 0: unknown
     * @param more what else is worth knowing, with commas; empty: nothing
     */
    void show(long done, long total, String more);

    /** The work has ended, well or not. */
    @Override
    void close();

    /** For who wants to see nothing. */
    static Progress silent() {
        return new Progress() {
            @Override
            public boolean isDue() {
                return false;
            }

            @Override
            public void show(long done, long total, String more) {
                // nobody looks
            }

            @Override
            public void close() {
                // nothing was begun
            }
        };
    }
}
