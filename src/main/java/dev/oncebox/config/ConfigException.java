package dev.oncebox.config;

/** Something that a person must change before Oncebox can start. The message says what is wrong, where, and what to do. */
public final class ConfigException extends RuntimeException {
    public ConfigException(String message) {
        super(message);
    }

    /** @param cause says more of what it is, for whoever can wait until it is over */
    public ConfigException(String message, Throwable cause) {
        super(message, cause);
    }
}
