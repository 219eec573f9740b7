package dev.oncebox.job;

/** What counts as the same request, from the job property {@code key}. */
public enum Keying {
    /** NFC, every run of white space is one space, ends trimmed; inside fenced code blocks as {@link #LINES}. */
    WHITESPACE,
    /** NFC, line ends unified, trailing spaces and final newlines dropped, indentation kept. */
    LINES,
    /** Every character counts. */
    EXACT,
    /** The job's name and the item's id are the identity; other content under the same id is refused. */
    ID
}
