package dev.oncebox.config;

import java.math.BigDecimal;
import java.time.Duration;

/**
 * How calls are gathered for an engine that takes them together.
 *
 * @param calls in one batch, at most
 * @param age how long a call waits for others, at most
 * @param bytes of one batch, at most
 * @param price what a call costs in a batch, as a part of the engine's prices
 */
public record BatchSettings(int calls, Duration age, long bytes, BigDecimal price) {

    /** Vendors take half. */
    static final String HALF = "0.5";

    /** What holds unless an engine says otherwise. */
    public static final BatchSettings USUAL =
            new BatchSettings(1000, Duration.ofSeconds(60), 50 << 20, new BigDecimal(HALF));
}
