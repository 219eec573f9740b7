package dev.oncebox.job;

import java.util.Set;

/**
 * Which doubtful answers a job accepts. What is not accepted is never repaired; what is accepted is noted with its call.
 *
 * @param empty an answer of nothing but white space
 * @param cutOff an answer that the engine cut at its length limit
 * @param refusal a refusal in words, or an answer of which the engine's filter withheld a part
 * @param cutPrompt an answer to a prompt that the engine visibly did not read whole
 * @param unwrap what may be taken off around an answer before it is checked
 */
public record Acceptance(Policy empty, Policy cutOff, Policy refusal, Policy cutPrompt, Set<Wrapping> unwrap) {

    /** Only what is whole and bare; but a prompt that was cut is merely flagged. */
    public static final Acceptance STRICT =
            new Acceptance(Policy.REJECT, Policy.REJECT, Policy.REJECT, Policy.ACCEPT, Set.of());

    /** Whether a doubtful answer may be delivered. */
    public enum Policy {
        REJECT,
        ACCEPT
    }

    /** What models put around an answer. */
    public enum Wrapping {
        /** A block of reasoning before it. */
        THINK,
        /** A Markdown code fence around the whole of it. */
        FENCE,
        /** Prose before and after a JSON object or array. */
        TEXT
    }
}
