package dev.oncebox.stub;

/**
 * What the stub has seen since its start or the last reset.
 *
 * @param accepted POSTs whose request was received completely, whatever became of them afterwards
 * @param chat those of them to a chat path: chat completions, Anthropic's messages, Ollama's chat
 * @param summarize those of them to {@code /summarize}
 * @param answered replies written to their last byte, refusals included
 * @param keys distinct {@code Idempotency-Key} values
 */
public record Counts(long accepted, long chat, long summarize, long answered, long keys) {}
