package dev.oncebox.outbox;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.util.MinimalPrettyPrinter;
import dev.oncebox.ledger.Outcome;
import dev.oncebox.ledger.SettledFile;
import java.io.IOException;
import java.io.OutputStream;
import java.util.HexFormat;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The lines of an output or an error file of OpenAI's batches. The body of an answer is the reply as it came, without
 * line breaks; only where the engine does not speak OpenAI's language it is made of the answer.
 *
 * <p>{@code id} is the line's own, made of the file and the place in it; {@code request_id} is the provider's, else the
 * call's key.
 */
final class OpenAiLines implements ItemLines {

    private static final int OK = 200;
    private static final int FIRST_ERROR = 400;
    private static final int ID_BYTES = 8;

    private final String file;
    private final JsonGenerator json;
    private long written;

    OpenAiLines(SettledFile file, OutputStream out) throws IOException {
        this.file = HexFormat.of().formatHex(file.sha256(), 0, Math.min(ID_BYTES, file.sha256().length));
        this.json = JsonText.generator(out);
        json.setPrettyPrinter(new MinimalPrettyPrinter("\n"));
    }

    @Override
    public void write(ItemResult result) throws IOException {
        Outcome outcome = result.outcome();
        json.writeStartObject();
        json.writeStringField("id", "batch_req_" + file + String.format(Locale.ROOT, "%08x", outcome.n()));
        json.writeFieldName("custom_id");
        // where the client gave none, the place stands for it
        json.writeRawValue(outcome.id().startsWith("\"") ? outcome.id() : "null");
        if (result instanceof ItemResult.Answered answered) {
            response(answered.call(), OK, body(answered));
            json.writeNullField("error");
        } else if (result instanceof ItemResult.Failed failed) {
            write(failed, outcome.call());
        }
        json.writeEndObject();
        written++;
    }

    /** A request that the engine refused has its reply and no error, else there is an error. */
    private void write(ItemResult.Failed failed, Outcome.@Nullable CallRecord call) throws IOException {
        Outcome.Raw raw = failed.outcome().raw();
        if (call != null && raw != null && JsonText.isValid(raw.body())) {
            response(call, raw.status(), JsonText.oneLine(raw.body()));
            if (raw.status() >= FIRST_ERROR) {
                json.writeNullField("error");
                return;
            }
        } else {
            json.writeNullField("response");
        }
        json.writeObjectFieldStart("error");
        json.writeStringField("code", failed.code());
        json.writeStringField("message", failed.message());
        if (call == null) {
            json.writeNumberField("line", failed.outcome().line());
        }
        json.writeEndObject();
    }

    private void response(Outcome.CallRecord call, int status, String body) throws IOException {
        json.writeObjectFieldStart("response");
        json.writeNumberField("status_code", status);
        json.writeStringField("request_id", call.requestId() == null ? call.key() : call.requestId());
        json.writeFieldName("body");
        json.writeRawValue(body);
        json.writeEndObject();
    }

    private static String body(ItemResult.Answered answered) {
        Outcome.Raw raw = answered.outcome().raw();
        return raw != null && raw.status() / 100 == OK / 100 && OpenAiReply.isOne(raw.body())
                ? JsonText.oneLine(raw.body())
                : OpenAiReply.of(answered);
    }

    @Override
    public long written() {
        return written;
    }

    @Override
    public void finish() throws IOException {
        if (written > 0) {
            json.writeRaw("\n");
        }
        json.close();
    }
}
