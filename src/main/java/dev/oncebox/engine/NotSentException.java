package dev.oncebox.engine;

import java.io.IOException;

/** The endpoint could not be found, reached or trusted. Not a byte of the request was written. */
public final class NotSentException extends IOException {
    public NotSentException(String message, IOException cause) {
        super(message, cause);
    }
}
