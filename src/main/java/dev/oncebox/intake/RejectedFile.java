package dev.oncebox.intake;

/** A file of which nothing can be read. The message says why and what to do. */
public final class RejectedFile extends Exception {

    private static final long serialVersionUID = 1;

    private final String code;

    public RejectedFile(String code, String message) {
        super(message);
        this.code = code;
    }

    /** What is wrong, for programs. */
    public String code() {
        return code;
    }
}
