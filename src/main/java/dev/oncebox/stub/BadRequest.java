package dev.oncebox.stub;

/** A request the stub refuses, with the status and the sentence the client gets. */
final class BadRequest extends Exception {

    private static final long serialVersionUID = 1L;

    private final int status;

    BadRequest(int status, String message) {
        super(message, null, false, false);
        this.status = status;
    }

    BadRequest(String message) {
        this(400, message);
    }

    int status() {
        return status;
    }

    String sentence() {
        return String.valueOf(getMessage());
    }
}
