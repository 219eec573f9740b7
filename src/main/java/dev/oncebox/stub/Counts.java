package dev.oncebox.stub;

import java.util.Map;

/**
 * What the stub has seen since its start or the last reset.
 *
 * @param accepted POSTs whose request was received completely, whatever became of them afterwards. No call of a model,
 *     and so not among them: an uploaded file, a cancellation. The creation of a batch is one, however many its lines
 * @param chat those of them to a chat path: chat completions, Anthropic's messages, Ollama's chat
 * @param summarize those of them to {@code /summarize}
 * @param answered replies to them written to their last byte, refusals included
 * @param keys distinct {@code Idempotency-Key} values
 * @param submissions calls that asynchronous faces took on, by face: {@code jobs}, {@code responses} (those in the
 *     background), {@code batches} and {@code message_batches} (each line); {@link Stub#submissions()} has them by key
 * @param charged those of them that were worked on, and so cost money; {@link Stub#charged()} has them by key
 * @param faces requests of all methods by method and path, as in {@code GET /jobs/{id}}; unknown paths are not there
 */
public record Counts(
        long accepted,
        long chat,
        long summarize,
        long answered,
        long keys,
        Map<String, Long> submissions,
        Map<String, Long> charged,
        Map<String, Long> faces) {

    public Counts {
        submissions = Map.copyOf(submissions);
        charged = Map.copyOf(charged);
        faces = Map.copyOf(faces);
    }

    /** Calls that asynchronous faces took on, all of them. */
    public long submitted() {
        return submissions.values().stream().mapToLong(Long::longValue).sum();
    }

    /** Requests of this method and path, as in {@code POST /v1/batches}. */
    public long face(String template) {
        return faces.getOrDefault(template, 0L);
    }
}
