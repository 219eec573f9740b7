package dev.oncebox.ledger;

import dev.oncebox.config.Retry;
import org.jspecify.annotations.Nullable;

/**
 * The rules in force for a call: its job's and its engine's.
 *
 * @param attempts tries that were, or may have been, charged, before the call is a dead letter
 * @param resendOnDoubt whether a call in doubt is sent again without asking a person
 * @param deduplicates whether the endpoint recognises a repeated call by its key, so that a resend is free
 * @param fallback the engine that is asked next when this one cannot answer; null when there is none
 */
public record Policy(
        int attempts,
        boolean resendOnDoubt,
        boolean deduplicates,
        Retry retry,
        @Nullable String fallback) {

    /** Finds the rules for a call. */
    @FunctionalInterface
    public interface Source {
        Policy of(String job, String engine);
    }
}
