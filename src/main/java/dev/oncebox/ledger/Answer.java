package dev.oncebox.ledger;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

/**
 * What an engine answered, taken out of its envelope.
 *
 * @param content a JSON string for a text, any JSON for an engine that answers with JSON; null when there is none
 * @param refusal the engine's words where it declined; null when it did not
 * @param finish why the engine stopped, in its own word ({@code stop}, {@code length}, …); null when it does not say
 * @param model the model that the engine names; null when it names none
 * @param note what is to be said of it though it is accepted; null when nothing is
 */
public record Answer(
        @Nullable JsonNode content,
        @Nullable String refusal,
        @Nullable String finish,
        @Nullable String model,
        Usage usage,
        @Nullable Note note) {

    /** Names and words of an engine are made fit for any database; the content stays exact. */
    public Answer {
        finish = finish == null ? null : Shown.word(finish);
        model = model == null ? null : Shown.word(model);
    }

    public Answer(@Nullable JsonNode content, @Nullable String finish, @Nullable String model, Usage usage) {
        this(content, null, finish, model, usage, null);
    }

    /** The same as its job accepts it. */
    public Answer accepted(JsonNode checked, @Nullable Note said) {
        return new Answer(checked, null, finish, model, usage, said);
    }
}
