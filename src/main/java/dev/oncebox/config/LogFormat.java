package dev.oncebox.config;

/** How lines of the log are written. */
public enum LogFormat {
    TEXT,
    JSON
}
