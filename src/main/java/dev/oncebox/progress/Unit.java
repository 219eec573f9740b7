package dev.oncebox.progress;

/**
 * What work is counted in.
 *
 * @param name as it is shown after a number
 * @param size how many are shown as one
 */
public record Unit(String name, long size) {

    public static final Unit ITEMS = new Unit(" items", 1);

    /** Counted in bytes. */
    public static final Unit MEGABYTES = new Unit(" MB", 1_000_000);

    String text(double count) {
        return Math.round(count / size) + name;
    }
}
