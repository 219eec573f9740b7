package dev.oncebox.intake;

/** Bytes that are no text which could be sent. */
final class BadCharacter extends Exception {

    private static final long serialVersionUID = 1;

    private final String code;
    private final long offset;
    private final String advice;

    BadCharacter(String code, long offset, String message) {
        super(message);
        this.code = code;
        this.offset = offset;
        this.advice = message;
    }

    String code() {
        return code;
    }

    /** What is wrong and what to do. */
    String advice() {
        return advice;
    }

    /** The first bad byte, counted from where the decoded bytes start. */
    long offset() {
        return offset;
    }
}
