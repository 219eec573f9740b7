package dev.oncebox.engine;

import java.io.IOException;

/** The engine's time for one call was over before a whole reply had come. The request was written. */
public final class DeadlineException extends IOException {
    public DeadlineException(String message, IOException cause) {
        super(message, cause);
    }
}
