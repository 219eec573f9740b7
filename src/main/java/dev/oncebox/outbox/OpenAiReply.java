package dev.oncebox.outbox;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.oncebox.ledger.Outcome;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Set;

/** Replies of OpenAI's endpoints, as far as they are to be told from those of others. */
final class OpenAiReply {

    /** What each of them has one of. */
    private static final Set<String> MEMBERS = Set.of("choices", "output", "data", "results");

    private OpenAiReply() {}

    /** Whether the text is such a reply. */
    static boolean isOne(String text) {
        return JsonText.isValid(text) && JsonText.hasMember(text, MEMBERS);
    }

    /** A chat completion with the answer of an engine that replies in another way. */
    static String of(ItemResult.Answered answered) {
        Outcome.CallRecord call = answered.call();
        var out = new ByteArrayOutputStream();
        try (JsonGenerator json = JsonText.generator(out)) {
            json.writeStartObject();
            json.writeStringField("id", "chatcmpl-" + call.key());
            json.writeStringField("object", "chat.completion");
            json.writeNumberField("created", call.doneAt() / 1000);
            json.writeStringField("model", call.model());
            json.writeArrayFieldStart("choices");
            json.writeStartObject();
            json.writeNumberField("index", 0);
            json.writeObjectFieldStart("message");
            json.writeStringField("role", "assistant");
            json.writeStringField("content", answered.value());
            json.writeEndObject();
            json.writeStringField("finish_reason", "stop");
            json.writeEndObject();
            json.writeEndArray();
            writeUsage(json, call);
            json.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toString(StandardCharsets.UTF_8);
    }

    private static void writeUsage(JsonGenerator json, Outcome.CallRecord call) throws IOException {
        Long input = call.inputTokens();
        Long output = call.outputTokens();
        if (input == null || output == null) {
            json.writeNullField("usage");
            return;
        }
        json.writeObjectFieldStart("usage");
        json.writeNumberField("prompt_tokens", input);
        json.writeNumberField("completion_tokens", output);
        json.writeNumberField("total_tokens", input + output);
        json.writeEndObject();
    }
}
